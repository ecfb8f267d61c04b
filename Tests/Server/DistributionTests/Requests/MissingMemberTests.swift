import ServerHarness
import Testing

/// A member that is absent, null or empty is missing. Each has its own code (protocol, sections 2 and 2.9).
@Suite("Missing members")
struct MissingMemberTests {
    /// The ways in which a member can be missing: absent, null, empty.
    private static let ways: [JSON?] = [nil, .null, ""]

    @Test(
        "A missing member of a fetch by authentication code is answered with its own code",
        arguments: [
            ("bankId", 100), ("uniqueId", 101), ("authCode", 102), ("timestamp", 103), ("rsaPublicKey", 106),
            ("hashMac", 108),
        ])
    func captcha(member: String, code: Int) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        for way in Self.ways {
            var body = try TestApp().captcha(bank, cardholder)
            body[member] = way
            let answer = try await service.server.post(Path.captcha, body)
            #expect(answer.code == code, "\(String(describing: way))")
        }
    }

    @Test(
        "A missing member of a notify by authentication code is answered with its own code",
        arguments: notifyCodes + [("bankId", 100), ("uniqueId", 101)])
    func notify(member: String, code: Int) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let delivery = try await service.server.deliver(bank, cardholder)
        for way in Self.ways {
            var body = delivery.notify(bank, cardholder)
            body[member] = way
            let answer = try await service.server.post(Path.notify, body)
            #expect(answer.code == code, "\(String(describing: way))")
        }
        #expect(try await service.server.post(Path.notify, delivery.notify(bank, cardholder)).code == 0)
    }

    @Test(
        "A missing member of a fetch by token is answered with its own code",
        arguments: [("token", 113), ("signature", 110), ("ecdhPublicKey", 107)])
    func tokenCaptcha(member: String, code: Int) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        for way in Self.ways {
            var body = try TestApp().tokenCaptcha(bank, bank.token(for: cardholder))
            body[member] = way
            let answer = try await service.server.post(Path.tokenCaptcha, body)
            #expect(answer.code == code, "\(String(describing: way))")
        }
    }

    @Test(
        "A missing member of the token of a fetch is answered with its own code",
        arguments: [
            ("IdBEL", 100), ("IdPorteur", 101), ("IdFournisseur", 111), ("IdTransaction", 109), ("Timestamp", 103),
            ("Type", 112), ("AuthenticationCode", 102),
        ])
    func token(member: String, code: Int) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        for way in Self.ways {
            let token = bank.token(for: cardholder).with([member: way])
            let answer = try await service.server.fetch(bank, token: token)
            #expect(answer.code == code, "\(String(describing: way))")
        }
    }

    @Test("A CB bank's token without AuthenticationCode and SignatureCertAlias is accepted")
    func optionalTokenMembers() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.tokenBank.bank, service.tokenBank.cardholder())
        for way in Self.ways {
            let changes = ["AuthenticationCode": way, "SignatureCertAlias": way]
            let token = bank.token(for: cardholder).with(changes)
            #expect(try await service.server.fetch(bank, token: token).code == 0, "\(String(describing: way))")
        }
    }

    @Test(
        "A missing member of a notify by token is answered with its own code",
        arguments: notifyCodes + [("token", 113)])
    func tokenNotify(member: String, code: Int) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let token = bank.token(for: cardholder)
        let right = try await service.server.deliver(bank, token: token).tokenNotify(bank, cardholder, token: token)
        for way in Self.ways {
            var body = right
            body[member] = way
            let answer = try await service.server.post(Path.tokenNotify, body)
            #expect(answer.code == code, "\(String(describing: way))")
        }
        #expect(try await service.server.post(Path.tokenNotify, right).code == 0)
    }

    @Test(
        "A missing member of the token of a notify is answered with its own code",
        arguments: [("IdBEL", 100), ("IdPorteur", 101)])
    func notifyToken(member: String, code: Int) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let token = bank.token(for: cardholder)
        let delivery = try await service.server.deliver(bank, token: token)
        for way in Self.ways {
            let body = delivery.tokenNotify(bank, cardholder, token: token.with([member: way]))
            #expect(try await service.server.post(Path.tokenNotify, body).code == code, "\(String(describing: way))")
        }
    }

    @Test(
        "An empty request is answered with the code of its first missing member",
        arguments: [
            (Path.captcha, 100), (Path.notify, 100), (Path.tokenCaptcha, 113), (Path.tokenNotify, 113),
        ])
    func emptyRequest(path: String, code: Int) async throws {
        let service = try await Service.shared.value
        #expect(try await service.server.post(path, [:]).code == code)
    }

    @Test("Unknown members of requests and tokens are ignored")
    func unknownMembers() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (
            service.repeatingBank.bank, service.server, service.repeatingBank.cardholder()
        )
        let extra: [String: JSON] = ["unknown": ["a": [1, nil, true]], "bankID": "other"]
        #expect(try await server.fetch(bank, cardholder, changing: extra).code == 0)
        let token = bank.token(for: cardholder).with(extra.mapValues { $0 })
        #expect(try await server.fetch(bank, token: token, changing: extra).code == 0)
    }

    private static let notifyCodes = [("sessionId", 312), ("status", 105), ("hash", 104)]
}
