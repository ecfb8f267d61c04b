import DocumentValidation
import DocumentValidationClient
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import PythonOracle
import ServerHarness
import StrictJSON
import Testing

@Suite("Whole sessions over a WebSocket")
struct WholeSessionTests {
    private static func expectPassed(_ outcome: ValidationClient.Outcome) {
        #expect(outcome.connector.end == .init(code: 1000, reason: ""), "the text CLOSE")
        #expect(outcome.closeFrame == .init(code: 1000, reason: ""))
        #expect(outcome.connector.chipAuthenticationResult == "SUCCESS")
        #expect(outcome.connector.result?["passiveAuthentication"] == .bool(true))
        #expect(outcome.connector.result?["chipAuthenticationResult"] == .string("SUCCESS"))
        #expect(outcome.connector.result?["activeAuthenticationResult"] == .string("UNAVAILABLE"))
    }

    @Test("A genuine document passes with chip authentication, and the messages come in the order of the document")
    func genuine() async throws {
        try await SessionServer.run { server in
            let outcome = try await server.speak(server.connector())
            Self.expectPassed(outcome)
            let story = outcome.connector.story.filter { $0 != "received APDU" }
            #expect(
                story == [
                    "sent START", "received ACCEPT", "sent dg14", "sent CA_HANDOVER", "received FILE",
                    "received CA_HANDBACK", "sent sod", "sent dg2", "sent dg15", "sent FINISH", "received RESULT",
                    "received CLOSE",
                ])
            #expect(server.service.record.verifications.map(\.passed) == [true])
            try await server.expectReleased(1)
        }
    }

    @Test("A genuine document passes over TLS")
    func secure() async throws {
        let certificate = try await TestCertificate()
        try await SessionServer.run(certificate: certificate) { server in
            Self.expectPassed(try await server.speak(server.connector(), roots: certificate.certificate))
        }
    }

    @Test("A client that does not trust the server's certificate does not speak with it")
    func stranger() async throws {
        let (certificate, other) = (try await TestCertificate(), try await TestCertificate())
        try await SessionServer.run(certificate: certificate) { server in
            await #expect(throws: (any Error).self) {
                try await server.speak(server.connector(), roots: other.certificate)
            }
            #expect(server.service.record.admitted == 0)
        }
    }

    @Test("A cloned chip does not pass, with or without chip authentication")
    func clone() async throws {
        try await SessionServer.run { server in
            let clone = try server.issuer.issue().clone()
            let caught = try await server.speak(server.connector(clone))
            #expect(caught.connector.chipAuthenticationResult == nil, "it gets no keys")
            #expect(caught.connector.end == .init(code: 1011, reason: "FILE_READ_ERROR"))
            #expect(caught.closeFrame == caught.connector.end)
            try await eventually("what is known is posted") { server.service.record.reports == 1 }
            #expect(server.service.record.causes == ["FILE_READ_ERROR"])
            var plan = SimulatedConnector.Plan()
            plan.handsOver = false
            plan.sendsResult = false
            let silent = try await server.speak(server.connector(clone, plan: plan))
            #expect(silent.connector.end?.code == 1000 && silent.connector.result == nil)
            #expect(server.service.record.verifications.map(\.passed) == [false])
            try await server.expectReleased(2)
        }
    }

    @Test("A client that is refused before the WebSocket says so")
    func refused() async throws {
        try await SessionServer.run { server in
            await #expect(throws: ValidationClient.Failure.refused(status: 403)) {
                try await server.speak(server.connector(), fields: [("Origin", "https://example.com")])
            }
        }
    }

    @Test("Ten sessions at once do not mix")
    func several() async throws {
        try await SessionServer.run { server in
            let ids = (0..<10).map { "check-\($0)" }
            let found = try await withThrowingTaskGroup(of: String?.self) { group in
                for id in ids {
                    group.addTask {
                        let outcome = try await server.speak(server.connector(validationId: id))
                        return outcome.connector.result?["validationId"] == .string(id) ? id : nil
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(found) == Set(ids))
            try await server.expectReleased(10)
        }
    }

    @Test(
        "Where a server is can be written as a URL",
        arguments: [
            ("wss://example.com", "example.com", 443), ("ws://127.0.0.1:8080/ws2/validate", "127.0.0.1", 8080),
            ("wss://[::1]:8443/", "::1", 8443), ("wss://[2001:db8::1]", "2001:db8::1", 443),
        ])
    func address(url: String, host: String, port: Int) throws {
        let address = try #require(ServerAddress(url))
        #expect(address.host == host && address.port == port && address.isSecure == url.hasPrefix("wss"))
    }

    @Test(
        "What is no such URL is refused",
        arguments: [
            "", "wss://", "https://example.com", "wss://example.com/other", "wss://example.com:0", "wss://a:b:1",
            "wss://example.com:99999", "wss://[::1", "wss://[::1]x", "wss://example.com?x",
        ])
    func noAddress(url: String) {
        #expect(ServerAddress(url) == nil)
    }
}
