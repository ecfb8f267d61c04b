public import EIDInterface
public import Foundation

/// What a flow wants to have done. ``WorkflowController/perform(_:)`` does everything but screens and reports.
public enum FlowAction: Sendable {
    /// Show this.
    case show(FlowScreen)
    /// Send a report of a fault that should never occur.
    case report(String)
    /// Call the function of this name.
    case startAuthentication(URL)
    /// Call the function of this name.
    case startChangePin
    /// Call the function of this name.
    case getReaderList
    /// Call the function of this name.
    case getCertificate
    /// Call the function of this name.
    case setAccessRights([AccessRight])
    /// Call the function of this name.
    case accept
    /// Call the function of this name.
    case setPin(CardSecret?)
    /// Call the function of this name.
    case setNewPin(CardSecret?)
    /// Call the function of this name.
    case setCan(CardSecret?)
    /// Call the function of this name.
    case setPuk(CardSecret?)
    /// Call the function of this name on iOS, so that its dialog does not hide the screen.
    case interrupt
    /// Call the function of this name.
    case continueWorkflow
    /// Call the function of this name.
    case cancel
}

/// A screen that an app shows (document 001).
public enum FlowScreen: Sendable, Equatable {
    /// Ask for the PIN, or the transport PIN. The counter says how many tries it has, if it is known; the error what was wrong
    /// with the form of the last one.
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
    /// The card lies badly. After the cardholder has moved it, ``FlowAction/continueWorkflow`` follows.
    case holdCardStill
    /// The card's eID function is turned off: another card is needed.
    case cardIsDeactivated
    /// The PUK is used up: the authority that has issued the card must help.
    case cardIsInoperative
    /// The card has no eID function: another card is needed.
    case cardIsUnknown
    /// The card has its new PIN.
    case pinIsChanged
    /// The authentication has succeeded; the browser goes on there.
    case isAuthenticated(URL?)
    /// The cardholder has ended it. After ``Authentication/changeTransportPIN()`` the PIN change follows.
    case isCancelled(URL?)
    /// It has failed. The text is the AusweisApp's.
    case hasFailed(String?, URL?)
}
