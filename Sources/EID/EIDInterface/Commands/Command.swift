public import Foundation

/// A command of an app (document 000, chapter 5; the ones of later levels as in the interface's own documentation).
public enum Command: Sendable {
    /// Asks for ``Message/info(_:)``.
    case getInfo
    /// Asks for ``Message/apiLevel(_:)``.
    case getAPILevel
    /// Chooses the level of the interface. The answer is ``Message/apiLevel(_:)``.
    case setAPILevel(Int)
    /// Asks for one reader. The answer is ``Message/reader(_:)``.
    case getReader(name: String)
    /// Asks for ``Message/readerList(_:)``.
    case getReaderList
    /// Starts an authentication.
    case runAuth(RunAuth)
    /// Starts a PIN change.
    case runChangePIN(RunChangePIN)
    /// Asks for ``Message/accessRights(_:)`` again.
    case getAccessRights
    /// Says which optional rights the cardholder grants.
    case setAccessRights([AccessRight])
    /// Asks for ``Message/certificate(_:)``.
    case getCertificate
    /// Ends the workflow.
    case cancel
    /// The cardholder accepts the access rights.
    case accept
    /// Closes the system's dialog on iOS.
    case interrupt
    /// The PIN; nil if the reader has a keypad.
    case setPIN(CardSecret?)
    /// The new PIN; nil if the reader has a keypad.
    case setNewPIN(CardSecret?)
    /// The CAN; nil if the reader has a keypad.
    case setCAN(CardSecret?)
    /// The PUK; nil if the reader has a keypad.
    case setPUK(CardSecret?)
    /// Asks for ``Message/status(_:)``. Level 2.
    case getStatus
    /// Puts a simulated card into a reader. Level 2.
    case setCard(name: String, SimulatedFiles?)
    /// Goes on after ``Message/pause(cause:)``. Level 3.
    case continueWorkflow

    /// The names in `cmd`.
    public enum Name: String, Sendable, CaseIterable {
        case getInfo = "GET_INFO"
        case getAPILevel = "GET_API_LEVEL"
        case setAPILevel = "SET_API_LEVEL"
        case getReader = "GET_READER"
        case getReaderList = "GET_READER_LIST"
        case runAuth = "RUN_AUTH"
        case runChangePIN = "RUN_CHANGE_PIN"
        case getAccessRights = "GET_ACCESS_RIGHTS"
        case setAccessRights = "SET_ACCESS_RIGHTS"
        case getCertificate = "GET_CERTIFICATE"
        case cancel = "CANCEL"
        case accept = "ACCEPT"
        case interrupt = "INTERRUPT"
        case setPIN = "SET_PIN"
        case setNewPIN = "SET_NEW_PIN"
        case setCAN = "SET_CAN"
        case setPUK = "SET_PUK"
        case getStatus = "GET_STATUS"
        case setCard = "SET_CARD"
        case continueWorkflow = "CONTINUE"

        /// The lowest level of the interface that has the command.
        public var level: APILevel {
            switch self {
            case .getStatus, .setCard: .two
            case .continueWorkflow: .three
            default: .one
            }
        }
    }
}

/// The parameters of RUN_AUTH.
public struct RunAuth: Sendable {
    /// Where the service's token is.
    public var tcTokenURL: URL
    /// Whether the system's dialog on iOS closes by itself. Level 1 only.
    public var handleInterrupt: Bool?
    /// What the system's dialog on iOS says.
    public var messages: DialogMessages?
    /// Whether STATUS is sent. From level 2 on.
    public var status: Bool?
    /// Whether to skip checks that test cards do not pass.
    public var developerMode: Bool?

    /// An authentication with the service at this address. Parameters that are nil are not sent.
    public init(
        tcTokenURL: URL, handleInterrupt: Bool? = nil, messages: DialogMessages? = nil, status: Bool? = nil,
        developerMode: Bool? = nil
    ) {
        self.tcTokenURL = tcTokenURL
        self.handleInterrupt = handleInterrupt
        self.messages = messages
        self.status = status
        self.developerMode = developerMode
    }
}

/// The parameters of RUN_CHANGE_PIN.
public struct RunChangePIN: Sendable {
    /// Whether the system's dialog on iOS closes by itself. Level 1 only.
    public var handleInterrupt: Bool?
    /// What the system's dialog on iOS says.
    public var messages: DialogMessages?
    /// Whether STATUS is sent. From level 2 on.
    public var status: Bool?

    /// A PIN change. Parameters that are nil are not sent.
    public init(handleInterrupt: Bool? = nil, messages: DialogMessages? = nil, status: Bool? = nil) {
        self.handleInterrupt = handleInterrupt
        self.messages = messages
        self.status = status
    }
}

/// What the system's dialog on iOS says.
public struct DialogMessages: Sendable, Equatable {
    /// Shown when scanning starts.
    public var sessionStarted: String?
    /// Shown when the communication ended with an error.
    public var sessionFailed: String?
    /// Shown when the communication ended well.
    public var sessionSucceeded: String?
    /// Shown during the communication, with the percentage behind it.
    public var sessionInProgress: String?

    /// Texts; nil for the system's own.
    public init(
        sessionStarted: String? = nil, sessionFailed: String? = nil, sessionSucceeded: String? = nil,
        sessionInProgress: String? = nil
    ) {
        self.sessionStarted = sessionStarted
        self.sessionFailed = sessionFailed
        self.sessionSucceeded = sessionSucceeded
        self.sessionInProgress = sessionInProgress
    }
}

/// The files and keys of the card that the AusweisApp itself simulates.
public struct SimulatedFiles: Sendable, Equatable {
    /// A file of the card. All members are hexadecimal.
    public struct File: Sendable, Equatable {
        /// The identifier of the file.
        public var fileId: String
        /// The short identifier of the file.
        public var shortFileId: String
        /// What the file contains.
        public var content: String

        /// A file of the card. All members are hexadecimal.
        public init(fileId: String, shortFileId: String, content: String) {
            self.fileId = fileId
            self.shortFileId = shortFileId
            self.content = content
        }
    }

    /// A key of the card.
    public struct Key: Sendable, Equatable {
        /// 1 for revocation, 2 for pseudonyms.
        public var id: Int
        /// The key, in hexadecimal.
        public var content: String

        /// A key of the card, with its content in hexadecimal.
        public init(id: Int, content: String) {
            self.id = id
            self.content = content
        }
    }

    /// The files.
    public var files: [File]
    /// The keys; nil for the AusweisApp's own.
    public var keys: [Key]?

    /// A card with these files. Without keys, it has the AusweisApp's own.
    public init(files: [File], keys: [Key]? = nil) {
        self.files = files
        self.keys = keys
    }
}
