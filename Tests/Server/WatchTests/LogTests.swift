import ServerHarness
import Testing

/// The log of a server, for people and as JSON lines.
@Suite("The log")
struct LogTests {
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func startServer(_ format: String?) async throws -> TestServer {
        var environment = ["LOG_LEVEL": "debug"]
        environment["LOG_FORMAT"] = format
        return try await TestInstallation().startServer(environment: environment)
    }

    @Test("Text: a line of a request has the request's id, and the client's trace if it is as the standard says")
    func text() async throws {
        let server = try await startServer(nil)
        let traced = try await server.request("GET", "/health/live", headers: [("traceparent", Self.trace)])
        let id = try #require(traced["X-Request-Id"])
        try await eventually("the request is logged") { !server.logLines(with: "Request", "request_id=\(id)").isEmpty }
        let lines = server.logLines(with: "request_id=\(id)", "path=\"/health/live\"")
        #expect(lines.count == 1 && lines.first?.contains("traceparent=\(Self.trace)") == true)

        for fields in [
            [("traceparent", "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01")],
            [("traceparent", Self.trace), ("traceparent", Self.trace)],
            [("traceparent", Self.trace + " forged=1")],
        ] {
            let answer = try await server.request("GET", "/health/live", headers: fields)
            let id = try #require(answer["X-Request-Id"])
            try await eventually("the request is logged") {
                !server.logLines(with: "Request", "request_id=\(id)").isEmpty
            }
            #expect(server.logLines(with: "request_id=\(id)", "traceparent").isEmpty)
        }
        #expect(server.logLines(with: "forged").isEmpty)
    }

    @Test("JSON: each line is one object, also for hostile requests, with the request's id and the client's trace")
    func json() async throws {
        let server = try await startServer("json")
        let traced = try await server.request("GET", "/health/live", headers: [("traceparent", Self.trace)])
        let id = try #require(traced["X-Request-Id"])
        let hostile = ["/\"}%0a{\"level\":\"x", "/%00%1b[2J%ff%c0%af", "/\u{7f}\u{e9}\\u0022", "/%e2%80%a8"]
        for path in hostile {
            _ = try? await server.exchange(
                Array("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\ntraceparent: \"\\\r\n\r\n".utf8))
        }
        _ = try? await server.exchange(
            Array("GET /".utf8) + [0xff, 0xc0, 0xaf, 0x1b, 0x9b] + Array(" HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        let bank =
            try JSON(parsing: #"{"bankId":"a\"\n\u0000\u2028\u001b[2J","uniqueId":"4111111111111111"}"#).object ?? [:]
        let answer = try await server.post(Path.captcha, bank)
        let refused = try #require(answer["X-Request-Id"])
        try await eventually("the last request is logged") { server.logLines(with: refused, "Request").count == 1 }
        #expect(try await server.stop() == 0)

        let text = server.log
        let lines = try text.split(separator: "\n").map { line in
            let members = try #require(try JSON(parsing: String(line)).object, "\(line)")
            return members.compactMapValues(\.string)
        }
        #expect(lines.count >= 10)
        for line in lines {
            #expect(line["time"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
            #expect(["debug", "info", "notice", "warning"].contains(line["level"]))
            #expect(line["message"]?.isEmpty == false && line["source"]?.isEmpty == false)
        }
        let request = try #require(lines.first { $0["request_id"] == id && $0["message"] == "Request" })
        #expect(request["traceparent"] == Self.trace && request["path"] == "\"/health/live\"")
        #expect(request["status"] == "200" && request["level"] == "debug")
        let audit = try #require(lines.first { $0["request_id"] == refused && $0["trail"] == "audit" })
        #expect(audit["unique_id"] == "\"(a card number)\"" && audit["traceparent"] == nil)
        #expect(!text.contains("\u{1b}") && !text.contains("4111111111111111"))
    }

    @Test("A server that cannot start says so as a line of JSON")
    func startUp() async throws {
        let installation = try await TestInstallation(environment: ["LOG_FORMAT": "json"])
        let result = try await installation.run(["serve", "--http-tls-certificate", "/no", "--http-tls-key", "/no"])
        #expect(result.status == 78)
        let lines = try result.stderr.split(separator: "\n").map { try JSON(parsing: String($0)).object ?? [:] }
        let last = try #require(lines.last)
        #expect(last["level"] == "critical" && last["message"] == "The server cannot run")
        #expect(last["reason"]?.string?.contains("/no") == true, "\(last)")
    }

    @Test("A command writes its part of the audit trail in the same form")
    func command() async throws {
        let installation = try await TestInstallation(environment: ["LOG_FORMAT": "json"])
        let name = Unique.name("bank")
        let result = try await installation.run(["bank", "add", name, "--scheme", "CB"]).succeeded()
        let lines = try result.stderr.split(separator: "\n").map { try JSON(parsing: String($0)).object ?? [:] }
        #expect(lines.compactMap { $0["outcome"]?.string } == ["begun", "done"])
        #expect(lines.allSatisfy { $0["trail"] == "audit" })
        #expect(try await installation.run(["check-config", "--log-format", "xml"]).status == 78)
    }
}
