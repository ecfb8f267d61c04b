public import EIDInterface

/// A PIN change as document 001 recommends it, as a state machine that an app's screens can follow. The transport PIN is
/// entered like any other PIN.
///
/// The PIN, the new PIN, and then the card: once, if the PIN is right.
public struct PINChange: Sendable {
    private enum State: Sendable {
        case entering, running, ended
    }

    private var state = State.entering
    private var isCancelled = false
    private var dialogue = CardDialogue()

    /// A PIN change that has not begun yet.
    public init() {}

    /// The cardholder wants to change the PIN.
    public mutating func begin() -> [FlowAction] { dialogue.askFirst(.pin) }

    /// The cardholder has entered the PIN or the transport PIN.
    public mutating func enterPIN(_ pin: CardSecret) -> [FlowAction] {
        guard case .entering = state else { return dialogue.enter(.pin, pin) }
        guard !dialogue.enter(.pin, pin).isEmpty else { return [] }
        return dialogue.askFirst(.newPIN)
    }

    /// The cardholder has entered the PIN that the card will have.
    public mutating func enterNewPIN(_ pin: CardSecret) -> [FlowAction] {
        let actions = dialogue.enter(.newPIN, pin)
        guard case .entering = state, !actions.isEmpty else { return actions }
        state = .running
        return [.send(.runChangePIN(RunChangePIN()))] + actions
    }

    /// The cardholder has entered the CAN.
    public mutating func enterCAN(_ can: CardSecret) -> [FlowAction] { dialogue.enter(.can, can) }

    /// The cardholder has entered the PUK.
    public mutating func enterPUK(_ puk: CardSecret) -> [FlowAction] { dialogue.enter(.puk, puk) }

    /// The cardholder has moved the card.
    public mutating func goOn() -> [FlowAction] { [.send(.continueWorkflow), .show(.working(progress: nil))] }

    /// The cardholder ends the PIN change.
    public mutating func cancel() -> [FlowAction] {
        defer { dialogue.forget() }
        isCancelled = true
        guard case .running = state else {
            state = .ended
            return [.show(.isCancelled(nil))]
        }
        return [.send(.cancel)]
    }

    /// Takes an event of the controller.
    public mutating func receive(_ event: WorkflowEvent) -> [FlowAction] {
        guard case .running = state else { return [] }
        if let actions = event.faultActions {
            dialogue.forget()
            if case .message(.badState) = event { return actions }
            state = .ended
            return actions
        }
        switch event {
        case .message(.changePIN(.finished(let success, let reason))):
            state = .ended
            dialogue.forget()
            if success { return [.show(.pinIsChanged)] }
            return [.show(isCancelled ? .isCancelled(nil) : .hasFailed(reason, nil))]
        // If an unusable card was there before, the AusweisApp waits, and does not name the card again.
        case .message(.changePIN(.started)): return [.send(.getReaderList)]
        case .message(let message) where !isCancelled: return dialogue.receive(message)
        default: return []
        }
    }
}
