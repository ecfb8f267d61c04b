public import EIDInterface
public import Foundation

/// What a flow asks for. ``WorkflowController/perform(_:)`` does everything but screens and reports.
public enum FlowAction: Sendable {
    /// Show this.
    case show(FlowScreen)
    /// Send a report of a fault that should never occur.
    case report(String)
    /// Send this command.
    case send(Command)
}

/// A screen that an app shows (document 001).
public enum FlowScreen: Sendable, Equatable {
    /// Ask for the PIN, or the transport PIN. `tries` says how many tries are left, if that is known; `error` says what was
    /// wrong with the form of the last PIN.
    case askPIN(tries: Int?, error: String?)
    /// Ask for the PIN that the card will have, twice.
    case askNewPIN(error: String?)
    /// Ask for the CAN, because one try is left, or because the service takes it.
    case askCAN(wasWrong: Bool, tries: Int?, error: String?)
    /// Ask for the PUK, because no try is left.
    case askPUK(wasWrong: Bool, error: String?)
    /// The cardholder enters it with the reader's keypad.
    case useKeypad
    /// Ask whether the service may read this. Show all of it: the rights with ``AccessRightText``, who reads, who has issued
    /// the certificate, the authority for data protection in the terms of usage, and until when it is valid.
    case askConsent(AccessRights, CertificateDescription)
    /// Ask for the card.
    case presentCard
    /// The card must not be taken away. The progress is in percent.
    case working(progress: Int?)
    /// The card is in a bad position. After the cardholder has moved it, call `goOn()`.
    case holdCardStill
    /// The card's eID function is turned off: another card is needed.
    case cardIsDeactivated
    /// The PUK is used up: only the authority that issued the card can help.
    case cardIsInoperative
    /// The card has no eID function: another card is needed.
    case cardIsUnknown
    /// The card has its new PIN.
    case pinIsChanged
    /// The authentication has succeeded. The browser continues at this address.
    case isAuthenticated(URL?)
    /// The cardholder has ended it.
    case isCancelled(URL?)
    /// It has failed. The text is the AusweisApp's.
    case hasFailed(String?, URL?)
}
