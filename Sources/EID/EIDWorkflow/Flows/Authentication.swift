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
        return [.startAuthentication(url), .show(.working(progress: nil))]
    }

    /// The cardholder lets the service read the required rights and these optional ones.
    public mutating func consent(to optional: [AccessRight]) -> [FlowAction] {
        guard case .running = state, certificate != nil, let rights, !isGranting else { return [] }
        let granted = Set(rights.optionalRights).intersection(optional)
        guard granted == Set(rights.effectiveRights).subtracting(rights.requiredRights) else {
            isGranting = true
            return [.setAccessRights(rights.optionalRights.filter(granted.contains))]
        }
        return accept()
    }

    private mutating func accept() -> [FlowAction] {
        state = .accepted
        return [.accept] + dialogue.askFirst(.pin)
    }

    /// The cardholder has entered the PIN.
    public mutating func enterPIN(_ pin: CardSecret) -> [FlowAction] { dialogue.enter(.pin, pin) }

    /// The cardholder has entered the CAN.
    public mutating func enterCAN(_ can: CardSecret) -> [FlowAction] { dialogue.enter(.can, can) }

    /// The cardholder has entered the PUK.
    public mutating func enterPUK(_ puk: CardSecret) -> [FlowAction] { dialogue.enter(.puk, puk) }

    /// The cardholder has moved the card.
    public mutating func goOn() -> [FlowAction] { [.continueWorkflow, .show(.working(progress: nil))] }

    /// The cardholder has only a transport PIN: it must be changed first, and the authentication ends. When the screen says so,
    /// a ``PINChange`` can begin.
    public mutating func changeTransportPIN() -> [FlowAction] { cancel() }

    /// The cardholder ends the authentication.
    public mutating func cancel() -> [FlowAction] {
        dialogue.forget()
        switch state {
        case .running, .accepted:
            isCancelled = true
            return [.cancel]
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
        if case .authenticationCompleted(let result) = event { return end(result) }
        if let actions = event.faultActions {
            if case .badState = event { return actions }
            state = .ended
            dialogue.forget()
            return actions
        }
        guard !isCancelled else { return [] }
        switch event {
        case .accessRights(let error, let rights): return receive(rights, error)
        case .certificate(let certificate):
            self.certificate = certificate
            return askConsent()
        // An app that cannot show the rights has no card to ask for.
        default: return state == .accepted ? dialogue.receive(event) ?? [] : []
        }
    }

    private mutating func receive(_ rights: AccessRights?, _ error: String?) -> [FlowAction] {
        guard let rights else { return [.report("onAccessRights without rights"), .cancel] }
        self.rights = rights
        guard isGranting else { return certificate == nil ? [.getCertificate] : askConsent() }
        isGranting = false
        guard error == nil else { return askConsent() }
        return accept()
    }

    private func askConsent() -> [FlowAction] {
        guard state == .running, let rights, let certificate else { return [] }
        return [.show(.askConsent(rights, certificate))]
    }

    private mutating func end(_ result: AuthResult) -> [FlowAction] {
        state = .ended
        dialogue.forget()
        if result.result?.major == AuthMessage.Outcome.ok { return [.show(.isAuthenticated(result.url))] }
        if isCancelled || result.result?.minor == AuthMessage.Outcome.cancelledByUser {
            return [.show(.isCancelled(result.url))]
        }
        return [.show(.hasFailed(result.result?.message ?? result.result?.description, result.url))]
    }
}
