import Crypto
import Foundation
import ServerHarness

/// A server with its own database cluster that has handled every kind of request with secrets. The scene knows these
/// secrets, so that tests can search for them.
struct Scene: Sendable {
    let cluster: TestCluster
    let installation: TestInstallation
    let server: TestServer
    let bank: TestBank
    /// The bank's back-end, with an HMAC key.
    let issuer: TestIssuer
    /// One cardholder per way in which the code reached the server.
    let holders: [Arrival: TestCardholder]
    /// The wrong codes that were sent.
    let wrongCodes: [Arrival: String]
    let freeField: String
    /// The cardholder who defines a PIN, with the PIN before that.
    let definer: TestCardholder
    let definedPIN: String
    let deliveries: [Delivered]
    /// The tokens that were sent.
    let tokens: [String]
    /// All responses of the server.
    let answers: [String]

    static let shared = Once { try await Scene() }

    /// A cardholder was not created.
    struct NotProvisioned: Error {
        let answer: HTTPAnswer
    }

    private init() async throws {
        cluster = try await TestCluster()
        installation = try await TestInstallation(on: cluster)
        server = try await installation.startServer(["--log-level", "trace"])
        bank = try await installation.makeBank([
            "--pin-maximum-length", "12", "--retention", "keep-repeat", "--reminders", "true", "--fetch-limit", "100",
            "--retry-limit", "20",
        ])
        let freeField = "Free \(Secrets.code())"
        let holders = Dictionary(
            uniqueKeysWithValues: Arrival.allCases.map {
                ($0, TestCardholder(code: Secrets.code(), pin: Secrets.pin(), freeField: freeField))
            })
        let definer = TestCardholder(code: Secrets.code(), pin: Secrets.pin())
        // The definer is provisioned by the operator, the others by the bank's back-end.
        try await installation.provision([definer], of: bank, through: server)
        issuer = try await installation.makeIssuer(for: bank, algorithm: .hmacSHA256)
        let key = try await server.sealingKey()
        for holder in holders.values {
            let body = try holder.members(sealedTo: key, of: bank.id)
            let answer = try await server.call(
                "PUT", cardholder: holder.uniqueId, body, headers: [("Idempotency-Key", holder.uniqueId)], by: issuer)
            guard answer.status == 201 else { throw NotProvisioned(answer: answer) }
        }
        try await installation.importEncryptionCertificate(into: bank)
        (self.holders, self.freeField, self.definer) = (holders, freeField, definer)
        var play = Play(server: server, bank: bank, app: try TestApp())
        for arrival in Arrival.allCases {
            guard let holder = holders[arrival] else { continue }
            try await play.bring(holder, arrival)
        }
        definedPIN = try await play.define(by: definer)
        (wrongCodes, deliveries, tokens, answers) = (play.wrongCodes, play.deliveries, play.tokens, play.answers)
    }

    var hmacKey: [UInt8] { bank.hmacKey.withUnsafeBytes { Array($0) } }

    /// All secrets that must not be found unencrypted.
    var secrets: [Needle] {
        pinNeedles + notifyKeyNeedles + Forms.plain("the free field", freeField)
            + Forms.plain("the HMAC key", hmacKey) + Forms.plain("the issuer's secret", issuer.secret)
            + Arrival.allCases.flatMap { arrival in
                codes(arrival).flatMap { Forms.plain("the code that came \(arrival.rawValue)", $0) }
            }
    }

    var pinNeedles: [Needle] {
        let pins = holders.map { ($0.rawValue, $1.pin) } + [("definer", definer.pin), ("definer, chosen", definedPIN)]
        return pins.flatMap { Forms.plain("the PIN of \($0)", $1 ?? "") }
    }

    var notifyKeyNeedles: [Needle] {
        deliveries.enumerated().flatMap { Forms.plain("notify key \($0)", $1.notifyKey) }
    }

    /// The codes that were sent in this way, and their halves.
    func codeNeedles(_ arrival: Arrival) -> [Needle] {
        codes(arrival).enumerated().flatMap { index, code in
            [
                Needle("code \(index) that came \(arrival.rawValue)", code),
                Needle("beginning of code \(index) that came \(arrival.rawValue)", code.prefix(12).utf8),
                Needle("end of code \(index) that came \(arrival.rawValue)", code.suffix(12).utf8),
            ]
        }
    }

    private func codes(_ arrival: Arrival) -> [String] {
        [holders[arrival]?.code, wrongCodes[arrival]].compactMap(\.self)
    }

    /// A text that requests leave in every searched place. It proves that the search works.
    var control: Needle { Needle("control", bank.id) }
}
