internal import EIDInterface

/// What both flows have in common: they ask for PIN, CAN and PUK, and say what is wrong with a card.
///
/// The cardholder enters the PIN first, and then presents the card once. A PIN is sent when the AusweisApp asks for it, and is
/// forgotten then: a wrong one is never sent twice.
struct CardDialogue: Sendable {
    enum Question: Sendable, Equatable {
        case pin, newPIN, can, puk
    }

    /// What the cardholder sees, and has not entered yet.
    private var asked: Question?
    /// What the AusweisApp waits for.
    private var required: Question?
    private var pin: CardSecret?
    private var newPIN: CardSecret?
    /// Whether a CAN was sent already. Then the same question again says that it was wrong.
    private var hasSentCAN = false
    private var hasSentPUK = false

    /// Asks for the PIN before any card.
    mutating func askFirst(_ question: Question) -> [FlowAction] {
        asked = question
        switch question {
        case .newPIN: return [.show(.askNewPIN(error: nil))]
        default: return [.show(.askPIN(tries: nil, error: nil))]
        }
    }

    /// The cardholder has entered something.
    mutating func enter(_ question: Question, _ value: CardSecret) -> [FlowAction] {
        guard asked == question else { return [] }
        asked = nil
        guard required == question else {
            keep(question, value)
            return [.show(.presentCard)]
        }
        return send(question, value)
    }

    /// Keeps what the cardholder enters before the AusweisApp asks for it.
    private mutating func keep(_ question: Question, _ value: CardSecret) {
        switch question {
        case .pin: pin = value
        case .newPIN: newPIN = value
        case .can, .puk: break
        }
    }

    private mutating func send(_ question: Question, _ value: CardSecret?) -> [FlowAction] {
        required = nil
        let working = FlowAction.show(value == nil ? .useKeypad : .working(progress: nil))
        switch question {
        case .pin: return [.setPin(value), working]
        case .newPIN: return [.setNewPin(value), working]
        case .can:
            hasSentCAN = true
            return [.setCan(value), working]
        case .puk:
            hasSentPUK = true
            return [.setPuk(value), working]
        }
    }

    /// Forgets everything that the cardholder has entered.
    mutating func forget() {
        self = CardDialogue()
    }
}

// MARK: Events

extension CardDialogue {
    /// - Returns: nil if the event is not about cards.
    mutating func receive(_ event: WorkflowEvent) -> [FlowAction]? {
        switch event {
        case .enterPin(let error, let reader):
            (hasSentCAN, hasSentPUK) = (false, false)
            return require(.pin, error, reader)
        case .enterNewPin(let error, let reader): return require(.newPIN, error, reader)
        case .enterCan(let error, let reader):
            pin = nil
            return require(.can, error, reader)
        case .enterPuk(let error, let reader):
            pin = nil
            guard reader.card?.inoperative != true else { return [.show(.cardIsInoperative), .cancel] }
            return require(.puk, error, reader)
        // While the cardholder enters something, no card is needed.
        case .insertCard: return asked == nil ? [.show(.presentCard)] : []
        case .reader(let reader): return describe(reader?.card)
        case .readerList(let readers): return Array((readers ?? []).flatMap { describe($0.card) }.prefix(1))
        case .pause: return [.show(.holdCardStill)]
        case .status(let status):
            return asked == nil && required == nil ? [.show(.working(progress: status.progress))] : []
        default: return nil
        }
    }

    /// Answers at once if the cardholder has entered it already, or asks.
    private mutating func require(_ question: Question, _ error: String?, _ reader: Reader) -> [FlowAction] {
        required = question
        guard !reader.keypad else { return send(question, nil) }
        if error == nil, let value = taken(question) { return send(question, value) }
        asked = question
        return [.interrupt, .show(screen(question, error, tries: reader.card?.pinRetryCounter))]
    }

    private mutating func taken(_ question: Question) -> CardSecret? {
        switch question {
        case .pin:
            defer { pin = nil }
            return pin
        case .newPIN:
            defer { newPIN = nil }
            return newPIN
        case .can, .puk: return nil
        }
    }

    private func screen(_ question: Question, _ error: String?, tries: Int?) -> FlowScreen {
        switch question {
        case .pin: .askPIN(tries: tries, error: error)
        case .newPIN: .askNewPIN(error: error)
        case .can: .askCAN(wasWrong: hasSentCAN && error == nil, tries: tries, error: error)
        case .puk: .askPUK(wasWrong: hasSentPUK && error == nil, error: error)
        }
    }

    private func describe(_ card: Card?) -> [FlowAction] {
        guard let card else { return [] }
        if card.isUnknown() { return [.show(.cardIsUnknown)] }
        if card.deactivated == true { return [.show(.cardIsDeactivated)] }
        return card.inoperative == true ? [.show(.cardIsInoperative)] : []
    }
}

extension WorkflowEvent {
    /// What a flow does with faults that should never occur: it reports them, and ends a workflow that cannot go on.
    var faultActions: [FlowAction]? {
        switch self {
        case .authenticationStartFailed(let error):
            [.report("onAuthenticationStartFailed: \(error)"), .show(.hasFailed(error, nil))]
        case .wrapperError(let error):
            [.report("onWrapperError: \(error.msg): \(error.error)"), .cancel, .show(.hasFailed(error.error, nil))]
        case .badState(let error): [.report("onBadState: \(error)")]
        case .internalError(let error):
            [.report("onInternalError: \(error)"), .cancel, .show(.hasFailed(error, nil))]
        default: nil
        }
    }
}
