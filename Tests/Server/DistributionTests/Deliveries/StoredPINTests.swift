import ServerHarness
import Testing

/// Codes 303, 304 and 305: the PIN is missing or cannot be decrypted (section 2.9).
@Suite("Stored PINs")
struct StoredPINTests {
    @Test("A PIN that was never provisioned is answered 303")
    func never() async throws {
        let service = try await Service.shared.value
        let holder = try await service.provision(TestCardholder(pin: nil), of: service.bank.bank)
        #expect(try await codes(holder, service) == [303, 303])
    }

    @Test("A PIN that was erased after a confirmed delivery is answered 303")
    func erased() async throws {
        let service = try await Service.shared.value
        let holder = service.bank.cardholder()
        #expect(try await service.server.deliverAndConfirm(service.bank.bank, holder) == 0)
        #expect(try await codes(holder, service) == [303, 303])
    }

    @Test("An expired PIN is answered 303, and one that will expire in an hour is delivered")
    func expired() async throws {
        let service = try await Service.shared.value
        let (late, inTime) = (service.bank.cardholder(), service.bank.cardholder())
        try await update(late, "pin_expires_at = now() - interval '1 second'", service)
        try await update(inTime, "pin_expires_at = now() + interval '1 hour'", service)
        #expect(try await codes(late, service) == [303, 303])
        #expect(try await codes(inTime, service) == [0, 0])
    }

    /// Codes, and the damage to the stored row that causes each.
    private static let damages = [
        (305, "sealed_pin = sealed_pin || '\\x00'::bytea"),
        (305, "sealed_pin = substr(sealed_pin, 1, length(sealed_pin) - 1)"),
        (305, "sealed_pin = set_byte(sealed_pin, 10, get_byte(sealed_pin, 10) # 1)"),
        (305, "sealed_pin = set_byte(sealed_pin, 17, get_byte(sealed_pin, 17) # 1)"),
        (305, "sealed_pin = '\\x00'"),
        (305, "sealed_free_field = sealed_pin"),
        (305, "sealed_pin = sealed_free_field"),
        (304, "sealed_pin = overlay(sealed_pin placing '\\x7fffffff'::bytea from 1 for 4)"),
        (304, "sealed_free_field = overlay(sealed_pin placing '\\x7fffffff'::bytea from 1 for 4)"),
    ]

    @Test(
        "A damaged PIN or free field is answered 305, or 304 if its key is missing, without any effect",
        arguments: damages)
    func damaged(code: Int, damage: String) async throws {
        let service = try await Service.shared.value
        let (bank, server) = (service.bank.bank, service.server)
        let holder = try await service.provision(TestCardholder(freeField: "Hello"), of: bank)
        let columns = "sealed_pin, sealed_free_field"
        let whole = try await service.installation.sql("SELECT \(columns) FROM cardholder WHERE \(holder.row(bank))")[0]
            .split(separator: "|").map { "'\($0)'::bytea" }.joined(separator: ", ")
        try await update(holder, damage, service)
        let stamp = Stamps.next()
        let answer = try await server.fetch(bank, holder, timestamp: stamp)
        #expect(answer.code == code)
        #expect(answer.members["pin"] == nil && answer.members["sessionId"] == nil)
        #expect(try await server.fetch(bank, token: bank.token(for: holder)).code == code)
        let id = try #require(answer["X-Request-Id"])
        #expect(server.logLines(with: "request_id=\(id)", "error").isEmpty == false)
        #expect(answer.message == (code == 305 ? "Unexpected crypto error" : "Internal Key not found"))

        let counts = try await service.installation.sql(
            """
            SELECT unconfirmed_fetches, (SELECT count(*) FROM delivery_session WHERE \(holder.row(bank)))
            FROM cardholder WHERE \(holder.row(bank))
            """)
        #expect(counts == ["0|0"])
        try await update(holder, "(\(columns)) = (\(whole))", service)
        #expect(try await server.fetch(bank, holder, timestamp: stamp).code == 0)
    }

    @Test("PINs that were swapped between two cardholders are answered 305")
    func swapped() async throws {
        let service = try await Service.shared.value
        let bank = service.bank.bank
        let (one, other) = (service.bank.cardholder(), service.bank.cardholder())
        try await service.installation.sql(
            """
            UPDATE cardholder AS a SET sealed_pin = b.sealed_pin FROM cardholder AS b
            WHERE a.bank_id = b.bank_id AND a.bank_id = '\(bank.id)' AND
                (a.unique_id, b.unique_id) IN
                    (('\(one.uniqueId)', '\(other.uniqueId)'), ('\(other.uniqueId)', '\(one.uniqueId)'))
            """)
        #expect(try await codes(one, service) == [305, 305])
        #expect(try await codes(other, service) == [305, 305])
    }

    @Test("A bank's HMAC key that cannot be decrypted is answered 305, or 304 if the vault lacks its key")
    func bankKey() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder()
        let bank = try await service.makeBank(cardholders: [holder])
        #expect(try await service.server.fetch(bank, holder, timestamp: Stamps.next()).code == 0)
        try await service.installation.sql(
            "UPDATE hmac_key SET sealed_key = sealed_key || '\\x00'::bytea WHERE bank_id = '\(bank.id)'")
        #expect(try await service.server.fetch(bank, holder, timestamp: Stamps.next()).code == 305)
        try await service.installation.sql(
            """
            UPDATE hmac_key SET sealed_key = overlay(sealed_key placing '\\x7fffffff'::bytea from 1 for 4)
            WHERE bank_id = '\(bank.id)'
            """)
        #expect(try await service.server.fetch(bank, holder, timestamp: Stamps.next()).code == 304)
    }

    private func update(_ holder: TestCardholder, _ changes: String, _ service: Service) async throws {
        try await service.installation.sql("UPDATE cardholder SET \(changes) WHERE \(holder.row(service.bank.bank))")
    }

    /// The codes of a fetch by code and of a fetch by token.
    private func codes(_ holder: TestCardholder, _ service: Service) async throws -> [Int?] {
        let bank = service.bank.bank
        return [
            try await service.server.fetch(bank, holder, timestamp: Stamps.next()).code,
            try await service.server.fetch(bank, token: bank.token(for: holder)).code,
        ]
    }
}
