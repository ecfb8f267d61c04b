import Foundation
import Testing

@testable import EIDInterface
@testable import EIDWorkflow

extension FlowAction {
    /// The name without values.
    fileprivate var name: String {
        switch self {
        case .show(let screen): "\(screen)".prefix { $0 != "(" }.description
        case .report: "report"
        case .send(.setPIN(nil)): "SET_PIN nil"
        case .send(let command): command.name.rawValue
        }
    }

    fileprivate var screen: FlowScreen? {
        if case .show(let screen) = self { screen } else { nil }
    }
}

private func reader(
    _ tries: Int?, inoperative: Bool? = false, deactivated: Bool? = false, keypad: Bool = false
) -> Reader {
    Reader(
        name: "NFC", insertable: false, attached: true, keypad: keypad,
        card: Card(inoperative: inoperative, deactivated: deactivated, retryCounter: tries))
}

private func secret(_ digits: String) throws -> CardSecret { try #require(CardSecret(digits: digits)) }

@Suite("The flow of a PIN change")
struct PINChangeTests {
    /// A PIN change in which the cardholder has entered both PINs.
    private func entered() throws -> PINChange {
        var flow = PINChange()
        _ = flow.begin()
        _ = flow.enterPIN(try secret("12345"))
        _ = flow.enterNewPIN(try secret("123456"))
        _ = flow.receive(.message(.changePIN(.started)))
        return flow
    }

    @Test("Both PINs are entered before the card, which is presented once")
    func happy() throws {
        var flow = PINChange()
        #expect(flow.begin().map(\.name) == ["askPIN"])
        #expect(flow.enterPIN(try secret("12345")).map(\.name) == ["askNewPIN"])
        #expect(flow.enterNewPIN(try secret("123456")).map(\.name) == ["RUN_CHANGE_PIN", "presentCard"])
        #expect(flow.receive(.message(.changePIN(.started))).map(\.name) == ["GET_READER_LIST"])
        #expect(flow.receive(.message(.insertCard(error: nil))).map(\.name) == ["presentCard"])
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(3))))).map(\.name) == ["SET_PIN", "working"])
        #expect(
            flow.receive(.message(.enterNewPIN(EnterMessage(reader: reader(3))))).map(\.name) == [
                "SET_NEW_PIN", "working",
            ])
        let end = WorkflowEvent.message(.changePIN(.finished(success: true, reason: nil)))
        #expect(flow.receive(end).map(\.screen) == [.pinIsChanged])
        #expect(flow.receive(end).isEmpty)
    }

    @Test("A wrong PIN is not sent twice; the screen says how many tries are left")
    func wrongPIN() throws {
        var flow = try entered()
        _ = flow.receive(.message(.enterPIN(EnterMessage(reader: reader(3)))))
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(2))))).compactMap(\.screen) == [
                .askPIN(tries: 2, error: nil)
            ])
        #expect(flow.receive(.message(.insertCard(error: nil))).isEmpty)
        #expect(flow.enterPIN(try secret("00000")).map(\.name) == ["SET_PIN", "working"])
        #expect(
            flow.receive(.message(.enterCAN(EnterMessage(reader: reader(1))))).compactMap(\.screen)
                == [.askCAN(wasWrong: false, tries: 1, error: nil)])
        #expect(flow.enterCAN(try secret("111111")).map(\.name) == ["SET_CAN", "working"])
        #expect(
            flow.receive(.message(.enterCAN(EnterMessage(reader: reader(1))))).compactMap(\.screen)
                == [.askCAN(wasWrong: true, tries: 1, error: nil)])
        _ = flow.enterCAN(try secret("654321"))
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(1))))).compactMap(\.screen) == [
                .askPIN(tries: 1, error: nil)
            ])
        #expect(flow.enterPIN(try secret("12345")).map(\.name) == ["SET_PIN", "working"])
        #expect(
            flow.receive(.message(.enterNewPIN(EnterMessage(reader: reader(3))))).map(\.name) == [
                "SET_NEW_PIN", "working",
            ])
    }

    @Test("With one try left a PIN that waits is not used for it: the cardholder decides")
    func lastTry() throws {
        var flow = try entered()
        _ = flow.receive(.message(.enterCAN(EnterMessage(reader: reader(1)))))
        _ = flow.enterCAN(try secret("654321"))
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(1))))).compactMap(\.screen) == [
                .askPIN(tries: 1, error: nil)
            ])
    }

    @Test("Without a try the PUK is asked for; an inoperative card ends it")
    func puk() throws {
        var flow = try entered()
        #expect(
            flow.receive(.message(.enterPUK(EnterMessage(reader: reader(0))))).compactMap(\.screen) == [
                .askPUK(wasWrong: false, error: nil)
            ])
        #expect(flow.enterPUK(try secret("1234567890")).map(\.name) == ["SET_PUK", "working"])
        #expect(
            flow.receive(.message(.enterPUK(EnterMessage(reader: reader(0, inoperative: true))))).map(\.name)
                == ["cardIsInoperative", "CANCEL"])
    }

    @Test("A reader with a keypad gets nil")
    func keypad() throws {
        var flow = try entered()
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(3, keypad: true))))).map(\.name) == [
                "SET_PIN nil", "useKeypad",
            ])
    }

    @Test("Cards that cannot be used are named")
    func cards() throws {
        var flow = try entered()
        #expect(flow.receive(.message(.reader(reader(3, deactivated: true)))).map(\.screen) == [.cardIsDeactivated])
        #expect(
            flow.receive(.message(.reader(reader(nil, inoperative: nil, deactivated: nil)))).map(\.screen) == [
                .cardIsUnknown
            ])
        #expect(flow.receive(.message(.reader(reader(3)))).isEmpty)
        #expect(flow.receive(.message(.pause(cause: "BadCardPosition"))).map(\.screen) == [.holdCardStill])
        #expect(flow.goOn().map(\.name) == ["CONTINUE", "working"])
    }

    @Test("A card that is there already and cannot be used is named, though the AusweisApp says nothing of it")
    func waitingCard() throws {
        var flow = try entered()
        let readers = [reader(3), reader(3, deactivated: true)]
        #expect(flow.receive(.message(.readerList(readers))).map(\.screen) == [.cardIsDeactivated])
        #expect(flow.receive(.message(.readerList([reader(3)]))).isEmpty)
    }

    @Test("The cardholder can end it before and in the workflow")
    func cancel() throws {
        var early = PINChange()
        _ = early.begin()
        #expect(early.cancel().map(\.screen) == [.isCancelled(nil)])
        #expect(try early.enterPIN(secret("12345")).isEmpty)
        var flow = try entered()
        #expect(flow.cancel().map(\.name) == ["CANCEL"])
        #expect(flow.receive(.message(.enterPIN(EnterMessage(reader: reader(3))))).isEmpty)
        let end = WorkflowEvent.message(.changePIN(.finished(success: false, reason: nil)))
        #expect(flow.receive(end).map(\.screen) == [.isCancelled(nil)])
    }

    @Test("Faults are reported")
    func faults() throws {
        for event in [
            WorkflowEvent.wrapperError(WrapperError(msg: "x", error: "y")), .message(.internalError("x")),
        ] {
            var flow = try entered()
            #expect(flow.receive(event).map(\.name) == ["report", "CANCEL", "hasFailed"])
        }
        var flow = try entered()
        #expect(flow.receive(.message(.badState(command: "SET_PIN"))).map(\.name) == ["report"])
    }
}

@Suite("The flow of an authentication")
struct AuthenticationTests {
    private let rights = AccessRights(
        chat: .init(effective: [.FamilyName, .GivenNames], optional: [.GivenNames], required: [.FamilyName]))
    private let certificate = CertificateDescription(
        description: .init(
            issuerName: "i", issuerUrl: "", subjectName: "s", subjectUrl: "", termsOfUsage: "t", purpose: "p"),
        validity: .init(effectiveDate: .distantPast, expirationDate: .distantFuture))

    /// An authentication that asks for consent.
    private func asking() throws -> Authentication {
        var flow = Authentication(tcTokenURL: try #require(URL(string: "https://service.example/token")))
        #expect(flow.begin().map(\.name) == ["RUN_AUTH", "working"])
        _ = flow.receive(.message(.auth(.started)))
        #expect(flow.receive(.message(.accessRights(rights))).map(\.name) == ["GET_CERTIFICATE"])
        #expect(flow.receive(.message(.certificate(certificate))).map(\.screen) == [.askConsent(rights, certificate)])
        return flow
    }

    private func result(_ major: String, minor: String? = nil) -> WorkflowEvent {
        .message(.auth(.finished(AuthResultData(major: major, minor: minor, message: "m"), url: nil)))
    }

    @Test("Consent, PIN, card: the first request for a card is ignored, and the PIN is sent at once")
    func happy() throws {
        var flow = try asking()
        #expect(flow.consent(to: [.GivenNames]).map(\.name) == ["ACCEPT", "askPIN"])
        #expect(flow.receive(.message(.insertCard(error: nil))).isEmpty)
        #expect(flow.enterPIN(try secret("123456")).map(\.name) == ["presentCard"])
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(3))))).map(\.name) == ["SET_PIN", "working"])
        #expect(flow.receive(result(AuthMessage.Outcome.ok)).map(\.screen) == [.isAuthenticated(nil)])
    }

    @Test("If the card is there already, the PIN is sent when it is entered")
    func cardFirst() throws {
        var flow = try asking()
        _ = flow.consent(to: [.GivenNames])
        #expect(
            flow.receive(.message(.enterPIN(EnterMessage(reader: reader(2))))).compactMap(\.screen) == [
                .askPIN(tries: 2, error: nil)
            ])
        #expect(flow.enterPIN(try secret("123456")).map(\.name) == ["SET_PIN", "working"])
    }

    @Test("Refused optional rights are told to the service before the consent")
    func optional() throws {
        var flow = try asking()
        #expect(flow.consent(to: []).map(\.name) == ["SET_ACCESS_RIGHTS"])
        let fewer = AccessRights(
            chat: .init(effective: [.FamilyName], optional: [.GivenNames], required: [.FamilyName]))
        #expect(flow.receive(.message(.accessRights(fewer))).map(\.name) == ["ACCEPT", "askPIN"])
    }

    @Test("Without consent nothing is accepted")
    func noConsent() throws {
        var flow = Authentication(tcTokenURL: try #require(URL(string: "https://service.example/token")))
        _ = flow.begin()
        #expect(flow.consent(to: []).isEmpty)
        _ = flow.receive(.message(.accessRights(rights)))
        #expect(flow.consent(to: []).isEmpty)
    }

    @Test("A transport PIN ends it first")
    func transportPIN() throws {
        var flow = try asking()
        _ = flow.consent(to: [.GivenNames])
        #expect(flow.cancel().map(\.name) == ["CANCEL"])
        let cancelled = result(AuthMessage.Outcome.failed, minor: AuthMessage.Outcome.cancelledByUser)
        #expect(flow.receive(cancelled).map(\.screen) == [.isCancelled(nil)])
    }

    @Test("A failure says what the AusweisApp says")
    func failure() throws {
        var flow = try asking()
        #expect(flow.receive(result(AuthMessage.Outcome.failed)).map(\.screen) == [.hasFailed("m", nil)])
        var refused = Authentication(tcTokenURL: try #require(URL(string: "https://service.example/token")))
        _ = refused.begin()
        #expect(
            refused.receive(.message(.auth(.refused(error: "x")))).map(\.name) == ["report", "hasFailed"])
    }

    @Test("Every right has a text of its own in both languages")
    func texts() {
        let texts = AccessRight.allCases.map(AccessRightText.init)
        #expect(Set(texts.map(\.german)).count == 24)
        #expect(Set(texts.map(\.english)).count == 24)
        #expect(texts.allSatisfy { !$0.german.isEmpty && !$0.english.isEmpty })
    }

    @Test("The texts are those of the AusweisApp")
    func officialTexts() {
        let official: [(AccessRight, german: String, english: String)] = [
            (.BirthName, "Geburtsname", "Birth name"), (.DocumentType, "Dokumentenart", "Document type"),
            (.ArtisticName, "Ordens- / Künstlername", "Religious / artistic name"),
            (.CommunityID, "Wohnort-ID", "Community-ID"), (.CanAllowed, "CAN erlaubt", "CAN allowed"),
            (.PinManagement, "PIN-Verwaltung", "PIN Management"),
        ]
        for (right, german, english) in official {
            #expect(AccessRightText(right).german == german)
            #expect(AccessRightText(right).english == english)
        }
    }
}

@Suite("Flows with a controller and a kernel", .timeLimit(.minutes(15)))
@MainActor
struct FlowRunTests {
    /// Follows a flow until its last screen; what the cardholder does on a screen is in `answer`.
    private func screens(
        _ scenario: String, _ receive: (WorkflowEvent) -> [FlowAction], begin: () -> [FlowAction],
        answer: (FlowScreen) -> [FlowAction]
    ) async throws -> [String] {
        let stage = try Stage(scenario)
        let events = stage.controller.events()
        stage.controller.start()
        var screens: [String] = []
        for await event in events {
            var waiting = event == .started ? begin() : receive(event)
            while !waiting.isEmpty {
                let action = waiting.removeFirst()
                stage.controller.perform(action)
                guard let screen = action.screen else { continue }
                if screens.last != action.name { screens.append(action.name) }
                waiting += answer(screen)
            }
            if let last = screens.last, ["pinIsChanged", "isAuthenticated", "isCancelled", "hasFailed"].contains(last) {
                return screens
            }
        }
        return screens
    }

    @Test("A PIN change with a wrong transport PIN, the CAN, and the right one")
    func pinChange() async throws {
        var flow = PINChange()
        var pins = ["00000", "00001", "12345"]
        let screens = try await screens(
            #"{"levels":[1],"cards":{"c":{"pin":"12345"}},"readers":[{"name":"NFC","card":"c"}]}"#,
            { flow.receive($0) }, begin: { flow.begin() },
            answer: { screen in
                switch screen {
                case .askPIN: CardSecret(digits: pins.removeFirst()).map { flow.enterPIN($0) } ?? []
                case .askNewPIN: CardSecret(digits: "111111").map { flow.enterNewPIN($0) } ?? []
                case .askCAN: CardSecret(digits: "654321").map { flow.enterCAN($0) } ?? []
                default: []
                }
            })
        #expect(
            screens == [
                "askPIN", "askNewPIN", "presentCard", "working", "askPIN", "working", "askCAN", "working", "askPIN",
                "working", "pinIsChanged",
            ])
    }

    @Test("An authentication, for which the card comes after the PIN")
    func authentication() async throws {
        var flow = Authentication(tcTokenURL: try #require(URL(string: "https://service.example/token")))
        let screens = try await screens(
            #"{"levels":[1],"readers":[{"name":"NFC"}],"events":[{"after":"INSERT_CARD","do":"#
                + #"[{"action":"insert","reader":"NFC","card":"default"}]}]}"#,
            { flow.receive($0) }, begin: { flow.begin() },
            answer: { screen in
                switch screen {
                case .askConsent: flow.consent(to: [])
                case .askPIN: CardSecret(digits: "123456").map { flow.enterPIN($0) } ?? []
                default: []
                }
            })
        #expect(screens == ["working", "askConsent", "askPIN", "presentCard", "working", "isAuthenticated"])
    }
}
