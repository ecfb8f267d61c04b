import Cryptography
import EMRTD
import EMRTDSimulation
import Foundation
import ServerHarness
import Testing
import WebhookHarness

/// The installation and the server that most suites share. Its servers trust the certificate of the test receivers.
struct IdentityService: Sendable {
    /// The shared service of this test process.
    static let shared = Once { try await IdentityService() }

    let installation: TestInstallation
    let server: TestServer
    let key: SealingKey

    /// A separate installation for one test.
    init(_ arguments: [String] = []) async throws {
        installation = try await TestInstallation()
        server = try await Self.startServer(on: installation, arguments)
        key = try await server.sealingKey()
    }

    init(installation: TestInstallation, server: TestServer, key: SealingKey) {
        (self.installation, self.server, self.key) = (installation, server, key)
    }

    static func startServer(on installation: TestInstallation, _ arguments: [String] = []) async throws -> TestServer {
        try await installation.startServer(
            [
                "--webhooks-ca", try await WebhookReceiver.certificate.value.file, "--results-timeout-seconds", "60",
            ] + arguments)
    }

    /// Makes a bank with a back-end, a cardholder, a state that it trusts, and a document client.
    ///
    /// - Parameter resultURL: where the client's results are posted.
    func makeBank(_ settings: [String] = [], resultURL: String? = nil) async throws -> IdentityBank {
        let bank = try await installation.makeBank(
            ["--retention", "keep-repeat", "--fetch-limit", "100", "--weak-pin-rules", "none"] + settings)
        let holder = TestCardholder()
        try await installation.provision([holder], of: bank, through: server)
        let made = IdentityBank(
            service: self, bank: bank, issuer: try await installation.makeIssuer(for: bank), holder: holder,
            state: try SimulatedIssuer(at: TestState.now), clientId: Unique.name("client"))
        try await made.importTrustList()
        try await installation.addDocumentClient(made.clientId, resultURL: resultURL, to: bank)
        return made
    }
}

enum TestState {
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

/// A bank whose cardholder must show a document.
struct IdentityBank: Sendable {
    let service: IdentityService
    let bank: TestBank
    let issuer: TestIssuer
    let holder: TestCardholder
    let state: SimulatedIssuer
    let clientId: String

    /// The made-up person of ``holder``.
    var person: SimulatedHolder { SimulatedHolder() }

    /// Lets the bank alone trust a state.
    func importTrustList(of state: SimulatedIssuer? = nil, signedAt: Int64 = TestState.now - 60) async throws {
        let state = state ?? self.state
        try await service.installation.importTrustList(
            state.masterList(of: [state.certificate], signingTime: signedAt), root: state.certificate, for: bank)
    }

    /// What a back-end asks for: the document of ``person``.
    var request: [String: JSON] {
        ["clientId": .string(clientId), "document": ["issuingState": "UTO", "documentNumber": "L898902C3"]]
    }

    /// Asks for a check.
    func check(
        _ body: [String: JSON]? = nil, of uniqueId: String? = nil, by other: TestIssuer? = nil
    ) async throws -> HTTPAnswer {
        var call = IssuerCall(
            "POST",
            "/v1/banks/\(Percent.encode((other ?? issuer).bankId))/cardholders/"
                + "\(Percent.encode(uniqueId ?? holder.uniqueId))/identity-checks",
            body: Array(JSON.object(body ?? request).text.utf8))
        call.headers = [("Content-Type", "application/json")]
        return try await service.server.call(call, by: other ?? issuer)
    }

    /// Fetches the PIN by token.
    func fetch(through server: TestServer? = nil) async throws -> (code: Int?, notify: (Int) -> [String: JSON]?) {
        let app = try TestApp()
        let token = bank.token(for: holder)
        let answer = try await (server ?? service.server).post(Path.tokenCaptcha, app.tokenCaptcha(bank, token))
        guard answer.code == 0 else { return (answer.code, { _ in nil }) }
        let opened = try app.open(answer)
        return (0, { opened.tokenNotify(bank, holder, token: token, status: $0) })
    }

    /// Fetches the PIN, and sends a notify with a status.
    func deliver(status: Int = 0) async throws {
        let fetched = try await fetch()
        try #require(fetched.code == 0)
        let body = try #require(fetched.notify(status))
        #expect(try await service.server.post(Path.tokenNotify, body).code == 0)
    }

    /// Defines a PIN; returns the code.
    func define(_ pin: String = "5839") async throws -> Int? {
        let token = bank.token(for: holder, type: "02")
        let padded = pin + String(repeating: " ", count: 16 - pin.count)
        return try await service.server.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                "pin": .string(try service.key.seal(Array(padded.utf8), SealedBinding("pin", for: token))),
            ]
        ).code
    }

    /// Gives the cardholder a pass, as a session does at its end.
    func givePass(seconds: Int = 900) async throws {
        try await service.installation.sql(newPass(seconds: seconds))
    }

    /// The statement that gives it.
    func newPass(to uniqueId: String? = nil, seconds: Int = 900) async throws -> String {
        try await service.installation.passStatement(for: uniqueId ?? holder.uniqueId, of: bank.id, seconds: seconds)
    }

    func passCount() async throws -> Int {
        try await service.installation.sql("SELECT 1 FROM identity_pass WHERE bank_id = '\(bank.id)'").count
    }
}

/// The files of `csca import`.
struct TrustFiles {
    let root: String
    let list: String

    init(_ state: SimulatedIssuer, of certificates: [[UInt8]]? = nil, signedAt: Int64 = TestState.now - 60) throws {
        root = try Self.write(state.certificate, "root.cer")
        list = try Self.write(
            try state.masterList(of: certificates ?? [state.certificate], signingTime: signedAt), "list.ml")
    }

    static func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = TestFolder.shared.unused(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }
}
