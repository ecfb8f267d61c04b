internal import EIDInterface

/// What both flows have in common: they ask for PIN, CAN and PUK, and say what is wrong with a card.
///
/// The cardholder enters the PIN first, and then presents the card once. A PIN is sent when the AusweisApp asks for it, and is
/// forgotten then: a wrong one is never sent twice.
struct CardDialogue: Sendable {
    enum Question: Sendable {
        case pin, newPIN, can, puk
    }

    /// What the cardholder sees, and has not entered yet.
    private var asked: Question?
    /// What the AusweisApp waits for.
    private var required: Question?
    /// What the cardholder has entered before the AusweisApp asks for it.
    private var entered: [Question: CardSecret] = [:]
    /// What was sent since the last question for the PIN. The same question again then says that it was wrong.
    private var sent: Set<Question> = []

    /// Asks for the PIN, or the new one, before any card.
    mutating func askFirst(_ question: Question) -> [FlowAction] {
        asked = question
        return [.show(screen(question, nil, tries: nil))]
    }

    /// The cardholder has entered something.
    mutating func enter(_ question: Question, _ value: CardSecret) -> [FlowAction] {
        guard asked == question else { return [] }
        asked = nil
        if required == question { return send(question, value) }
        entered[question] = value
        return [.show(.presentCard)]
    }

    private mutating func send(_ question: Question, _ value: CardSecret?) -> [FlowAction] {
        required = nil
        sent.insert(question)
        let command: Command =
            switch question {
            case .pin: .setPIN(value)
            case .newPIN: .setNewPIN(value)
            case .can: .setCAN(value)
            case .puk: .setPUK(value)
            }
        return [.send(command), .show(value == nil ? .useKeypad : .working(progress: nil))]
    }

    /// Forgets everything that the cardholder has entered.
    mutating func forget() {
        self = CardDialogue()
    }
}

// MARK: Messages

extension CardDialogue {
    /// Does nothing about messages that are not about cards.
    mutating func receive(_ message: Message) -> [FlowAction] {
        switch message {
        case .enterPIN(let enter):
            sent = []
            return require(.pin, enter)
        case .enterNewPIN(let enter): return require(.newPIN, enter)
        case .enterCAN(let enter):
            entered[.pin] = nil
            return require(.can, enter)
        case .enterPUK(let enter):
            entered[.pin] = nil
            guard enter.reader.card?.inoperative != true else { return [.show(.cardIsInoperative), .send(.cancel)] }
            return require(.puk, enter)
        // While the cardholder enters something, no card is needed.
        case .insertCard: return asked == nil ? [.show(.presentCard)] : []
        case .reader(let reader): return describe(reader.card)
        case .readerList(let readers): return Array(readers.flatMap { describe($0.card) }.prefix(1))
        case .pause: return [.show(.holdCardStill)]
        case .status(let status):
            return asked == nil && required == nil ? [.show(.working(progress: status.progress))] : []
        default: return []
        }
    }

    /// Answers at once if the cardholder has entered it already, or asks.
    private mutating func require(_ question: Question, _ enter: EnterMessage) -> [FlowAction] {
        required = question
        guard !enter.reader.keypad else { return send(question, nil) }
        if enter.error == nil, let value = entered.removeValue(forKey: question) { return send(question, value) }
        asked = question
        return [.send(.interrupt), .show(screen(question, enter.error, tries: enter.reader.card?.retryCounter))]
    }

    private func screen(_ question: Question, _ error: String?, tries: Int?) -> FlowScreen {
        let wasWrong = sent.contains(question) && error == nil
        return switch question {
        case .pin: .askPIN(tries: tries, error: error)
        case .newPIN: .askNewPIN(error: error)
        case .can: .askCAN(wasWrong: wasWrong, tries: tries, error: error)
        case .puk: .askPUK(wasWrong: wasWrong, error: error)
        }
    }

    private func describe(_ card: CardMessage?) -> [FlowAction] {
        guard let card else { return [] }
        if card == .unknown { return [.show(.cardIsUnknown)] }
        if card.deactivated == true { return [.show(.cardIsDeactivated)] }
        return card.inoperative == true ? [.show(.cardIsInoperative)] : []
    }
}

extension WorkflowEvent {
    /// What a flow does with faults that should never occur: it reports them, and ends a workflow that cannot go on.
    var faultActions: [FlowAction]? {
        switch self {
        case .message(.auth(.refused(let error))):
            [.report("onAuthenticationStartFailed: \(error)"), .show(.hasFailed(error, nil))]
        case .wrapperError(let error):
            [
                .report("onWrapperError: \(error.msg): \(error.error)"), .send(.cancel),
                .show(.hasFailed(error.error, nil)),
            ]
        case .message(.badState(let command)): [.report("onBadState: \(command)")]
        case .message(.internalError(let error)):
            [.report("onInternalError: \(error ?? "")"), .send(.cancel), .show(.hasFailed(error, nil))]
        default: nil
        }
    }
}
