import Crypto
import Foundation
import ServerHarness
import Testing

/// A hashMac or token that the bank's back-end has bound to the app's key (protocol, section 2.2.1).
@Suite("Proofs that are bound to the app's key")
struct ProofBindingTests {
    @Test("A bound proof fetches the PIN, whether the bank accepts or requires it", arguments: ["accept", "require"])
    func bound(rule: String) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = try await bank(rule, service)
        let app = try TestApp()
        let answer = try await service.server.post(Path.captcha, try captcha(app, bank, cardholder))
        let delivery = try app.open(answer)
        #expect(try await service.server.post(Path.notify, delivery.notify(bank, cardholder)).code == 0)

        let body = try tokenCaptcha(app, bank, cardholder)
        let byToken = try app.open(try await service.server.post(Path.tokenCaptcha, body))
        let token = TestToken(members: try JSON(parsing: body["token"]?.string ?? "").object ?? [:])
        let notify = byToken.tokenNotify(bank, cardholder, token: token)
        #expect(try await service.server.post(Path.tokenNotify, notify).code == 0, "notify does not look at it")
    }

    @Test(
        "A proxy that replaces the app's key gets nothing, and spends and counts nothing",
        arguments: ["accept", "require"])
    func replaced(rule: String) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = try await bank(rule, service)
        let (app, proxy) = (try TestApp(), try await Self.proxy.value)
        let counts = "unconfirmed_fetches, authentication_failures"
        let select = "SELECT \(counts) FROM cardholder WHERE \(cardholder.row(bank))"
        let before = try await service.installation.sql(select)

        let sent = try captcha(app, bank, cardholder)
        var forged = sent
        forged["rsaPublicKey"] = try proxy.captcha(bank, cardholder)["rsaPublicKey"]
        #expect(try await service.server.post(Path.captcha, forged).code == 205)

        let sentByToken = try tokenCaptcha(app, bank, cardholder)
        forged = sentByToken
        forged["ecdhPublicKey"] = try proxy.tokenCaptcha(bank, bank.token(for: cardholder))["ecdhPublicKey"]
        let refused = try await service.server.post(Path.tokenCaptcha, forged)
        #expect(refused.code == 206)
        #expect(refused.message?.contains("Binding") == true)

        #expect(try await service.installation.sql(select) == before)
        #expect(try await service.server.post(Path.captcha, sent).code == 0)
        #expect(try await service.server.post(Path.tokenCaptcha, sentByToken).code == 0)
    }

    @Test("Where the bank requires it, an unbound proof is refused and told so")
    func unbound() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = try await bank("require", service)
        let byCode = try await service.server.fetch(bank, cardholder)
        #expect(byCode.code == 205)
        #expect(byCode.message?.contains("not bound to the app's key") == true)
        let token = bank.token(for: cardholder)
        let byToken = try await service.server.fetch(bank, token: token)
        #expect(byToken.code == 206)
        #expect(byToken.message?.contains("not bound to the app's key") == true)
    }

    @Test("Once the bank requires it, no server serves an unbound proof, whatever it has remembered of the bank")
    func everyServer() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = try await bank("accept", service)
        let servers = [service.server, try await service.startServer()]
        for server in servers { #expect(try await server.fetch(bank, token: bank.token(for: cardholder)).code == 0) }
        try await service.installation.run(["bank", "set", bank.id, "--bindings", "require"]).succeeded()
        for server in servers {
            #expect(try await server.fetch(bank, token: bank.token(for: cardholder)).code == 206)
            #expect(try await server.fetch(bank, cardholder, timestamp: Stamps.next()).code == 205)
        }
    }

    static let wrongBindings: [JSON] = [
        .null, "", .integer(7), true, ["a"], .string(digest([1])), .string(digest([1]) + "="),
        .string(String(digest([1]).dropLast())),
    ]

    @Test("A token whose Binding is anything but the right digest is answered 206, and not spent")
    func wrong() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        for binding in Self.wrongBindings {
            let token = bank.token(for: cardholder)
            let refused = try await service.server.fetch(bank, token: token.with(["Binding": binding]))
            #expect(refused.code == 206, "\(binding)")
            #expect(try await service.server.fetch(bank, token: token).code == 0, "\(binding)")
        }
    }

    @Test("A hashMac over another digest, or over the digest without its dots, is answered 205")
    func wrongHashMac() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let (app, now) = (try TestApp(), "\(TestBank.timestamp())")
        let right = Self.digest(of: try app.captcha(bank, cardholder)["rsaPublicKey"])
        let texts = [".\(right)", "\(right).", right, ".\(Self.digest([1])).", ".\(right)=."]
        for text in texts {
            var body = try app.captcha(bank, cardholder)
            body["timestamp"] = .string(now)
            let message = Data((bank.id + cardholder.uniqueId + now + text).utf8)
            body["hashMac"] = .string(
                Hex.encode(HMAC<SHA256>.authenticationCode(for: message, using: bank.hmacKey)))
            #expect(try await service.server.post(Path.captcha, body).code == 205, "\(text)")
        }
    }

    private static func digest(_ bytes: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(data: bytes))) }

    /// The digest of a key that is sent in base64.
    private static func digest(of sent: JSON?) -> String {
        digest(Data(base64Encoded: sent?.string ?? "").map(Array.init) ?? [])
    }

    /// It has other keys than the app. RSA keys are slow to generate.
    private static let proxy = Once { try TestApp.withOwnKeys() }

    private func bank(_ rule: String, _ service: Service) async throws -> (TestBank, TestCardholder) {
        let cardholder = TestCardholder()
        let settings = ["--bindings", rule, "--retention", "keep-repeat", "--reminders", "true"]
        return (try await service.makeBank(settings, cardholders: [cardholder]), cardholder)
    }

    private func captcha(_ app: TestApp, _ bank: TestBank, _ cardholder: TestCardholder) throws -> [String: JSON] {
        let now = TestBank.timestamp()
        var body = try app.captcha(bank, cardholder, timestamp: now)
        let binding = Self.digest(of: body["rsaPublicKey"])
        body["hashMac"] = .string(
            bank.hashMac(uniqueId: cardholder.uniqueId, timestamp: "\(now)", binding: binding))
        return body
    }

    private func tokenCaptcha(
        _ app: TestApp, _ bank: TestBank, _ cardholder: TestCardholder
    ) throws -> [String: JSON] {
        let binding = Self.digest(Array(app.ecKey.publicKey.derRepresentation))
        return try app.tokenCaptcha(bank, bank.token(for: cardholder).with(["Binding": .string(binding)]))
    }
}
