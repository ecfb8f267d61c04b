public import EIDInterface
public import Foundation

/// An authentication as document 001 recommends it, as a state machine that an app's screens can follow.
///
/// Consent with the rights and the certificate, the PIN, and then the card: once, if the PIN is right.
public struct Authentication: Sendable {
    private enum State: Sendable {
        case idle, running, accepted, ended
    }

    private let url: URL
    private var state = State.idle
    private var isCancelled = false
    private var rights: AccessRights?
    private var certificate: CertificateDescription?
    /// Whether the consent waits for the answer to SET_ACCESS_RIGHTS.
    private var isGranting = false
    private var dialogue = CardDialogue()

    /// - Parameter url: where the service's token is.
    public init(tcTokenURL url: URL) {
        self.url = url
    }

    /// The cardholder wants to be identified.
    public mutating func begin() -> [FlowAction] {
        guard case .idle = state else { return [] }
        state = .running
        return [.send(.runAuth(RunAuth(tcTokenURL: url))), .show(.working(progress: nil))]
    }

    /// The cardholder lets the service read the required rights and these optional ones.
    public mutating func consent(to optional: [AccessRight]) -> [FlowAction] {
        guard case .running = state, certificate != nil, let rights, !isGranting else { return [] }
        let granted = Set(rights.chat.optional).intersection(optional)
        guard granted == Set(rights.chat.effective).subtracting(rights.chat.required) else {
            isGranting = true
            return [.send(.setAccessRights(rights.chat.optional.filter(granted.contains)))]
        }
        return accept()
    }

    private mutating func accept() -> [FlowAction] {
        state = .accepted
        return [.send(.accept)] + dialogue.askFirst(.pin)
    }

    /// The cardholder has entered the PIN.
    public mutating func enterPIN(_ pin: CardSecret) -> [FlowAction] { dialogue.enter(.pin, pin) }

    /// The cardholder has entered the CAN.
    public mutating func enterCAN(_ can: CardSecret) -> [FlowAction] { dialogue.enter(.can, can) }

    /// The cardholder has entered the PUK.
    public mutating func enterPUK(_ puk: CardSecret) -> [FlowAction] { dialogue.enter(.puk, puk) }

    /// The cardholder has moved the card.
    public mutating func goOn() -> [FlowAction] { [.send(.continueWorkflow), .show(.working(progress: nil))] }

    /// The cardholder ends the authentication. With a transport PIN, it must be ended: a ``PINChange`` can begin when the screen
    /// says that it is.
    public mutating func cancel() -> [FlowAction] {
        dialogue.forget()
        switch state {
        case .running, .accepted:
            isCancelled = true
            return [.send(.cancel)]
        case .idle:
            state = .ended
            return [.show(.isCancelled(nil))]
        case .ended: return []
        }
    }

    /// Takes an event of the controller.
    public mutating func receive(_ event: WorkflowEvent) -> [FlowAction] {
        switch state {
        case .idle, .ended: return []
        case .running, .accepted: break
        }
        if let actions = event.faultActions {
            if case .message(.badState) = event { return actions }
            state = .ended
            dialogue.forget()
            return actions
        }
        switch event {
        case .message(.auth(.finished(let outcome, let url))): return end(outcome, url)
        case _ where isCancelled: return []
        case .message(.accessRights(let rights)): return receive(rights)
        case .message(.certificate(let certificate)):
            self.certificate = certificate
            return askConsent()
        // An app that cannot show the rights has no card to ask for.
        case .message(let message) where state == .accepted: return dialogue.receive(message)
        default: return []
        }
    }

    private mutating func receive(_ rights: AccessRights) -> [FlowAction] {
        self.rights = rights
        guard isGranting else { return certificate == nil ? [.send(.getCertificate)] : askConsent() }
        isGranting = false
        return rights.error == nil ? accept() : askConsent()
    }

    private func askConsent() -> [FlowAction] {
        guard state == .running, let rights, let certificate else { return [] }
        return [.show(.askConsent(rights, certificate))]
    }

    private mutating func end(_ outcome: AuthResultData?, _ url: URL?) -> [FlowAction] {
        state = .ended
        dialogue.forget()
        if outcome?.isOK == true { return [.show(.isAuthenticated(url))] }
        if isCancelled || outcome?.minor == AuthResultData.cancelledByUser { return [.show(.isCancelled(url))] }
        return [.show(.hasFailed(outcome?.message ?? outcome?.description, url))]
    }
}
