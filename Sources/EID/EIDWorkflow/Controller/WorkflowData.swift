public import EIDInterface
public import Foundation

// The names of document 002, and the members of document 000: they are the messages of ``EIDInterface``.

/// What a service may read or write.
public typealias AccessRight = EIDInterface.AccessRight

/// What a service wants, in `chat`, and what it compares with the card, in `aux`.
public typealias AccessRights = AccessRightsMessage

/// Who wants to read, why, and until when.
public typealias CertificateDescription = CertificateMessage

/// The codes and texts of an authentication's end (BSI TR-03112).
public typealias AuthResultData = AuthMessage.Outcome

/// A reader.
public typealias Reader = ReaderMessage

/// A card in a reader.
public typealias Card = CardMessage

/// How far a workflow is.
public typealias WorkflowProgress = StatusMessage

/// Which AusweisApp it is.
public typealias VersionInfo = EIDInterface.VersionInfo

/// What the system's dialog on iOS says.
public typealias AA2UserInfoMessages = DialogMessages

/// The files and keys of the card that the AusweisApp itself simulates.
public typealias Simulator = SimulatedFiles

/// How an authentication has ended.
public struct AuthResult: Sendable, Equatable {
    /// Where the browser continues, or where errors are explained; nil if no address is known.
    public let url: URL?
    /// The codes and texts.
    public let result: AuthResultData?
}

/// How a PIN change has ended.
public struct ChangePinResult: Sendable, Equatable {
    /// Whether the card has the new PIN.
    public let success: Bool
    /// The AusweisApp's own code.
    public let reason: String?
}

/// Why a workflow waits.
public enum Cause: String, Sendable {
    /// The connection to the card is bad or lost.
    case BadCardPosition
}

/// A fault on this side of the AusweisApp.
public struct WrapperError: Sendable, Equatable {
    /// The command or message in which it happened.
    public let msg: String
    /// What happened.
    public let error: String
}
