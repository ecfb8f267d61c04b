import EIDInterface
import EIDSimulation
import Foundation
import Testing

@testable import EIDWorkflow

/// An app as document 002 has it: nothing of it knows the main actor.
private struct BackgroundApp: Sendable {
    let controller: WorkflowController
    let recorder: Recorder

    func start() {
        // Twice is once.
        controller.registerCallbacks(recorder)
        controller.start()
    }

    func ask(for names: [String]) {
        for name in names { controller.getReader(name: name) }
    }

    func changePIN() {
        controller.startChangePin()
        controller.cancel()
        controller.cancel()
    }

    /// Waits until all is done, because the main queue keeps the order.
    func leave() {
        controller.unregisterCallbacks(recorder)
        controller.stop()
        DispatchQueue.main.sync {}
    }
}

@Suite("WorkflowController", .timeLimit(.minutes(15)))
@MainActor
struct ControllerTests {
    private func service() throws -> URL { try #require(URL(string: "https://service.example/token")) }

    private func enter(_ event: WorkflowEvent) -> EnterMessage? {
        switch event {
        case .message(.enterPIN(let enter)), .message(.enterCAN(let enter)), .message(.enterPUK(let enter)),
            .message(.enterNewPIN(let enter)):
            enter
        default: nil
        }
    }

    private func tries(_ event: WorkflowEvent) -> Int? { enter(event)?.reader.card?.retryCounter }

    private func error(_ event: WorkflowEvent) -> String? {
        switch event {
        case .message(.accessRights(let rights)): rights.error
        case .message(.insertCard(let error)): error
        default: enter(event)?.error
        }
    }

    @Test("Nothing works before start, and everything says so with its command")
    func notStarted() throws {
        let stage = try Stage()
        let controller = stage.controller
        #expect(!controller.isStarted)
        controller.startAuthentication(withTcTokenUrl: try service())
        controller.startChangePin()
        controller.setAccessRights([])
        controller.getAccessRights()
        controller.interrupt()
        controller.setPin("123456")
        controller.setNewPin("123456")
        controller.setPuk("1234567890")
        controller.setCan("123456")
        controller.accept()
        controller.cancel()
        controller.continueWorkflow()
        controller.getCertificate()
        controller.setCard(name: "Simulator")
        controller.getStatus()
        controller.getInfo()
        controller.getReader(name: "Simulator")
        controller.getReaderList()
        let names = [
            "RUN_AUTH", "RUN_CHANGE_PIN", "SET_ACCESS_RIGHTS", "GET_ACCESS_RIGHTS", "INTERRUPT", "SET_PIN",
            "SET_NEW_PIN", "SET_PUK", "SET_CAN", "ACCEPT", "CANCEL", "CONTINUE", "GET_CERTIFICATE", "SET_CARD",
            "GET_STATUS", "GET_INFO", "GET_READER", "GET_READER_LIST",
        ]
        #expect(
            stage.recorder.calls
                == names.map { .wrapperError(WrapperError(msg: $0, error: "AusweisApp2 SDK Wrapper not started")) })
    }

    @Test("An authentication in the order of document 002")
    func authentication() async throws {
        let stage = try Stage(#"{"service":{"required":["FamilyName"],"optional":["GivenNames"]}}"#)
        try await stage.start()
        #expect(stage.controller.isStarted)
        stage.controller.startAuthentication(withTcTokenUrl: try service(), withDeveloperMode: true)
        _ = try await stage.next("authenticationStarted")
        guard case .message(.accessRights(let rights)) = try await stage.next("accessRights") else {
            throw Unexpected()
        }
        #expect(rights.chat.effective == [.FamilyName, .GivenNames])
        stage.controller.getCertificate()
        guard case .message(.certificate(let certificate)) = try await stage.next("certificate") else {
            throw Unexpected()
        }
        #expect(certificate.subjectName.contains("SIMULATION"))
        #expect(certificate.validity.effectiveDate < certificate.validity.expirationDate)
        stage.controller.setAccessRights([.Address])
        #expect(error(try await stage.next("accessRights")) == "Entry in 'chat' data is not available")
        stage.controller.setAccessRights([])
        guard case .message(.accessRights(let fewer)) = try await stage.next("accessRights") else { throw Unexpected() }
        #expect(fewer.chat.effective == [.FamilyName])
        stage.controller.getAccessRights()
        _ = try await stage.next("accessRights")
        stage.controller.accept()
        #expect(tries(try await stage.next("enterPIN")) == 3)
        stage.controller.setPin("12345")
        #expect(error(try await stage.next("enterPIN")) == "You must provide 6 digits")
        stage.controller.setPin("123456")
        guard case .message(.auth(.finished(let outcome, let url))) = try await stage.next("authenticationCompleted")
        else {
            throw Unexpected()
        }
        #expect(outcome?.major == "http://www.bsi.bund.de/ecard/api/1.1/resultmajor#ok")
        #expect(url?.host == "simulation.invalid")
    }

    @Test("A PIN change with wrong PINs, the CAN, and the PUK")
    func changePIN() async throws {
        let stage = try Stage()
        try await stage.start()
        stage.controller.startChangePin()
        _ = try await stage.next("changePinStarted")
        #expect(tries(try await stage.next("enterPIN")) == 3)
        stage.controller.setPin("000000")
        #expect(tries(try await stage.next("enterPIN")) == 2)
        stage.controller.setPin("000000")
        #expect(tries(try await stage.next("enterCAN")) == 1)
        stage.controller.setCan("000000")
        #expect(tries(try await stage.next("enterCAN")) == 1)
        stage.controller.setCan("654321")
        #expect(tries(try await stage.next("enterPIN")) == 1)
        stage.controller.setPin("000000")
        #expect(tries(try await stage.next("enterPUK")) == 0)
        stage.controller.setPuk("123")
        #expect(error(try await stage.next("enterPUK")) == "You must provide 10 digits")
        stage.controller.setPuk("1234567890")
        #expect(tries(try await stage.next("enterPIN")) == 3)
        stage.controller.setPin("123456")
        _ = try await stage.next("enterNewPIN")
        stage.controller.setNewPin("222222")
        #expect(
            try await stage.next("changePinCompleted")
                == .message(.changePIN(.finished(success: true, reason: nil))))
    }

    @Test("A caller that is not on the main actor can use each function, and what it calls is done in its order")
    func otherThread() async throws {
        let stage = try Stage()
        let app = BackgroundApp(controller: stage.controller, recorder: stage.recorder)
        await Task.detached { app.start() }.value
        _ = try await stage.next("started")
        for round in 0..<10 {
            // Fewer than the commands that can wait.
            let names = (0..<40).map { "\(round)-\($0)" }
            await Task.detached { app.ask(for: names) }.value
            for name in names {
                guard case .message(.reader(let reader)) = try await stage.next("reader") else { throw Unexpected() }
                #expect(reader.name == name)
            }
        }
        await Task.detached { app.changePIN() }.value
        // What was called last is told last: each one is refused or answered in its turn.
        _ = try await stage.next("changePinStarted")
        _ = try await stage.next("changePinCompleted")
        #expect(try await stage.next("badState") == .message(.badState(command: "CANCEL")))
        await Task.detached { app.leave() }.value
        #expect(!stage.controller.isStarted)
        let heard = stage.recorder.calls.count
        stage.controller.getInfo()
        #expect(stage.recorder.calls.count == heard, "its callbacks are removed")
    }

    @Test("Questions are answered at any time")
    func questions() async throws {
        let stage = try Stage(#"{"readers":[{"name":"S","insertable":true}]}"#)
        try await stage.start()
        stage.controller.getInfo()
        #expect(try await stage.next("info") == .message(.info(SimulatedKernel.version)))
        stage.controller.getReaderList()
        guard case .message(.readerList(let readers)) = try await stage.next("readerList") else { throw Unexpected() }
        #expect(readers.map(\.name) == ["S"] && readers[0].insertable)
        stage.controller.getReader(name: "nothing")
        guard case .message(.reader(let reader)) = try await stage.next("reader") else { throw Unexpected() }
        #expect(!reader.attached)
        stage.controller.getStatus()
        #expect(
            try await stage.next("status")
                == .message(.status(WorkflowProgress(workflow: nil, progress: nil, state: nil))))
        stage.controller.startChangePin()
        _ = try await stage.next("insertCard")
        stage.controller.setCard(name: "nothing")
        #expect(error(try await stage.next("insertCard")) == "Invalid name")
        stage.controller.setCard(name: "S")
        _ = try await stage.next("enterPIN")
        await stage.host.perform(.pause)
        #expect(try await stage.next("pause") == .message(.pause(cause: "BadCardPosition")))
        stage.controller.continueWorkflow()
        _ = try await stage.next("enterPIN")
        stage.controller.interrupt()
        #expect(
            try await stage.next("wrapperError")
                == .wrapperError(WrapperError(msg: "UNKNOWN_COMMAND", error: "INTERRUPT")))
        stage.controller.cancel()
        #expect(
            try await stage.next("changePinCompleted")
                == .message(.changePIN(.finished(success: false, reason: "User_Cancelled"))))
    }

    @Test("A command at the wrong time is onBadState with its name")
    func badState() async throws {
        let stage = try Stage()
        try await stage.start()
        stage.controller.cancel()
        #expect(try await stage.next("badState") == .message(.badState(command: "CANCEL")))
        stage.controller.startChangePin()
        stage.controller.startAuthentication(withTcTokenUrl: try service())
        #expect(try await stage.next("badState") == .message(.badState(command: "RUN_AUTH")))
    }

    @Test("A value of the wrong form is asked for again without end, if an app is so stubborn, and ends with cancel")
    func stubborn() async throws {
        let stage = try Stage()
        try await stage.start()
        var count = 0
        let controller = stage.controller
        stage.recorder.answer = { event in
            guard case .message(.enterPIN) = event else { return }
            count += 1
            if count < 10_000 { controller.setPin("no PIN") } else { controller.cancel() }
        }
        controller.startChangePin()
        _ = try await stage.next("changePinCompleted")
        #expect(count == 10_000)
    }

    @Test("With a keypad a nil PIN is sent, and another one is refused")
    func keypad() async throws {
        let stage = try Stage(#"{"readers":[{"name":"K","keypad":true,"card":"default"}]}"#)
        try await stage.start()
        stage.controller.startChangePin()
        _ = try await stage.next("enterPIN")
        stage.controller.setPin("123456")
        #expect(error(try await stage.next("enterPIN")) == "Value cannot be defined")
        stage.controller.setPin(nil)
        _ = try await stage.next("enterNewPIN")
    }

    @Test("An authentication that is refused is onAuthenticationStartFailed")
    func startFailed() async throws {
        let stage = try Stage()
        try await stage.start()
        stage.controller.startAuthentication(withTcTokenUrl: try #require(URL(string: "x")))
        #expect(
            try await stage.next("authenticationStartFailed")
                == .message(.auth(.refused(error: "Validation of tcTokenURL failed"))))
    }

    @Test(
        "Faults of messages are onWrapperError and onInternalError",
        arguments: [
            (#"{\"msg\":\"ENTER_PIN\"}"#, "wrapperError", "ENTER_PIN: Missing reader object"),
            (#"{\"msg\":\"INVALID\",\"error\":\"x\"}"#, "wrapperError", "INVALID: x"),
            (#"{\"msg\":\"UNKNOWN_COMMAND\",\"error\":\"x\"}"#, "wrapperError", "UNKNOWN_COMMAND: x"),
            (#"{\"msg\":\"PAUSE\",\"cause\":\"x\"}"#, "wrapperError", "PAUSE: Unknown cause"),
            (#"{\"msg\":\"READER\",\"name\":1}"#, "wrapperError", "READER: Malformed message"),
            ("{", "wrapperError", "message: Malformed message"),
            (#"{\"msg\":\"INTERNAL_ERROR\",\"error\":\"x\"}"#, "internalError", ": x"),
            (#"{\"msg\":\"BAD_STATE\",\"error\":\"x\"}"#, "badState", ": x"),
        ])
    func faults(_ message: String, _ kind: String, _ expected: String) async throws {
        let stage = try Stage(
            #"{"events":[{"after":"CHANGE_PIN","do":[{"action":"send","text":"\#(message)"}]}]}"#)
        try await stage.start()
        stage.controller.startChangePin()
        switch try await stage.next(kind) {
        case .wrapperError(let error): #expect("\(error.msg): \(error.error)" == expected)
        case .message(.internalError(let error?)), .message(.badState(let error)): #expect(": \(error)" == expected)
        default: throw Unexpected()
        }
    }

    @Test("A second start and a second stop do nothing, and after stop it can be started again")
    func restart() async throws {
        let stage = try Stage()
        try await stage.start()
        stage.controller.start()
        stage.controller.getInfo()
        _ = try await stage.next("info")
        #expect(stage.recorder.calls.filter { $0 == .started }.count == 1)
        stage.controller.stop()
        stage.controller.stop()
        #expect(!stage.controller.isStarted)
        // The place at the kernel is free a little later.
        while !stage.controller.isStarted {
            stage.controller.start()
            try await Task.sleep(for: .milliseconds(5))
        }
        stage.controller.getInfo()
        _ = try await stage.next("info")
    }

    @Test("Callbacks are held weakly, and not called twice or after they were removed")
    func weakCallbacks() async throws {
        let stage = try Stage()
        weak var gone: Recorder?
        do {
            let recorder = Recorder()
            stage.controller.registerCallbacks(recorder)
            gone = recorder
        }
        #expect(gone == nil)
        let removed = Recorder()
        stage.controller.registerCallbacks(removed)
        stage.controller.registerCallbacks(stage.recorder)
        stage.controller.unregisterCallbacks(removed)
        try await stage.start()
        #expect(stage.recorder.calls == [.started])
        #expect(removed.calls.isEmpty)
    }

    @Test("Events are what callbacks are, for each reader")
    func events() async throws {
        let stage = try Stage()
        let (first, second) = (stage.controller.events(), stage.controller.events())
        try await stage.start()
        for events in [first, second] {
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next() == .started)
        }
    }

    @Test(
        "Whatever the kernel does not say, the workflow ends, and a command after it is answered",
        arguments: [
            "API_LEVEL", "CHANGE_PIN", "ENTER_PIN", "ENTER_NEW_PIN",
        ])
    func silence(_ message: String) async throws {
        let stage = try Stage(
            #"{"levels":[1],"events":[{"after":"\#(message)","do":[{"action":"silence"}]}]}"#, patience: 0.05)
        stage.recorder.answer = { [controller = stage.controller] event in
            switch event {
            case .started: controller.startChangePin()
            case .message(.enterPIN): controller.setPin("123456")
            case .message(.enterNewPIN): controller.setNewPin("123456")
            default: break
            }
        }
        stage.controller.start()
        guard case .wrapperError(let error) = try await stage.next("wrapperError") else { throw Unexpected() }
        #expect(error.error.hasPrefix("No answer from the AusweisApp within"))
        #expect(!stage.controller.isStarted)
        stage.controller.cancel()
        _ = try await stage.next("wrapperError")
    }

    @Test("A lost connection in a workflow is onWrapperError")
    func disconnected() async throws {
        let stage = try Stage(#"{"events":[{"after":"ENTER_PIN","do":[{"action":"disconnect"}]}]}"#)
        try await stage.start()
        stage.controller.startChangePin()
        #expect(
            try await stage.next("wrapperError")
                == .wrapperError(WrapperError(msg: "start", error: "The AusweisApp has closed the connection")))
        #expect(!stage.controller.isStarted)
    }

    @Test("Random messages in between never hang a workflow", arguments: 0..<20)
    func noise(_ seed: Int) async throws {
        let noise = [
            "{", #"{"msg":"AUTH"}"#, #"{"msg":"CHANGE_PIN"}"#, #"{"msg":"ENTER_CAN"}"#, #"{"msg":"READER","name":"x"}"#,
            #"{"msg":"PAUSE","cause":"BadCardPosition"}"#, #"{"msg":"STATUS"}"#, #"{"msg":"ACCESS_RIGHTS"}"#, "[]", "",
        ]
        let stage = try Stage()
        try await stage.start()
        stage.recorder.answer = { [controller = stage.controller] event in
            switch event {
            case .message(.enterPIN): controller.setPin("123456")
            case .message(.enterNewPIN): controller.setNewPin("123456")
            default: break
            }
        }
        stage.controller.startChangePin()
        for _ in 0..<10 { await stage.host.perform(.send(noise.randomElement() ?? "")) }
        while stage.controller.isStarted,
            !stage.recorder.calls.contains(where: { $0.kind == "changePinCompleted" }),
            !stage.recorder.calls.contains(where: { $0.kind == "pause" || $0.kind == "enterCAN" })
        { try await Task.sleep(for: .milliseconds(5)) }
        guard stage.controller.isStarted else { return }
        // What waits for the cardholder can be ended.
        stage.controller.cancel()
        stage.controller.getInfo()
        _ = try await stage.next("info")
    }
}

struct Unexpected: Error {}
