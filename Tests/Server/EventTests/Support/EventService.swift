import Crypto
import Foundation
import ServerHarness
import Testing
import WebhookHarness

/// The installation and the server that most suites share. Housekeeping runs every second.
struct EventService: Sendable {
    /// The shared service of this test process.
    static let shared = Once { try await EventService() }

    let installation: TestInstallation
    let server: TestServer
    let key: SealingKey

    /// A separate installation for one test.
    init() async throws {
        installation = try await TestInstallation()
        server = try await Self.startServer(on: installation)
        key = try await server.sealingKey()
    }

    /// Starts a server that trusts the certificate of the test receivers.
    static func startServer(on installation: TestInstallation) async throws -> TestServer {
        try await installation.startServer([
            "--housekeeping-interval-seconds", "1", "--webhooks-ca", try await WebhookReceiver.certificate.value.file,
        ])
    }

    /// Makes a bank with a back-end and cardholders.
    func makeBank(_ settings: [String] = [], cardholders count: Int = 1) async throws -> EventBank {
        let bank = try await installation.makeBank(
            [
                "--retention", "keep-repeat", "--fetch-limit", "100", "--weak-pin-rules", "none",
                "--definitions-per-day", "100",
            ] + settings)
        let holders = (0..<count).map { _ in TestCardholder() }
        try await installation.provision(holders, of: bank, through: server)
        return EventBank(
            service: self, bank: bank, issuer: try await installation.makeIssuer(for: bank), holders: holders)
    }
}

/// A bank in which tests cause events.
struct EventBank: Sendable {
    let service: EventService
    let bank: TestBank
    let issuer: TestIssuer
    let holders: [TestCardholder]

    var id: String { bank.id }

    /// Fetches a PIN and sends a notify with a status.
    func deliver(_ holder: TestCardholder, status: Int = 0, through server: TestServer? = nil) async throws {
        let code = try await notify(try await fetch(holder, through: server), status: status, through: server)
        try #require(code == 0)
    }

    /// Fetches a PIN without a notify.
    func fetch(_ holder: TestCardholder, through server: TestServer? = nil) async throws -> Delivery {
        let app = try TestApp()
        let token = bank.token(for: holder)
        let answer = try await (server ?? service.server).post(Path.tokenCaptcha, app.tokenCaptcha(bank, token))
        try #require(answer.code == 0, "\(answer.members)")
        return Delivery(holder: holder, token: token, opened: try app.open(answer))
    }

    /// Sends a notify for a delivery; returns the code.
    func notify(_ delivery: Delivery, status: Int = 0, through server: TestServer? = nil) async throws -> Int? {
        let body = delivery.opened.tokenNotify(bank, delivery.holder, token: delivery.token, status: status)
        return try await (server ?? service.server).post(Path.tokenNotify, body).code
    }

    /// Defines a PIN; returns the code.
    func define(_ holder: TestCardholder, _ pin: String) async throws -> Int? {
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

    /// Fetches with a wrong authentication code; returns the response's code.
    func guess(_ holder: TestCardholder) async throws -> Int? {
        var guesser = holder
        guesser.code = "Wrong000"
        let token = bank.token(for: guesser)
        return try await service.server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, token)).code
    }

    /// The events after a cursor, and the next cursor.
    func page(
        after cursor: String? = nil, limit: Int? = nil, waitSeconds: Int? = nil, through server: TestServer? = nil
    ) async throws -> (events: [Event], next: String) {
        let answer = try await (server ?? service.server)
            .events(after: cursor, limit: limit, waitSeconds: waitSeconds, by: issuer)
        try #require(answer.status == 200, "\(answer.members)")
        let events = try (answer.members["events"]?.array ?? []).map { try Event($0) }
        return (events, try #require(answer.members["next"]?.string))
    }

    /// All events, up to 500.
    func events() async throws -> [Event] {
        try await page(limit: 500).events
    }

    /// Sets the bank's webhook URL.
    func setWebhook(_ receiver: WebhookReceiver, path: String = "/hook?for=cards") async throws {
        try await service.installation.run([
            "webhook", "set", "--bank", id, "--allow-private", "\(receiver.url)\(path)",
        ]).succeeded()
    }
}

/// A delivery by token.
struct Delivery: Sendable {
    let holder: TestCardholder
    let token: TestToken
    let opened: TestDelivery
}

/// An event, from the feed or from a webhook.
struct Event: Sendable, Equatable {
    let id: String
    let type: String
    let bankId: String
    /// Empty if the event has none.
    let uniqueId: String
    let occurredAt: Int
    let data: [String: JSON]

    init(_ json: JSON) throws {
        let members = try #require(json.object)
        let about =
            ["certificate.expiring", "revocation-list.expiring", "audit.sealed"].contains(members["type"])
            ? [] : ["uniqueId"]
        try #require(Set(members.keys) == Set(["id", "type", "bankId", "occurredAt", "data"] + about))
        id = try #require(members["id"]?.string)
        type = try #require(members["type"]?.string)
        bankId = try #require(members["bankId"]?.string)
        uniqueId = members["uniqueId"]?.string ?? ""
        occurredAt = try #require(members["occurredAt"]?.integer)
        data = try #require(members["data"]?.object)
    }
}

extension ReceivedWebhook {
    /// The event in the body.
    var event: Event {
        get throws { try Event(JSON(parsing: body)) }
    }
}

extension WebhookReceiver {
    /// The events that were answered with a 2xx status.
    var taken: [Event] {
        get throws { try accepted.map { try $0.event } }
    }

    /// The events that were answered with a 2xx status, each once.
    ///
    /// An answer that comes too late for the server, on a busy machine, is a failed attempt: then the event comes again.
    var known: [Event] {
        get throws {
            var ids: Set<String> = []
            return try taken.filter { ids.insert($0.id).inserted }
        }
    }
}
