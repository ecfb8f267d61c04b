import ServerHarness
import Testing

/// A fetch whose PIN could not be sent is taken back; nothing else is.
@Suite("Fetches that are taken back")
struct TakeBackTests {
    @Test("Only the fetch's own session is taken back, and only the count of its own PIN")
    func ownSession() async throws {
        let service = try await Service.shared.value
        // A bank of its own, because rows are counted.
        let (server, holder) = (service.server, TestCardholder())
        let bank = try await service.makeBank(cardholders: [holder])
        let delivery = try await server.deliver(bank, holder)
        func row() async throws -> [String] {
            try await service.installation.sql(
                """
                SELECT unconfirmed_fetches, (SELECT count(*) FROM delivery_session WHERE \(holder.row(bank))),
                    (SELECT count(*) FROM spent_proof WHERE bank_id = '\(bank.id)' AND kind = 'hmac')
                FROM cardholder WHERE \(holder.row(bank))
                """)
        }
        func takeBack(_ session: String) async throws {
            try await service.installation.sql(
                """
                SELECT take_back_fetch(p_bank_id => '\(bank.id)', p_unique_id => '\(holder.uniqueId)',
                    p_session_id => '\(session)', p_transaction_digest => NULL,
                    p_hmac_digest => (SELECT digest FROM spent_proof WHERE bank_id = '\(bank.id)' LIMIT 1))
                """)
        }
        let before = try await row()
        // A session that is not there: neither the count nor somebody's hashMac is taken back.
        try await takeBack("unknown")
        #expect(try await row() == before)
        #expect(try await server.post(Path.notify, delivery.notify(bank, holder, status: 1)).code == 0)

        // The PIN was replaced after the fetch, and the new one was fetched once.
        try await service.installation.sql(
            "UPDATE cardholder SET pin_serial = pin_serial + 1 WHERE \(holder.row(bank))")
        try await takeBack(delivery.sessionId)
        let after = try await service.installation.sql(
            "SELECT unconfirmed_fetches FROM cardholder WHERE \(holder.row(bank))")
        #expect(after == ["1"])
    }
}
