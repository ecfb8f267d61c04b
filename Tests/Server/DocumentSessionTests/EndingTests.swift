import CardCompanion
import DocumentValidation
import EMRTD
import EMRTDSimulation
import Foundation
import PythonOracle
import ServerHarness
import Testing

@testable import CardCompanionHTTP

/// Connections that are lost, clients that do not read, and a server that stops.
@Suite("Ends", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct EndingTests {
    @Test("When the connection is lost, the service is told once, in each state", arguments: [0, 1, 2, 3, 4])
    func lost(state: Int) async throws {
        try await SessionServer.run { server in
            let dg14 = try #require(try server.issuer.issue().files[.dataGroup(14)])
            let isSlow = state == 3 || state == 4
            let steps: [Step] =
                switch state {
                case 0: [.drop]
                case 1: [.start(), .receive(1), .file("sod", [1]), .drop]
                case 2: [.start(), .receive(1), .file("dg14", dg14), .handOver(), .receive(1), .drop]
                case 3: [.start(validationId: TestService.ID.slowCheck), .drop]
                default: [.start(validationId: TestService.ID.slowPost), .receive(1), .finish(), .drop]
                }
            _ = try await server.steps(steps)
            try await eventually("the server has noticed") {
                server.logs.lines.contains { $0.contains("A document session has ended") }
            }
            #expect(server.logs.lines.contains { $0.contains("connection_lost") })
            if isSlow {
                try await eventually("the service works") { server.service.gate.waitingCount == 1 }
                #expect(server.service.record.releases.isEmpty)
                server.service.gate.open()
            }
            try await server.expectReleased(state == 0 ? 0 : 1)
            #expect(server.service.record.concluded == (state == 4 ? 1 : 0), "what can still be posted is posted")
            #expect(!server.service.record.releasedEarly)
            // Only these two have shown a document, and have no result.
            let causes = state == 1 || state == 2 ? ["CONNECTION_LOST"] : []
            try await eventually("what is known is posted") { server.service.record.reports == causes.count }
            #expect(server.service.record.causes == causes)
        }
    }

    @Test("An app that closes the session says why, and a user who does not want to go on is no failure")
    func closedByClient() async throws {
        try await SessionServer.run { server in
            let ways: [(String, String?)] = [
                ("NFC_CHIP_COMMUNICATION_FAILED", "NFC_CHIP_COMMUNICATION_FAILED"), ("x", "CLOSED_BY_CLIENT"),
                ("CANCELLED_BY_USER", nil),
            ]
            for (number, (reason, cause)) in ways.enumerated() {
                let before = server.service.record.causes
                _ = try await server.steps([
                    .start(), .receive(1), .file("sod", [1]), .closeWith(1001, reason),
                ])
                try await server.expectReleased(number + 1)
                #expect(server.service.record.causes == before + (cause.map { [$0] } ?? []))
            }
        }
    }

    @Test("A client that is told of its failure does not wait until the bank's server has it")
    func slowReport() async throws {
        try await SessionServer.run { server in
            let transcript = try await server.steps([
                .start(validationId: TestService.ID.slowPost), .receive(1), .file("sod", [1]), .file("sod", [2]),
            ])
            #expect(transcript.isClosed(1008, "PROTOCOL_ERROR"))
            try await server.expectReleased(1)
            #expect(server.service.record.reports == 0, "it is still being posted")
            server.service.gate.open()
            try await eventually("it is posted") { server.service.record.reports == 1 }
        }
    }

    @Test("A client that ends its half of the connection is gone")
    func halfClose() async throws {
        try await SessionServer.run { server in
            let start = FrameTests.frame(0x81, Array(Step.start(as: "check").utf8))
            _ = try await server.python("raw", ["hex": hex(start), "halfClose": "yes"])
            try await eventually("the session is over") {
                server.logs.lines.contains { $0.contains("connection_lost") }
            }
            try await server.expectReleased(server.service.record.admitted)
        }
    }

    @Test("A client that does not read its result loses the connection after a while, and is not waited for")
    func slowReader() async throws {
        try await SessionServer.run {
            $0.documentSessions.writeLimit = .milliseconds(500)
        } _: { server in
            let start = FrameTests.frame(0x81, Array(Step.start(as: TestService.ID.longResult).utf8))
            let finish = FrameTests.frame(0x81, Array(#"{"type":"FINISH","sendResult":true}"#.utf8))
            let file = TestFolder.shared.unused("given-up")
            async let answer = server.python(
                "unread", ["hex": hex(start), "then": hex(finish), "file": file, "receiveBuffer": "4096"])
            try await server.expectReleased(1)
            try await eventually("the connection is closed") { server.draining.openRequestCount == 0 }
            _ = FileManager.default.createFile(atPath: file, contents: nil)
            let read = try #require(Int(try await answer["read"] ?? ""))
            #expect(read < 32 << 20)
        }
    }

    @Test("A server that drains begins no session, and those that run go on")
    func draining() async throws {
        try await SessionServer.run { server in
            async let running = server.steps([
                .start(validationId: TestService.ID.slowPost), .receive(1), .finish(sendResult: true),
            ])
            try await eventually("the result is being posted") { server.service.gate.waitingCount == 1 }
            #expect(server.draining.openRequestCount == 1)
            server.draining.begin()
            #expect(try await server.steps([]).status == "503")
            server.service.gate.open()
            let transcript = try await running
            #expect(transcript.isClosed(1000, "") && transcript.texts.count == 3)
            try await eventually("no request is open") { server.draining.openRequestCount == 0 }
        }
    }

    @Test("A server that stops closes sessions that wait for their clients, and posts results that are under way")
    func stopping() async throws {
        try await SessionServer.run { server in
            async let reading = server.steps([.start(), .receive(1)])
            async let beginning = server.steps([])
            async let posting = server.steps([.start(validationId: TestService.ID.slowPost), .receive(1), .finish()])
            try await eventually("all run") {
                server.service.record.admitted == 2 && server.service.gate.waitingCount == 1
                    && server.draining.openRequestCount == 3
            }
            await server.stop()
            #expect(try await reading.isClosed(1001, ""))
            #expect(try await beginning.isClosed(1001, ""))
            #expect(server.service.record.concluded == 0)
            server.service.gate.open()
            #expect(try await posting.isClosed(1000, ""))
            try await server.expectReleased(2)
        }
    }

    @Test("A thousand sessions are open at once")
    func thousand() async throws {
        try await SessionServer.run {
            $0.addressConnections = 2_000
            $0.addressRate = .init(perSecond: 1_000, burst: 2_000)
            $0.documentSessions.addressSessions = 2_000
            $0.documentSessions.clientRate = .init(perSecond: 1_000, burst: 2_000)
            $0.documentSessions.times.start = .seconds(240)
        } _: { server in
            let answer = try await server.python("many", ["count": "1000", "start": Step.start(as: "check")])
            #expect(answer == ["ended": "1000"])
            try await server.expectReleased(1_000)
        }
    }
}
