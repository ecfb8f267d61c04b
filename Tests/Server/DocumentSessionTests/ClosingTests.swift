import CardCompanion
import CardCompanionHTTP
import DocumentValidation
import EMRTD
import EMRTDSimulation
import PythonOracle
import ServerHarness
import StrictJSON
import Testing

/// How the server closes. The client is Python's websockets.
@Suite("Closing", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct ClosingTests {
    /// What a client does, and how the session ends.
    struct Case: CustomTestStringConvertible {
        let name: String
        let code: Int
        let reason: String
        let steps: [Step]

        init(_ name: String, _ code: Int, _ reason: String, _ steps: [Step]) {
            (self.name, self.code, self.reason, self.steps) = (name, code, reason, steps)
        }

        var testDescription: String { name }
    }

    private static let accepted: [Step] = [.start(), .receive(1)]

    static let cases: [Case] = [
        Case("a text that is not JSON", 1008, "MALFORMED_JSON", [.text("{")]),
        Case("a text that is no object", 1008, "MALFORMED_JSON", [.text("[]")]),
        Case("START without fields", 1008, "INVALID_START_MESSAGE", [.text(#"{"type":"START"}"#)]),
        Case("an unknown check", 1008, "INVALID_START_MESSAGE", [.start(validationId: TestService.ID.unknownCheck)]),
        Case("an unknown client", 4401, "INVALID_CLIENT_ID", [.start(clientId: TestService.ID.unknownClient)]),
        Case("a service that fails", 1011, "SERVER_ERROR", [.start(validationId: TestService.ID.failingCheck)]),
        Case("a message before START", 1008, "UNEXPECTED_MESSAGE", [.finish()]),
        Case("a file before START", 1008, "UNEXPECTED_MESSAGE", [.file("sod", [1])]),
        Case("an unknown type", 1008, "UNEXPECTED_MESSAGE", accepted + [.text(#"{"type":"HELLO"}"#)]),
        Case("START again", 1008, "UNEXPECTED_MESSAGE", accepted + [.start()]),
        Case("CA_HANDOVER without dg14", 1008, "UNEXPECTED_MESSAGE", accepted + [.handOver()]),
        Case("FINISH without its field", 1008, "PROTOCOL_ERROR", accepted + [.text(#"{"type":"FINISH"}"#)]),
        Case("an APDU that nobody asked for", 1008, "PROTOCOL_ERROR", accepted + [.binary([2, 0x90, 0])]),
        Case("an unknown type of binary message", 1008, "PROTOCOL_ERROR", accepted + [.binary([3])]),
        Case("an empty binary message", 1008, "PROTOCOL_ERROR", accepted + [.binary([])]),
        Case("a file whose name is too long for it", 1008, "PROTOCOL_ERROR", accepted + [.binary([1, 9, 65])]),
        Case(
            "another file of the same name", 1008, "PROTOCOL_ERROR",
            accepted + [.file("sod", [1]), .file("sod", [2])]),
        Case(
            "more files than a session can have", 1008, "PROTOCOL_ERROR",
            accepted + (0..<25).map { .file("other\($0)", [1]) }),
        Case(
            "keys that no cipher has", 1008, "INVALID_ACCESS_KEY_VALUES",
            accepted + [.file("dg14", [1]), .handOver(key: "AAEC")]),
        Case(
            "a limit that no command fits into", 1008, "PROTOCOL_ERROR",
            accepted + [.file("dg14", [1]), .handOver(block: 0)]),
        Case(
            "a text that is too long", 1008, "PROTOCOL_ERROR",
            accepted + [.monitoring(String(repeating: "a", count: ClientMessage.byteLimit))]),
        Case(
            "a file that is too long", 1008, "PROTOCOL_ERROR",
            accepted + [.file("sod", [UInt8](repeating: 0, count: BinaryMessage.fileByteLimit + 1))]),
        Case(
            "a long binary message before START", 1008, "PROTOCOL_ERROR",
            [.binary([UInt8](repeating: 1, count: BinaryMessage.apduByteLimit + 2))]),
        Case(
            "too many messages for diagnostics", 1008, "PROTOCOL_ERROR",
            // As many as the rate allows in two minutes, because each KiB counts.
            accepted + (0..<115).map { _ in .monitoring(String(repeating: "x", count: 60 << 10)) }),
        Case(
            "a result that cannot be posted", 1011, "POST_TO_RESULT_SERVER_FAILED",
            [.start(validationId: TestService.ID.unpostable), .receive(1), .finish(sendResult: true)]),
        Case("nothing but FINISH", 1000, "", accepted + [.finish()]),
        Case(
            "messages for diagnostics, unknown files and the same file twice", 1000, "",
            accepted + [
                .monitoring("reading"), .file("sod", [1]), .file("sod", [1]), .file("dg99", [1]), .finish(),
            ]),
        Case(
            "messages in fragments", 1000, "",
            [
                .textFragments(Step.start(as: "check").map(String.init)), .receive(1),
                .binaryFragments(Step.fileBytes("dg2", [1, 2, 3, 4]).map { [$0] }), .finish(),
            ]),
        Case("pings in between", 1000, "", [.ping("one")] + accepted + [.ping("two"), .ping(""), .finish()]),
    ]

    @Test("The text CLOSE and the close frame say why", arguments: cases)
    func reason(_ example: Case) async throws {
        try await SessionServer.run { server in
            let transcript = try await server.steps(example.steps)
            #expect(
                transcript.isClosed(example.code, example.reason),
                "\(transcript.code) \(transcript.reason) \(transcript.texts)")
            #expect(transcript.extensions == "0")
            let isAdmitted = example.steps.contains { if case .receive = $0 { true } else { false } }
            try await server.expectReleased(isAdmitted ? 1 : 0)
        }
    }

    @Test("START must come in time")
    func startTimeout() async throws {
        try await SessionServer.run {
            $0.documentSessions.times.start = .milliseconds(200)
        } _: { server in
            let transcript = try await server.steps([])
            #expect(transcript.isClosed(1001, "TIMEOUT_WHILE_WAITING_FOR_START_MESSAGE"))
        }
    }

    @Test("A session is not endless, also while the service works")
    func sessionTimeout() async throws {
        try await SessionServer.run {
            $0.documentSessions.times.session = .seconds(10)
        } _: { server in
            #expect(try await server.steps([.start(), .receive(1)]).isClosed(1011, "MAX_SESSION_TIME_EXCEEDED"))
            let posting = try await server.steps([
                .start(validationId: TestService.ID.slowPost), .receive(1), .finish(),
            ])
            #expect(posting.isClosed(1011, "MAX_SESSION_TIME_EXCEEDED"))
            #expect(server.service.record.releases.count == 1, "the second one is still being posted")
            server.service.gate.open()
            try await server.expectReleased(2)
            #expect(server.service.record.concluded == 1 && !server.service.record.releasedEarly)
        }
    }

    @Test("The service must look at a check in time, and a client waits for that")
    func slowAdmission() async throws {
        try await SessionServer.run {
            $0.documentSessions.times.admission = .seconds(1)
        } _: { server in
            let late = try await server.steps([.start(validationId: TestService.ID.slowCheck)])
            #expect(late.isClosed(1011, "SERVER_ERROR"))
            server.service.gate.open()
            try await server.expectReleased(1)
        }
        try await SessionServer.run { server in
            let impatient = try await server.steps([
                .start(validationId: TestService.ID.slowCheck), .file("sod", [1]),
            ])
            #expect(impatient.isClosed(1008, "UNEXPECTED_MESSAGE"))
            #expect(server.service.record.admitted == 0)
            server.service.gate.open()
            try await server.expectReleased(1)
        }
    }

    @Test("While the result is posted, only diagnostics can come")
    func posting() async throws {
        try await SessionServer.run { server in
            let transcript = try await server.steps([
                .start(validationId: TestService.ID.slowPost), .receive(1), .finish(), .monitoring("waiting"),
                .finish(),
            ])
            #expect(transcript.isClosed(1008, "UNEXPECTED_MESSAGE"))
            #expect(server.service.record.releases.isEmpty)
            server.service.gate.open()
            try await server.expectReleased(1)
            #expect(server.service.record.concluded == 1 && !server.service.record.releasedEarly)
        }
    }

    @Test("The chip's answer must come in time")
    func answerTimeout() async throws {
        try await SessionServer.run {
            $0.documentSessions.times.answer = .milliseconds(200)
        } _: { server in
            let dg14 = try #require(try server.issuer.issue().files[.dataGroup(14)])
            let transcript = try await server.steps([.start(), .receive(1), .file("dg14", dg14), .handOver()])
            #expect(transcript.isClosed(1001, "TIMEOUT_WHILE_WAITING_FOR_RESPONSE"))
            #expect(transcript.binaries.count == 1 && transcript.binaries[0].hasPrefix("02"), "one command")
        }
    }

    @Test("A chip that answers nothing useful ends the session, because the client cannot go on")
    func unreadableChip() async throws {
        try await SessionServer.run { server in
            let dg14 = try #require(try server.issuer.issue().files[.dataGroup(14)])
            let answers: [Step] = (0..<2).flatMap { _ in [.receive(1), .binary([2, 0x6F, 0])] }
            let transcript = try await server.steps(
                [.start(), .receive(1), .file("dg14", dg14), .handOver()] + answers)
            #expect(transcript.isClosed(1011, "FILE_READ_ERROR"), "\(transcript.reason)")
        }
    }

    @Test("A text message during chip authentication is not expected")
    func textDuringChipAuthentication() async throws {
        try await SessionServer.run { server in
            let dg14 = try #require(try server.issuer.issue().files[.dataGroup(14)])
            let steps: [Step] = [
                .start(), .receive(1), .file("dg14", dg14), .handOver(), .receive(1), .monitoring("relaying"),
                .finish(),
            ]
            #expect(try await server.steps(steps).isClosed(1008, "UNEXPECTED_MESSAGE"))
        }
    }

    @Test("When the server has no room for files, it is the server's error")
    func fullMemory() async throws {
        try await SessionServer.run {
            $0.documentSessions.fileByteCount = 1_000
        } _: { server in
            let transcript = try await server.steps([
                .start(), .receive(1), .file("sod", [UInt8](repeating: 0, count: 1_001)),
            ])
            #expect(transcript.isClosed(1011, "SERVER_ERROR"))
            let next = try await server.steps([
                .start(), .receive(1), .file("sod", [UInt8](repeating: 0, count: 1_000)), .finish(),
            ])
            #expect(next.isClosed(1000, ""), "the room is free again")
        }
    }

    @Test("A client that closes gets its own code back, and the session ends", arguments: [1000, 1001, 4403])
    func closedByClient(code: Int) async throws {
        try await SessionServer.run { server in
            let transcript = try await server.steps([.start(), .receive(1), .close(code)])
            #expect(transcript.code == "\(code)" && transcript.texts.count == 1)
            try await server.expectReleased(1)
        }
    }

    @Test("A client that begins too many sessions is told to come again, and others are not")
    func clientRate() async throws {
        try await SessionServer.run {
            $0.documentSessions.clientRate = .init(perSecond: 1, burst: 5)
            $0.documentSessions.addressSessions = 100
        } _: { server in
            let answer = try await server.python("starts", ["count": "60", "start": Step.start(as: "check")])
            #expect(try #require(Int(answer["ACCEPT"] ?? "")) >= 5)
            #expect(try #require(Int(answer["SERVER_ERROR"] ?? "")) >= 1)
            #expect(try await server.steps([.start(clientId: "other"), .receive(1), .finish()]).isClosed(1000, ""))
        }
    }

    @Test("A session can send any number of messages for diagnostics, if not too many at once")
    func manyMessages() async throws {
        try await SessionServer.run {
            $0.documentSessions.monitoringRate = .init(perSecond: 1, burst: 1_500)
        } _: { server in
            let steps = (0..<1_500).map { Step.monitoring("\($0)") }
            let transcript = try await server.steps([.start(), .receive(1)] + steps + [.finish()])
            #expect(transcript.isClosed(1000, ""))
        }
    }

    @Test("The log has how many messages for diagnostics there were, and never what they say")
    func diagnostics() async throws {
        try await SessionServer.run { server in
            _ = try await server.steps([
                .start(validationId: "4f1e-secret-check", diagnostics: true), .receive(1),
                .monitoring("DOE<<JANE"), .monitoring("12"), .finish(sendResult: true),
            ])
            try await eventually("the session's line is there") {
                server.logs.lines.contains { $0.contains("A document session has ended") }
            }
            let line = try #require(server.logs.lines.first { $0.contains("A document session has ended") })
            #expect(line.hasPrefix("info") && line.contains("posted") && line.contains("request_id"))
            #expect(line.contains(#""monitoring": 2"#) && line.contains(#""monitoring_bytes": 11"#), "\(line)")
            #expect(!server.logs.lines.contains { $0.contains("JANE") || $0.contains("secret-check") })
        }
    }
}
