import Crypto
import Foundation
import ServerHarness

/// A server, with a database cluster of its own, at which everything has happened that brings secrets near it. What they
/// are is known here, so that they can be looked for.
struct Scene: Sendable {
    let cluster: TestCluster
    let installation: TestInstallation
    let server: TestServer
    let bank: TestBank
    /// The bank's back-end, whose key is a shared secret.
    let issuer: TestIssuer
    /// By the way in which the code reached the server.
    let holders: [Arrival: TestCardholder]
    /// The codes that were sent and are not those of the cardholders.
    let wrongCodes: [Arrival: String]
    let freeField: String
    /// The PIN that a cardholder has chosen, and the one before it.
    let definer: TestCardholder
    let definedPIN: String
    let deliveries: [Delivered]
    /// The tokens that were sent.
    let tokens: [String]
    /// Everything that the server has answered.
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
        // Half by the operator, half by the bank's back-end.
        try await installation.provision([definer], of: bank, through: server)
        issuer = try await installation.makeIssuer(for: bank, algorithm: .hmacSHA256)
        let key = try await server.sealingKey()
        for holder in holders.values {
            let body = try holder.members(sealedTo: key)
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

    /// Everything that must be nowhere in clear.
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

    /// The codes that came so, and halves of them.
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

    /// What must stand in every place that the requests have left a trace in: it shows that the search finds.
    var control: Needle { Needle("control", bank.id) }
}
