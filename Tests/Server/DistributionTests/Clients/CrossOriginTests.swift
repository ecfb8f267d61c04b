import ServerHarness
import Testing

/// What browsers are told about pages of other origins (CORS).
@Suite("Web pages of other origins")
struct CrossOriginTests {
    private static let origin = "https://app.mybank.example:8443"
    private static let server = Once {
        try await TestInstallation().startServer(["--http-origins", "http://localhost:3000, \(origin)"])
    }
    private static let closed = Once { try await TestInstallation().startServer() }

    private static let operations = [
        "/v1/pin-distribution/captcha", "/v1/pin-distribution/token/notify", "/v1/pin-definition/keypad-coordinates",
        "/v1/pin-definition/token/pin",
    ]

    private func ask(
        _ server: TestServer, _ path: String, from origin: String, method: String = "POST"
    ) async throws -> HTTPAnswer {
        try await server.request(
            "OPTIONS", path,
            headers: [("Origin", origin), ("Access-Control-Request-Method", method)])
    }

    @Test(
        "A browser that asks is told that pages of a named origin can call the apps' operations", arguments: operations)
    func asked(path: String) async throws {
        let answer = try await ask(Self.server.value, path, from: Self.origin)
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(answer["Access-Control-Allow-Origin"] == Self.origin)
        #expect(answer["Access-Control-Allow-Methods"] == "POST")
        #expect(answer["Access-Control-Allow-Headers"] == "Content-Type")
        #expect(answer["Access-Control-Allow-Credentials"] == nil)
        #expect(answer["Vary"] == "Origin")
    }

    @Test("An answer for a page of a named origin says so, whether it is good or not", arguments: operations)
    func answered(path: String) async throws {
        let server = try await Self.server.value
        for (type, status) in [("application/json", 200), ("text/plain", 415)] {
            let answer = try await server.request(
                "POST", path, headers: [("Origin", "http://localhost:3000"), ("Content-Type", type)],
                body: Array("{}".utf8))
            #expect(answer.status == status)
            #expect(answer["Access-Control-Allow-Origin"] == "http://localhost:3000")
            #expect(answer["Access-Control-Expose-Headers"]?.contains("Retry-After") == true)
        }
    }

    @Test("The server's keys can be read, with GET")
    func keys() async throws {
        let server = try await Self.server.value
        let answer = try await server.request("GET", "/.well-known/jwks.json", headers: [("Origin", Self.origin)])
        #expect(answer.status == 200 && answer["Access-Control-Allow-Origin"] == Self.origin)
        let asked = try await ask(server, "/.well-known/jwks.json", from: Self.origin, method: "GET")
        #expect(asked["Access-Control-Allow-Methods"] == "GET")
    }

    @Test(
        "Pages of other origins are told nothing",
        arguments: [
            "https://app.mybank.example", "http://app.mybank.example:8443",
            "https://app.mybank.example:8443.evil.example",
            "https://APP.mybank.example:8443", "null", "",
        ])
    func others(origin: String) async throws {
        let server = try await Self.server.value
        let asked = try await ask(server, Self.operations[0], from: origin)
        #expect(asked.status == 405)
        #expect(asked["Access-Control-Allow-Origin"] == nil && asked["Vary"] == "Origin")
        let answer = try await server.request(
            "POST", Self.operations[0], headers: [("Origin", origin), ("Content-Type", "application/json")],
            body: Array("{}".utf8))
        #expect(answer.status == 200 && answer["Access-Control-Allow-Origin"] == nil)
    }

    @Test(
        "No page can call what is not for apps",
        arguments: [
            "/v1/banks/BANK/cardholders/one", "/v1/banks/BANK/events", "/health/ready", "/v1/pin-distribution",
            "/openapi.yaml",
        ])
    func otherOperations(path: String) async throws {
        let server = try await Self.server.value
        let asked = try await ask(server, path, from: Self.origin, method: "PUT")
        #expect(asked.status == 405 || asked.status == 404)
        let answer = try await server.request("GET", path, headers: [("Origin", Self.origin)])
        for answer in [asked, answer] { #expect(answer["Access-Control-Allow-Origin"] == nil) }
    }

    @Test("Without the setting, nothing is told to anyone")
    func off() async throws {
        let server = try await Self.closed.value
        let asked = try await ask(server, Self.operations[0], from: Self.origin)
        #expect(asked.status == 405)
        #expect(asked["Access-Control-Allow-Origin"] == nil && asked["Vary"] == nil)
    }
}
