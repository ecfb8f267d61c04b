import Foundation
import Testing

@testable import EIDInterface

@Suite("Sessions")
struct SessionTests {
    private let nfc = ReaderMessage(
        name: "NFC", card: CardMessage(inoperative: false, deactivated: false, retryCounter: 3))

    private func command(_ example: String) throws -> Command {
        struct Example: Decodable {
            let cmd: String
            let value: String?
            let tcTokenURL: URL?
            let chat: [AccessRight]?
        }
        let example = try JSONDecoder().decode(Example.self, from: Data(example.utf8))
        let secret = try example.value.map { try CommandTests.secret($0) }
        switch try #require(Command.Name(rawValue: example.cmd)) {
        case .runAuth: return .runAuth(RunAuth(tcTokenURL: try #require(example.tcTokenURL)))
        case .runChangePIN: return .runChangePIN(RunChangePIN())
        case .accept: return .accept
        case .cancel: return .cancel
        case .setAccessRights: return .setAccessRights(try #require(example.chat))
        case .setPIN: return .setPIN(secret)
        case .setNewPIN: return .setNewPIN(secret)
        case .setCAN: return .setCAN(secret)
        default: throw Unexpected()
        }
    }

    private func session(_ workflow: Session.Workflow, level: APILevel = .three) throws -> Session {
        var session = Session(level: level)
        let url = try #require(URL(string: "https://service.example/token"))
        try session.send(
            workflow == .authentication ? .runAuth(RunAuth(tcTokenURL: url)) : .runChangePIN(RunChangePIN()))
        return session
    }

    /// A session that waits for this.
    private func session(_ workflow: Session.Workflow, at message: Message) throws -> Session {
        var session = try session(workflow)
        #expect(session.receive(workflow == .authentication ? .auth(.started) : .changePIN(.started)) == true)
        #expect(session.receive(message) == true)
        return session
    }

    private var rights: Message {
        .accessRights(AccessRightsMessage(chat: .init(effective: [], optional: [], required: [])))
    }

    @Test("The workflows of document 000, chapter 7, are allowed from beginning to end", arguments: 0..<5)
    func workflows(_ index: Int) throws {
        var session = Session(level: .one)
        for text in DocumentExamples.workflows[index].texts {
            if text.contains(#""cmd""#) {
                try session.send(try command(text))
            } else {
                #expect(session.receive(try Message(text)) == true, "\(text)")
            }
        }
        #expect(session.state == .idle)
    }

    @Test("Each command is allowed in its states, and refused in all others")
    func allowed() throws {
        let states: [(String, Session)] = [
            ("idle", Session(level: .three)),
            ("starting", try session(.pinChange)),
            ("rights", try session(.authentication, at: rights)),
            ("card", try session(.authentication, at: .insertCard(error: nil))),
            ("pin", try session(.pinChange, at: .enterPIN(EnterMessage(reader: nfc)))),
            ("newPIN", try session(.pinChange, at: .enterNewPIN(EnterMessage(reader: nfc)))),
            ("can", try session(.pinChange, at: .enterCAN(EnterMessage(reader: nfc)))),
            ("puk", try session(.pinChange, at: .enterPUK(EnterMessage(reader: nfc)))),
            ("pause", try session(.pinChange, at: .pause(cause: "BadCardPosition"))),
        ]
        let url = try #require(URL(string: "https://service.example/token"))
        let all = Set(states.map(\.0))
        let running = all.subtracting(["idle"])
        let six = try CommandTests.secret("123456")
        let commands: [(Command, Set<String>)] = [
            (.getInfo, all), (.getAPILevel, all), (.setAPILevel(3), all), (.getReader(name: "NFC"), all),
            (.getReaderList, all), (.getStatus, all),
            (.runAuth(RunAuth(tcTokenURL: url)), ["idle"]), (.runChangePIN(RunChangePIN()), ["idle"]),
            (.getAccessRights, ["rights"]), (.setAccessRights([]), ["rights"]), (.getCertificate, ["rights"]),
            (.accept, ["rights"]), (.cancel, running), (.interrupt, ["pin", "newPIN", "can", "puk"]),
            (.setPIN(six), ["pin"]), (.setNewPIN(six), ["newPIN"]), (.setCAN(six), ["can"]),
            (.setPUK(try CommandTests.secret("1234567890")), ["puk"]), (.setCard(name: "NFC", nil), ["card"]),
            (.continueWorkflow, ["pause"]),
        ]
        #expect(Set(commands.map(\.0.name)) == Set(Command.Name.allCases))
        for (command, allowed) in commands {
            for (name, session) in states {
                var session = session
                if allowed.contains(name) {
                    #expect(throws: Never.self, "\(command.name) at \(name)") { try session.send(command) }
                } else {
                    #expect(throws: Session.Refusal.badState, "\(command.name) at \(name)") {
                        try session.send(command)
                    }
                }
            }
        }
    }

    @Test("A level refuses the commands and parameters of others")
    func levels() throws {
        var first = Session(level: .one)
        var second = Session(level: .two)
        #expect(throws: Session.Refusal.level) { try first.send(.getStatus) }
        #expect(throws: Session.Refusal.level) { try second.send(.continueWorkflow) }
        #expect(throws: Session.Refusal.level) { try first.send(.runChangePIN(RunChangePIN(status: true))) }
        #expect(throws: Session.Refusal.level) { try second.send(.runChangePIN(RunChangePIN(handleInterrupt: true))) }
        #expect(throws: Session.Refusal.level) { try second.send(.setAPILevel(1)) }
    }

    @Test("A value of the wrong form is refused with the words of the AusweisApp, and can be entered again")
    func values() throws {
        var change = try session(.pinChange, at: .enterPIN(EnterMessage(reader: nfc)))
        var authentication = try session(.authentication, at: .enterPIN(EnterMessage(reader: nfc)))
        let (four, five) = (try CommandTests.secret("1234"), try CommandTests.secret("12345"))
        #expect(throws: Session.Refusal.value("You must provide 5 - 6 digits")) { try change.send(.setPIN(four)) }
        #expect(throws: Session.Refusal.value("You must provide 6 digits")) { try authentication.send(.setPIN(five)) }
        #expect(throws: Session.Refusal.value("Value cannot be undefined")) { try change.send(.setPIN(nil)) }
        try change.send(.setPIN(five))
        var keypad = try session(
            .pinChange, at: .enterPIN(EnterMessage(reader: ReaderMessage(name: "Comfort", keypad: true))))
        #expect(throws: Session.Refusal.value("Value cannot be defined")) { try keypad.send(.setPIN(five)) }
        try keypad.send(.setPIN(nil))
    }

    @Test("Late, repeated and misplaced messages mean nothing")
    func late() throws {
        var idle = Session(level: .three)
        for message in [
            Message.auth(.started), .auth(.finished(nil, url: nil)), .auth(.refused(error: "x")), .changePIN(.started),
            .changePIN(.finished(success: true, reason: nil)), .enterPIN(EnterMessage(reader: nfc)),
            .insertCard(error: nil), .pause(cause: "x"), rights, .unknown(name: "LOG"),
        ] {
            #expect(idle.receive(message) == false, "\(message)")
            #expect(idle.state == .idle)
        }
        var change = try session(.pinChange, at: .enterPIN(EnterMessage(reader: nfc)))
        #expect(change.receive(.changePIN(.started)) == false)
        #expect(change.receive(.auth(.finished(nil, url: nil))) == false)
        #expect(change.receive(rights) == false)
        #expect(change.state.prompt == .enterPIN(EnterMessage(reader: nfc)))
        var authentication = try session(.authentication, at: rights)
        #expect(authentication.receive(.enterNewPIN(EnterMessage(reader: nfc))) == false)
        #expect(authentication.receive(.insertCard(error: nil)) == false)
        try authentication.send(.accept)
        #expect(authentication.receive(rights) == false)
    }

    @Test("After CANCEL nothing is asked any longer, and the end still comes")
    func cancelled() throws {
        var session = try session(.pinChange, at: .enterPIN(EnterMessage(reader: nfc)))
        try session.send(.cancel)
        #expect(session.receive(.enterPIN(EnterMessage(reader: nfc))) == false)
        #expect(session.receive(.changePIN(.finished(success: false, reason: nil))) == true)
        #expect(session.state == .idle)
    }

    @Test("A command that the AusweisApp did not take leaves the state before it")
    func takenBack() throws {
        var session = try session(.authentication, at: rights)
        try session.send(.accept)
        #expect(session.receive(.badState(command: "ACCEPT")) == true)
        #expect(session.state == .waiting(.authentication, rights))
        try session.send(.cancel)
        #expect(session.receive(.badState(command: "CANCEL")) == true)
        #expect(session.state == .idle)
    }

    @Test("Only what the cardholder and the card need may last for ever")
    func patience() throws {
        #expect(Session(level: .one).patienceSeconds == nil)
        #expect(try session(.pinChange).patienceSeconds == SessionLimits.startSeconds)
        var session = try session(.pinChange, at: .enterPIN(EnterMessage(reader: nfc)))
        #expect(session.patienceSeconds == nil)
        try session.send(.setPIN(try CommandTests.secret("12345")))
        #expect(session.patienceSeconds == SessionLimits.workSeconds)
        try session.send(.cancel)
        #expect(session.patienceSeconds == SessionLimits.cancelSeconds)
    }

    @Test("No order of messages and commands leaves a session without a way to its end")
    func anyOrder() throws {
        var generator = SystemRandomNumberGenerator()
        let messages = try (DocumentExamples.messages + DocumentExamples.workflows.flatMap(\.texts))
            .filter { $0.contains(#""msg""#) }.map { try Message($0) }
        for _ in 0..<500 {
            var session = try session(Bool.random() ? .authentication : .pinChange)
            for _ in 0..<20 {
                if let message = messages.randomElement(using: &generator) { _ = session.receive(message) }
                if Bool.random(), let secret = CardSecret(digits: "123456") { try? session.send(.setPIN(secret)) }
            }
            guard let workflow = session.state.workflow else { continue }
            if session.patienceSeconds == nil { try session.send(.cancel) }
            #expect(session.patienceSeconds != nil)
            _ = session.receive(
                workflow == .authentication
                    ? .auth(.finished(nil, url: nil)) : .changePIN(.finished(success: false, reason: nil)))
            #expect(session.state == .idle)
        }
    }
}

@Suite("Negotiation of the level")
struct LevelNegotiationTests {
    private func agreed(_ step: LevelNegotiation.Step?) -> APILevel? {
        if case .agreed(let level) = step { level } else { nil }
    }

    private func command(_ step: LevelNegotiation.Step?) -> String? {
        if case .send(let command) = step { command.text.string } else { nil }
    }

    @Test("The highest common level is set", arguments: [([1], 1), ([1, 2], 2), ([1, 2, 3], 3), ([1, 2, 3, 4], 3)])
    func highest(_ available: [Int], _ level: Int) {
        var negotiation = LevelNegotiation()
        #expect(negotiation.first.text.string == #"{"cmd":"GET_API_LEVEL"}"#)
        let step = negotiation.receive(APILevelMessage(available: available, current: available.last ?? 0))
        #expect(command(step) == #"{"cmd":"SET_API_LEVEL","level":\#(level)}"#)
        #expect(agreed(negotiation.receive(APILevelMessage(current: level))) == APILevel(rawValue: level))
        #expect(negotiation.receive(APILevelMessage(current: level)) == nil)
    }

    @Test("Without a common level it fails")
    func none() {
        var negotiation = LevelNegotiation(supported: [.three])
        guard case .failed = negotiation.receive(APILevelMessage(available: [1, 2], current: 2)) else {
            Issue.record("it must fail")
            return
        }
    }

    @Test("It fails if the AusweisApp does not take the level")
    func refused() {
        var negotiation = LevelNegotiation()
        _ = negotiation.receive(APILevelMessage(available: [1, 2, 3], current: 3))
        guard case .failed = negotiation.receive(APILevelMessage(error: "Unknown level", current: 3)) else {
            Issue.record("it must fail")
            return
        }
    }
}
