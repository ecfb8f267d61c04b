public import EIDInterface
public import Foundation

/// What a service may read or write.
public typealias AccessRight = EIDInterface.AccessRight

/// Which AusweisApp it is.
public typealias VersionInfo = EIDInterface.VersionInfo

/// How an authentication has ended.
public struct AuthResult: Sendable, Equatable {
    /// Where the browser continues, or where errors are explained; nil if no address is known.
    public let url: URL?
    /// The codes and texts.
    public let result: AuthResultData?
}

/// The codes and texts of an authentication's end (BSI TR-03112).
public struct AuthResultData: Sendable, Equatable {
    /// The major code.
    public let major: String
    /// The minor code.
    public let minor: String?
    /// The language of the texts.
    public let language: String?
    /// What the code means.
    public let description: String?
    /// What has happened.
    public let message: String?
    /// The AusweisApp's own code.
    public let reason: String?
}

/// How a PIN change has ended.
public struct ChangePinResult: Sendable, Equatable {
    /// Whether the card has the new PIN.
    public let success: Bool
    /// The AusweisApp's own code.
    public let reason: String?
}

/// Who wants to read, and why.
public struct CertificateDescription: Sendable, Equatable {
    /// Who has issued the certificate.
    public let issuerName: String
    /// The issuer's address.
    public let issuerUrl: URL?
    /// Why the data are read.
    public let purpose: String
    /// Who wants to read.
    public let subjectName: String
    /// The subject's address.
    public let subjectUrl: URL?
    /// The whole terms of use. They name the authority for data protection.
    public let termsOfUsage: String
    /// When the certificate is valid.
    public let validity: CertificateValidity
}

/// The first and the last day of a certificate's validity, in UTC.
public struct CertificateValidity: Sendable, Equatable {
    /// The beginning of the first day.
    public let effectiveDate: Date
    /// The beginning of the last day.
    public let expirationDate: Date
}

/// What a service wants.
public struct AccessRights: Sendable, Equatable {
    /// What it must get.
    public let requiredRights: [AccessRight]
    /// What the cardholder can refuse.
    public let optionalRights: [AccessRight]
    /// What it will get.
    public let effectiveRights: [AccessRight]
    /// What the cardholder confirms.
    public let transactionInfo: String?
    /// What it compares with the card.
    public let auxiliaryData: AuxiliaryData?
}

/// What a service compares with the card.
public struct AuxiliaryData: Sendable, Equatable {
    /// The cardholder must have been born at this day or before.
    public let ageVerificationDate: Date?
    /// The age, in years, that this date means today.
    public let requiredAge: Int?
    /// The card must be valid at this day.
    public let validityDate: Date?
    /// The community in which the cardholder must live.
    public let communityId: String?
}

/// A reader.
public struct Reader: Sendable, Equatable {
    /// The reader's name.
    public let name: String
    /// Whether `setCard` can put a card into it.
    public let insertable: Bool
    /// Whether it is connected.
    public let attached: Bool
    /// Whether it has a keypad of its own. Then PIN, CAN and PUK are nil.
    public let keypad: Bool
    /// The card; nil if there is none.
    public let card: Card?
}

/// A card in a reader.
public struct Card: Sendable, Equatable {
    /// Whether the eID function is turned off.
    public let deactivated: Bool?
    /// Whether the PUK is used up.
    public let inoperative: Bool?
    /// How many tries of the PIN are left.
    public let pinRetryCounter: Int?

    /// Whether it is a card without the eID function.
    public func isUnknown() -> Bool { inoperative == nil && deactivated == nil && pinRetryCounter == nil }
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

/// How far a workflow is.
public struct WorkflowProgress: Sendable, Equatable {
    /// The workflow; nil if there is none.
    public let workflow: WorkflowProgressType?
    /// How far it is, in percent.
    public let progress: Int?
    /// What it waits for; nil if it waits for nothing.
    public let state: String?
}

/// The kinds of workflows.
public enum WorkflowProgressType: String, Sendable {
    /// After `startAuthentication`.
    case AUTHENTICATION = "AUTH"
    /// After `startChangePin`.
    case CHANGE_PIN = "CHANGE_PIN"
}

/// What the system's dialog on iOS says.
public typealias AA2UserInfoMessages = DialogMessages

/// The files and keys of the card that the AusweisApp itself simulates.
public typealias Simulator = SimulatedFiles

/// A file of that card.
public typealias SimulatorFile = SimulatedFiles.File

/// A key of that card.
public typealias SimulatorKey = SimulatedFiles.Key
