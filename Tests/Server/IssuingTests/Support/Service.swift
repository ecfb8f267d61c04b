import ServerHarness
import Testing

/// The installation and the servers that most suites share.
struct Service: Sendable {
    /// The shared service of this test process.
    static let shared = Once { try await Service() }

    /// A second server on the shared installation.
    static let second = Once { try await shared.value.installation.startServer() }

    /// A shared back-end. Tests must not change its bank's settings.
    static let backend = Once { try await shared.value.makeBackend() }

    let installation: TestInstallation
    let server: TestServer
    let key: SealingKey

    private init() async throws {
        installation = try await TestInstallation()
        server = try await installation.startServer(environment: TestServer.metricsOn)
        key = try await server.sealingKey()
    }

    /// Makes a bank and its back-end.
    func makeBackend(
        _ settings: [String] = [], algorithm: TestIssuer.Algorithm = .ed25519, id: String = Unique.name("bank")
    ) async throws -> Backend {
        let bank = try await installation.makeBank(settings, id: id)
        let issuer = try await installation.makeIssuer(for: bank, algorithm: algorithm)
        return Backend(server: server, bank: bank, issuer: issuer, key: key)
    }

    /// Makes a bank and its back-end with its own server, because a server limits simultaneous imports.
    func makeBackendWithServer(_ options: [String] = []) async throws -> Backend {
        var backend = try await makeBackend(options)
        backend.server = try await installation.startServer()
        return backend
    }
}

/// A bank's back-end that provisions cardholders over HTTP.
struct Backend: Sendable {
    var server: TestServer
    let bank: TestBank
    var issuer: TestIssuer
    let key: SealingKey

    func path(_ uniqueId: String) -> String {
        "/v1/banks/\(Percent.encode(bank.id))/cardholders/\(Percent.encode(uniqueId))"
    }

    /// Creates or replaces a cardholder.
    func put(
        _ holder: TestCardholder, headers: [(name: String, value: String)] = []
    ) async throws -> HTTPAnswer {
        try await put(holder.uniqueId, holder.members(sealedTo: key, of: bank.id), headers: headers)
    }

    /// Creates or replaces a cardholder, with a given body.
    func put(
        _ uniqueId: String, _ body: [String: JSON], headers: [(name: String, value: String)] = []
    ) async throws -> HTTPAnswer {
        try await server.call("PUT", cardholder: uniqueId, body, headers: headers, by: issuer)
    }

    /// Creates a cardholder and returns it.
    func created(_ holder: TestCardholder = TestCardholder()) async throws -> TestCardholder {
        let answer = try await put(holder)
        try #require(answer.status == 201, "\(answer.members)")
        return holder
    }

    /// Reads a cardholder.
    func get(_ uniqueId: String) async throws -> HTTPAnswer {
        try await server.call("GET", cardholder: uniqueId, by: issuer)
    }

    /// Changes members of a cardholder.
    func patch(
        _ uniqueId: String, _ body: [String: JSON], headers: [(name: String, value: String)] = []
    ) async throws -> HTTPAnswer {
        try await server.call("PATCH", cardholder: uniqueId, body, headers: headers, by: issuer)
    }

    /// Erases a cardholder.
    func delete(_ uniqueId: String, headers: [(name: String, value: String)] = []) async throws -> HTTPAnswer {
        try await server.call("DELETE", cardholder: uniqueId, headers: headers, by: issuer)
    }

    /// Defines a cardholder's PIN by token.
    func define(_ holder: TestCardholder, _ pin: String) async throws -> HTTPAnswer {
        let token = bank.token(for: holder, type: "02")
        let padded = pin + String(repeating: " ", count: 16 - pin.count)
        return try await server.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                "pin": .string(try key.seal(Array(padded.utf8), SealedBinding("pin", for: token))),
            ])
    }

    /// Fetches a cardholder's PIN by token, with the authentication code.
    func fetch(_ holder: TestCardholder, type: String = "00") async throws -> (code: Int, delivery: TestDelivery?) {
        let app = try TestApp()
        let token = bank.token(for: holder, type: type)
        let answer = try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, token))
        let code = try #require(answer.code)
        return (code, code == 0 ? try app.open(answer) : nil)
    }
}

extension HTTPAnswer {
    /// The invalid members in order, each with the reason.
    var invalid: [(member: String, reason: String)] {
        (members["invalid"]?.array ?? []).compactMap(\.object).map {
            ($0["member"]?.string ?? "", $0["reason"]?.string ?? "")
        }
    }
}
