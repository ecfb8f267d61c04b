import ServerHarness
import Testing

/// A member that is absent, null or empty is missing, and each has its code (protocol, sections 2 and 2.9).
@Suite("Missing members")
struct MissingMemberTests {
    /// The ways in which a member may be missing.
    private static let ways: [JSON?] = [nil, .null, ""]

    @Test(
        "Of a fetch by authentication code",
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

    @Test("Of a notify by authentication code", arguments: notifyCodes + [("bankId", 100), ("uniqueId", 101)])
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

    @Test("Of a fetch by token", arguments: [("token", 113), ("signature", 110), ("ecdhPublicKey", 107)])
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
        "Of the token of a fetch",
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

    @Test("A CB bank's token needs no AuthenticationCode, and no token a SignatureCertAlias")
    func optionalTokenMembers() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.tokenBank.bank, service.tokenBank.cardholder())
        for way in Self.ways {
            let changes = ["AuthenticationCode": way, "SignatureCertAlias": way]
            let token = bank.token(for: cardholder).with(changes)
            #expect(try await service.server.fetch(bank, token: token).code == 0, "\(String(describing: way))")
        }
    }

    @Test("Of a notify by token", arguments: notifyCodes + [("token", 113)])
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

    @Test("Of the token of a notify", arguments: [("IdBEL", 100), ("IdPorteur", 101)])
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
        "An empty request misses its first member",
        arguments: [
            (Path.captcha, 100), (Path.notify, 100), (Path.tokenCaptcha, 113), (Path.tokenNotify, 113),
        ])
    func emptyRequest(path: String, code: Int) async throws {
        let service = try await Service.shared.value
        #expect(try await service.server.post(path, [:]).code == code)
    }

    @Test("An unknown member is ignored, in requests and in tokens")
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
