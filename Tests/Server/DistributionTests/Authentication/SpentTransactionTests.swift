import ServerHarness
import Testing

/// Code 210: the first request with a valid signature and timestamp spends its IdTransaction (section 2.3).
@Suite("IdTransaction")
struct SpentTransactionTests {
    @Test("After a delivery, any token with the same IdTransaction is answered 210, without expiry")
    func delivered() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let token = bank.token(for: cardholder)
        #expect(try await server.fetch(bank, token: token).code == 0)
        #expect(try await server.fetch(bank, token: token).code == 210)
        let reused = bank.token(for: service.tokenBank.cardholder())
            .with(["IdTransaction": token.members["IdTransaction"]])
        #expect(try await server.fetch(bank, token: reused).code == 210)
        let id = try #require(token.members["IdTransaction"]?.string)
        let rows = try await service.installation.sql(
            "SELECT count(*) FROM spent_transaction WHERE digest = \(SQLText.spentDigest(id))")
        #expect(rows == ["1"])
    }

    /// Codes of refusals that spend the token, and the cardholder's state that causes each.
    private static let refusals: [(code: Int, changes: String)] = [
        (302, "status = 'SUSPENDED'"), (309, "channels = '{AC}'"), (303, "sealed_pin = NULL, pin_expires_at = NULL"),
        (305, "sealed_pin = sealed_pin || '\\x00'::bytea"), (307, "authentication_failures = 3"),
        (304, "sealed_pin = overlay(sealed_pin placing '\\x7fffffff'::bytea from 1 for 4)"),
    ]

    @Test("A refusal because of the cardholder's state spends the IdTransaction", arguments: refusals)
    func refused(code: Int, changes: String) async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.tokenBank.bank, service.server, service.tokenBank.cardholder())
        let token = bank.token(for: cardholder)
        try await service.installation.sql("UPDATE cardholder SET \(changes) WHERE \(cardholder.row(bank))")
        #expect(try await server.fetch(bank, token: token).code == code)
        #expect(try await server.fetch(bank, token: token).code == 210)
    }

    @Test("A wrong or malformed code, or an unknown cardholder, spends the IdTransaction")
    func refusedForCode() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        let cases = [
            (203, cardholder.with(code: "Code4712")), (204, cardholder.with(code: "!")), (301, TestCardholder()),
        ]
        for (code, holder) in cases {
            let token = bank.token(for: holder)
            #expect(try await server.fetch(bank, token: token).code == code)
            #expect(try await server.fetch(bank, token: token).code == 210, "\(code)")
        }
    }

    @Test("A refusal by the timestamp check or an earlier check does not spend the IdTransaction")
    func notSpent() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        let token = bank.token(for: cardholder)
        let other = try await TestAuthority.shared.value.otherSigner
        #expect(try await server.fetch(bank, token: token, signer: other).code == 206)
        #expect(try await server.fetch(bank, token: token, changing: ["ecdhPublicKey": "AAAA"]).code == 207)
        #expect(try await server.fetch(bank, token: token.with(["SignatureCertAlias": "none"])).code == 304)
        #expect(try await server.fetch(bank, token: token.with(["AuthenticationCode": .null])).code == 102)
        #expect(try await server.fetch(bank, token: token.with(["Type": "02"])).code == 209)
        let late = token.with(["Timestamp": .string("\(TestBank.timestamp(-400))")])
        #expect(try await server.fetch(bank, token: late).code == 200)
        #expect(try await server.fetch(bank, token: token).code == 0)
    }

    @Test("An IdTransaction that another bank used, or that differs in case, is accepted")
    func otherBank() async throws {
        let service = try await Service.shared.value
        let server = service.server
        let id = JSON.string(Unique.name("Transaction"))
        let upperCase = JSON.string(id.string?.uppercased() ?? "")
        for (pool, id) in [(service.bank, id), (service.tokenBank, id), (service.bank, upperCase)] {
            let token = pool.bank.token(for: pool.cardholder()).with(["IdTransaction": id])
            #expect(try await server.fetch(pool.bank, token: token).code == 0)
        }
    }
}
