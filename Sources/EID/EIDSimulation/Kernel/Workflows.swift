internal import EIDInterface
internal import Foundation
internal import SecureMemory
internal import StrictJSON

// MARK: Beginning and end

extension SimulatedKernel {
    mutating func startAuthentication(_ json: borrowing JSONText) {
        switch json.kind(of: "tcTokenURL") {
        case nil: return send(.auth(.refused(error: "tcTokenURL cannot be undefined")))
        case .string: break
        default: return send(.auth(.refused(error: "Invalid tcTokenURL")))
        }
        guard let url = json.text(of: "tcTokenURL").flatMap({ URL(string: $0) }), url.host?.isEmpty == false else {
            return send(.auth(.refused(error: "Validation of tcTokenURL failed")))
        }
        start(.authentication, json)
        send(.auth(.started))
        progress(0)
        guard !service.failsAtOnce, url.scheme == "https" else {
            progress(80)
            return finish(.unreachable)
        }
        ask(.accessRights)
    }

    mutating func startPINChange(_ json: borrowing JSONText) {
        start(.pinChange, json)
        send(.changePIN(.started))
        progress(0)
        requireCard()
    }

    private mutating func start(_ kind: Session.Workflow, _ json: borrowing JSONText) {
        workflow = Workflow(
            kind: kind, sendsStatus: level >= .two && json.bool("status") != false,
            granted: service.optional)
    }

    mutating func finish(_ end: SimulatedService.End) {
        guard let kind = workflow?.kind else { return }
        sayChange()
        workflow = nil
        switch kind {
        case .authentication: send(.auth(SimulatedService.result(end, hasReasons: hasReasons)))
        case .pinChange:
            let reason = end == .cancelled && hasReasons ? "User_Cancelled" : nil
            send(.changePIN(.finished(success: end == .done, reason: reason)))
        }
    }

    /// STATUS, from level 2 on.
    var status: StatusMessage {
        StatusMessage(
            workflow: workflow?.kind.rawValue, progress: workflow?.progressPercent,
            state: workflow?.prompt?.rawValue)
    }

    private mutating func progress(_ percent: Int) {
        workflow?.progressPercent = percent
        if workflow?.sendsStatus == true { send(.status(status)) }
    }
}

// MARK: Rights

extension SimulatedKernel {
    func accessRights(error: String? = nil) -> AccessRightsMessage {
        let granted = workflow?.granted ?? []
        return AccessRightsMessage(
            error: error, aux: service.auxiliaryData,
            chat: .init(
                effective: service.required + granted, optional: service.optional, required: service.required),
            transactionInfo: service.transactionInfo, canAllowed: service.canAllowed)
    }

    mutating func setAccessRights(_ json: borrowing JSONText) {
        let (rights, error) = chat(json)
        let optional = service.optional
        if let rights { workflow?.granted = optional.filter(rights.contains) }
        send(.accessRights(accessRights(error: error)))
    }

    /// The rights in `chat`, or what is wrong with them.
    private func chat(_ json: borrowing JSONText) -> ([AccessRight]?, error: String?) {
        switch json.kind(of: "chat") {
        case nil: return (nil, "'chat' cannot be undefined")
        case .array: break
        default: return (nil, "Invalid 'chat' data")
        }
        guard !service.optional.isEmpty else { return (nil, "No optional access rights available") }
        guard let names = json.strings("chat") else { return (nil, "Entry in 'chat' data needs to be string") }
        let rights = names.compactMap(AccessRight.init(rawValue:))
        guard rights.count == names.count else { return (nil, "Entry in 'chat' data is invalid") }
        guard rights.allSatisfy(service.optional.contains) else {
            return (nil, "Entry in 'chat' data is not available")
        }
        return (rights, nil)
    }

    mutating func accept() {
        progress(30)
        requireCard()
    }

    /// Whether the service takes the CAN instead of the PIN, and the cardholder has not refused it.
    private var isCANEnough: Bool {
        guard let workflow, workflow.kind == .authentication else { return false }
        return (service.required + workflow.granted).contains(.CanAllowed)
    }
}

// MARK: The card

extension SimulatedKernel {
    /// The reader with a card that a workflow can use; nil if there is none.
    private var cardIndex: Int? { readers.firstIndex { $0.isAttached && $0.card?.isUsable == true } }

    /// Goes on with the card, or waits for one. INSERT_CARD is not sent twice, and not while a deactivated card is there.
    mutating func requireCard() {
        guard let index = cardIndex, let card = readers[index].card else {
            workflow?.waitsForCard = true
            guard workflow?.prompt != .insertCard else { return }
            workflow?.prompt = nil
            if !readers.contains(where: { $0.isAttached && $0.card?.isDeactivated == true }) { ask(.insertCard) }
            return
        }
        workflow?.waitsForCard = false
        if let pending = workflow?.pending {
            workflow?.pending = nil
            takePending(pending.value, for: pending.prompt, index)
        } else {
            ask(nextPrompt(card))
        }
    }

    /// What a card needs next.
    private func nextPrompt(_ card: SimulatedCard) -> Message.Name {
        if isCANEnough { return .enterCAN }
        switch card.tries {
        case 0: return .enterPUK
        case 1: return workflow?.isCANVerified == true ? .enterPIN : .enterCAN
        default: return .enterPIN
        }
    }

    /// Uses what was entered before the card came, unless the card needs something else.
    private mutating func takePending(_ value: CardSecret, for prompt: Message.Name, _ index: Int) {
        guard let card = readers[index].card else { return }
        if prompt == .enterNewPIN {
            guard let pin = workflow?.verifiedPIN, use(index, { $0.verify(pin: pin) }) == true else {
                sayChange()
                return requireCard()
            }
        } else if nextPrompt(card) != prompt {
            return ask(nextPrompt(card))
        }
        take(value, for: prompt, index)
    }

    mutating func ask(_ prompt: Message.Name, error: String? = nil) {
        workflow?.prompt = prompt
        if let cardIndex { workflow?.lastReader = readers[cardIndex].message }
        switch prompt {
        case .accessRights: return send(.accessRights(accessRights(error: error)))
        case .insertCard: return send(.insertCard(error: error))
        default: break
        }
        guard let reader = workflow?.lastReader ?? reader?.message else { return }
        let enter = EnterMessage(error: error, reader: reader)
        switch prompt {
        case .enterPIN: send(.enterPIN(enter))
        case .enterNewPIN: send(.enterNewPIN(enter))
        case .enterCAN: send(.enterCAN(enter))
        case .enterPUK: send(.enterPUK(enter))
        default: break
        }
    }

    /// The reader that the workflow uses.
    private var reader: SimulatedReader? {
        cardIndex.map { readers[$0] } ?? readers.first(where: \.isAttached)
    }

    /// SET_PIN, SET_NEW_PIN, SET_CAN or SET_PUK, when it is expected.
    mutating func enter(_ json: borrowing JSONText) {
        guard let workflow, let prompt = workflow.prompt, let kind = prompt.secret(in: workflow.kind) else {
            return
        }
        let card = cardIndex.flatMap { readers[$0].card }
        let value: CardSecret
        if reader?.hasKeypad == true {
            guard json.kind(of: "value") == nil else { return ask(prompt, error: "Value cannot be defined") }
            guard let card else { return requireCard() }
            value = card.keypadEntry(kind)
        } else {
            guard json.kind(of: "value") != nil else { return ask(prompt, error: "Value cannot be undefined") }
            guard let bytes = json.secret(of: "value") else { return ask(prompt, error: "Invalid value") }
            guard let digits = bytes.withBytes({ CardSecret(ascii: $0) }), digits.fits(kind) else {
                return ask(prompt, error: kind.requirement)
            }
            value = digits
        }
        guard let index = cardIndex else {
            self.workflow?.pending = (prompt, value)
            return requireCard()
        }
        take(value, for: prompt, index)
    }

    private mutating func take(_ value: CardSecret, for prompt: Message.Name, _ index: Int) {
        switch prompt {
        case .enterPIN:
            let isRight = use(index) { $0.verify(pin: value) }
            workflow?.isCANVerified = false
            guard isRight == true else {
                sayChange()
                return requireCard()
            }
            // READER says the new counter at the end.
            workflow?.verifiedPIN = value
            progress(80)
            if workflow?.kind == .pinChange { ask(.enterNewPIN) } else { finish(.done) }
        case .enterNewPIN:
            _ = use(index) { $0.setPIN(value) }
            finish(.done)
        case .enterCAN:
            guard use(index, { $0.verify(can: value) }) == true else { return ask(.enterCAN) }
            guard !isCANEnough else { return finish(.done) }
            workflow?.isCANVerified = true
            requireCard()
        case .enterPUK:
            switch use(index, { $0.unblock(puk: value) }) {
            case .wrong, nil: ask(.enterPUK)
            case .done:
                sayChange()
                requireCard()
            case .exhausted:
                workflow?.changedReader = index
                finish(.failed)
            }
        default: break
        }
    }

    /// Uses a card, and remembers if its state has changed.
    private mutating func use<Result>(_ index: Int, _ body: (inout SimulatedCard) -> Result) -> Result? {
        guard var card = readers[index].card else { return nil }
        let before = card.description
        let result = body(&card)
        readers[index].card = card
        if card.description != before { workflow?.changedReader = index }
        return result
    }

    /// READER tells that a card has changed.
    private mutating func sayChange() {
        guard let index = workflow?.changedReader else { return }
        workflow?.changedReader = nil
        send(.reader(readers[index].message))
    }
}
