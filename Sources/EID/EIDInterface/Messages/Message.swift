public import Foundation

/// A message of the AusweisApp (document 000, chapter 6; the ones of later levels as in the interface's own documentation).
public enum Message: Sendable, Equatable {
    /// What the service wants to read.
    case accessRights(AccessRightsMessage)
    /// Which levels there are, and which one is used.
    case apiLevel(APILevelMessage)
    /// An authentication has started, was refused, or has ended.
    case auth(AuthMessage)
    /// The command with this name is not allowed now.
    case badState(command: String)
    /// Who wants to read.
    case certificate(CertificateMessage)
    /// A PIN change has started or ended.
    case changePIN(ChangePINMessage)
    /// The CAN is needed.
    case enterCAN(EnterMessage)
    /// The PIN is needed.
    case enterPIN(EnterMessage)
    /// The PIN that the card will have is needed.
    case enterNewPIN(EnterMessage)
    /// The PUK is needed.
    case enterPUK(EnterMessage)
    /// Which program it is.
    case info(VersionInfo)
    /// A card is needed. The error is about SET_CARD.
    case insertCard(error: String?)
    /// A fault of the AusweisApp.
    case internalError(String?)
    /// The last command was not JSON, or had no name.
    case invalid(String?)
    /// A reader has come, has changed or has gone.
    case reader(ReaderMessage)
    /// All readers.
    case readerList([ReaderMessage])
    /// The AusweisApp does not know the command with this name.
    case unknownCommand(String)
    /// How far the workflow is. Level 2.
    case status(StatusMessage)
    /// The workflow waits, for example until the card is in a better position. Level 3.
    case pause(cause: String)
    /// A message that this package does not know.
    case unknown(name: String)

    /// The names in `msg`.
    public enum Name: String, Sendable, CaseIterable {
        case accessRights = "ACCESS_RIGHTS"
        case apiLevel = "API_LEVEL"
        case auth = "AUTH"
        case badState = "BAD_STATE"
        case certificate = "CERTIFICATE"
        case changePIN = "CHANGE_PIN"
        case enterCAN = "ENTER_CAN"
        case enterPIN = "ENTER_PIN"
        case enterNewPIN = "ENTER_NEW_PIN"
        case enterPUK = "ENTER_PUK"
        case info = "INFO"
        case insertCard = "INSERT_CARD"
        case internalError = "INTERNAL_ERROR"
        case invalid = "INVALID"
        case reader = "READER"
        case readerList = "READER_LIST"
        case unknownCommand = "UNKNOWN_COMMAND"
        case status = "STATUS"
        case pause = "PAUSE"
    }
}

/// ACCESS_RIGHTS: what the service wants to read.
public struct AccessRightsMessage: Sendable, Equatable, Decodable {
    /// The rights, of three kinds.
    public struct Chat: Sendable, Equatable, Decodable {
        /// What the service will get: the required ones, and the optional ones that are granted.
        public var effective: [AccessRight]
        /// What the cardholder can refuse.
        public var optional: [AccessRight]
        /// What the service must get.
        public var required: [AccessRight]

        /// The order of the rights in each list is kept.
        public init(effective: [AccessRight], optional: [AccessRight], required: [AccessRight]) {
            self.effective = effective
            self.optional = optional
            self.required = required
        }
    }

    /// What a service compares with the card.
    public struct AuxiliaryData: Sendable, Equatable, Decodable {
        /// The cardholder must have been born at this date or before.
        public var ageVerificationDate: Date?
        /// The age, in years, that this date means today.
        public var requiredAge: String?
        /// The card must be valid at this date.
        public var validityDate: Date?
        /// The community in which the cardholder must live.
        public var communityId: String?
    }

    /// What was wrong with SET_ACCESS_RIGHTS.
    public var error: String?
    /// What the service compares with the card.
    public var aux: AuxiliaryData?
    /// The rights.
    public var chat: Chat
    /// What the cardholder confirms with the authentication.
    public var transactionInfo: String?
    /// Whether the CAN is enough.
    public var canAllowed: Bool?

    /// By default, the message reports no error, and the service compares nothing.
    public init(
        error: String? = nil, aux: AuxiliaryData? = nil, chat: Chat, transactionInfo: String? = nil,
        canAllowed: Bool? = nil
    ) {
        self.error = error
        self.aux = aux
        self.chat = chat
        self.transactionInfo = transactionInfo
        self.canAllowed = canAllowed
    }
}

/// API_LEVEL: which levels there are, and which one is used.
public struct APILevelMessage: Sendable, Equatable, Decodable {
    /// What was wrong with SET_API_LEVEL.
    public var error: String?
    /// The available levels. The answer to SET_API_LEVEL leaves them out.
    public var available: [Int]?
    /// The level that is used.
    public var current: Int

    /// `available` is for the answer to GET_API_LEVEL only.
    public init(error: String? = nil, available: [Int]? = nil, current: Int) {
        self.error = error
        self.available = available
        self.current = current
    }
}

/// AUTH: the start, the refusal or the end of an authentication.
public enum AuthMessage: Sendable, Equatable {
    /// The authentication has started.
    case started
    /// RUN_AUTH was wrong: nothing has started.
    case refused(error: String)
    /// The authentication has ended. The browser continues at the address; nil if it is not known.
    case finished(Outcome?, url: URL?)

    /// How an authentication has ended (BSI TR-03112).
    public struct Outcome: Sendable, Equatable, Decodable {
        /// The major code, an address that ends in `resultmajor#ok` or `resultmajor#error`.
        public var major: String
        /// The minor code.
        public var minor: String?
        /// The language of the texts.
        public var language: String?
        /// What the code means.
        public var description: String?
        /// What has happened.
        public var message: String?
        /// The AusweisApp's own code. From 1.26.3 on.
        public var reason: String?

        /// The major code of success.
        public static let ok = "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#ok"
        /// The major code of failure.
        public static let failed = "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#error"
        /// The minor code if the cardholder ended the authentication.
        public static let cancelledByUser =
            "http://www.bsi.bund.de/ecard/api/1.1/resultminor/sal#cancellationByUser"

        /// Whether the authentication has succeeded.
        public var isOK: Bool { major == Self.ok }

        /// ``ok`` and ``failed`` are the major codes.
        public init(
            major: String, minor: String? = nil, language: String? = nil, description: String? = nil,
            message: String? = nil, reason: String? = nil
        ) {
            self.major = major
            self.minor = minor
            self.language = language
            self.description = description
            self.message = message
            self.reason = reason
        }
    }
}

/// CERTIFICATE: who wants to read.
@dynamicMemberLookup
public struct CertificateMessage: Sendable, Equatable, Decodable {
    /// Who wants to read, and why.
    public struct Description: Sendable, Equatable, Decodable {
        /// Who has issued the certificate.
        public var issuerName: String
        /// The issuer's address.
        public var issuerUrl: String
        /// Who wants to read.
        public var subjectName: String
        /// The subject's address.
        public var subjectUrl: String
        /// The whole terms of use. They name the authority for data protection.
        public var termsOfUsage: String
        /// Why the data are read.
        public var purpose: String
    }

    /// The first and the last day of its validity, in UTC.
    public struct Validity: Sendable, Equatable, Decodable {
        /// The beginning of the first day.
        public var effectiveDate: Date
        /// The beginning of the last day.
        public var expirationDate: Date
    }

    /// Who wants to read, and why.
    public var description: Description
    /// When the certificate is valid.
    public var validity: Validity

    /// The members of the description.
    public subscript(dynamicMember member: KeyPath<Description, String>) -> String { description[keyPath: member] }
}

/// CHANGE_PIN: the start or the end of a PIN change.
public enum ChangePINMessage: Sendable, Equatable {
    /// The PIN change has started.
    case started
    /// The PIN change has ended. The reason is the AusweisApp's own code, from 1.26.4 on.
    case finished(success: Bool, reason: String?)
}

/// ENTER_PIN, ENTER_NEW_PIN, ENTER_CAN or ENTER_PUK.
public struct EnterMessage: Sendable, Equatable, Decodable {
    /// What was wrong with the form of the last value. A wrong value of the right form has no error.
    public var error: String?
    /// The reader, and the card with its counter.
    public var reader: ReaderMessage

    /// By default, the form of the last value was right.
    public init(error: String? = nil, reader: ReaderMessage) {
        self.error = error
        self.reader = reader
    }
}

/// INFO: which program it is.
public struct VersionInfo: Sendable, Equatable, Decodable {
    /// The application.
    public var name: String
    /// The implementation.
    public var implementationTitle: String
    /// Who makes it.
    public var implementationVendor: String
    /// Its version.
    public var implementationVersion: String
    /// The specification that it follows.
    public var specificationTitle: String
    /// Who wrote the specification.
    public var specificationVendor: String
    /// The version of the specification.
    public var specificationVersion: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name = "Name"
        case implementationTitle = "Implementation-Title"
        case implementationVendor = "Implementation-Vendor"
        case implementationVersion = "Implementation-Version"
        case specificationTitle = "Specification-Title"
        case specificationVendor = "Specification-Vendor"
        case specificationVersion = "Specification-Version"
    }

    /// The first four texts are about the program, the others about its specification.
    public init(
        name: String, implementationTitle: String, implementationVendor: String, implementationVersion: String,
        specificationTitle: String, specificationVendor: String, specificationVersion: String
    ) {
        self.name = name
        self.implementationTitle = implementationTitle
        self.implementationVendor = implementationVendor
        self.implementationVersion = implementationVersion
        self.specificationTitle = specificationTitle
        self.specificationVendor = specificationVendor
        self.specificationVersion = specificationVersion
    }
}

/// STATUS: the progress of a workflow.
public struct StatusMessage: Sendable, Equatable, Decodable {
    /// AUTH or CHANGE_PIN; nil if there is no workflow.
    public var workflow: String?
    /// The progress in percent; nil if there is none.
    public var progress: Int?
    /// What it waits for: the name of a message; nil if it waits for nothing.
    public var state: String?

    /// All are nil without a workflow.
    public init(workflow: String?, progress: Int?, state: String?) {
        self.workflow = workflow
        self.progress = progress
        self.state = state
    }
}
