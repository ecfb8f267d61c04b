import ServerHarness
import Testing

/// Codes 302 and 309: the cardholder's status, retention and channel (sections 2.6 and 2.9).
@Suite("Cardholder status")
struct StatusTests {
    /// The codes of the three kinds of fetch.
    struct Codes: Equatable, Sendable {
        let delivery: Int?
        let reminder: Int?
        let byCode: Int?

        init(_ delivery: Int?, _ reminder: Int?, _ byCode: Int?) {
            (self.delivery, self.reminder, self.byCode) = (delivery, reminder, byCode)
        }
    }

    /// The codes for a delivery token (00), a reminder token (01) and a fetch by code, before and after the first
    /// confirmed delivery. A fetch by code is a delivery before it, and a reminder after it if the bank allows reminders.
    private static let table: [(retention: String, reminders: Bool, before: Codes, after: Codes)] = [
        ("erase", false, Codes(0, 302, 0), Codes(303, 302, 303)),
        ("erase", true, Codes(0, 0, 0), Codes(303, 303, 303)),
        ("keep", false, Codes(0, 302, 0), Codes(302, 302, 302)),
        ("keep", true, Codes(0, 0, 0), Codes(302, 0, 0)),
        ("keep-repeat", false, Codes(0, 302, 0), Codes(0, 302, 0)),
        ("keep-repeat", true, Codes(0, 0, 0), Codes(0, 0, 0)),
    ]

    @Test("Before and after a confirmed delivery, the codes depend on retention and reminders", arguments: table)
    func retention(retention: String, reminders: Bool, before: Codes, after: Codes) async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let settings = ["--retention", retention, "--reminders", "\(reminders)", "--fetch-limit", "20"]
        let bank = try await service.makeBank(settings, cardholders: [cardholder])
        #expect(try await codes(bank, cardholder, service) == before)
        #expect(try await service.server.deliverAndConfirm(bank, cardholder, timestamp: Stamps.next()) == 0)
        #expect(try await codes(bank, cardholder, service) == after)
        #expect(try await codes(bank, cardholder, service) == after)
    }

    @Test("A new PIN can be fetched even if the old PIN's delivery was confirmed")
    func newPIN() async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        #expect(try await service.server.deliverAndConfirm(bank, cardholder, timestamp: Stamps.next()) == 0)
        #expect(try await service.server.fetch(bank, cardholder, timestamp: Stamps.next()).code == 303)
        _ = try await service.provision(cardholder, of: bank)
        #expect(try await codes(bank, cardholder, service) == Codes(0, 302, 0))
    }

    @Test("A cardholder who is not ACTIVE is answered 302 until ACTIVE again", arguments: ["SUSPENDED", "CLOSED"])
    func notActive(status: String) async throws {
        let service = try await Service.shared.value
        let bank = service.repeatingBank.bank
        let holder = TestCardholder(status: status)
        _ = try await service.provision(holder, of: bank)
        #expect(try await codes(bank, holder, service) == Codes(302, 302, 302))
        try await set("ACTIVE", holder, bank, service)
        // CLOSED has erased PIN and code.
        if status == "CLOSED" { _ = try await service.provision(TestCardholder(holder.uniqueId), of: bank) }
        #expect(try await codes(bank, holder, service) == Codes(0, 0, 0))
        try await set(status, holder, bank, service)
        #expect(try await codes(bank, holder, service) == Codes(302, 302, 302))
    }

    @Test(
        "A fetch on a channel that the cardholder does not have is answered 309",
        arguments: [
            (["AC"], Codes(309, 309, 0)), (["TOKEN"], Codes(0, 0, 309)), ([], Codes(309, 309, 309)),
            (["TOKEN", "AC"], Codes(0, 0, 0)),
        ])
    func channels(channels: [String], expected: Codes) async throws {
        let service = try await Service.shared.value
        let bank = service.repeatingBank.bank
        let holder = TestCardholder(channels: channels)
        _ = try await service.provision(holder, of: bank)
        #expect(try await codes(bank, holder, service) == expected)
    }

    private func set(
        _ status: String, _ holder: TestCardholder, _ bank: TestBank, _ service: Service
    ) async throws {
        try await service.installation.run(
            ["cardholder", "set-status", "--bank", bank.id, holder.uniqueId, status]
        ).succeeded()
    }

    private func codes(_ bank: TestBank, _ cardholder: TestCardholder, _ service: Service) async throws -> Codes {
        let server = service.server
        return Codes(
            try await server.fetch(bank, token: bank.token(for: cardholder, type: "00")).code,
            try await server.fetch(bank, token: bank.token(for: cardholder, type: "01")).code,
            try await server.fetch(bank, cardholder, timestamp: Stamps.next()).code)
    }
}
