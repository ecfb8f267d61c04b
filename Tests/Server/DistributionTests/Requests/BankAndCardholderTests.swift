import ServerHarness
import Testing

/// Codes 300, 301, 308 and 312: unknown or invalid banks and cardholders (section 2.9).
@Suite("Banks and cardholders")
struct BankAndCardholderTests {
    @Test(
        "An unknown bank is answered 300 on every operation", arguments: ["nobody", "NOBODY é 🏦", "*", "' OR true --"])
    func unknownBank(id: String) async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = TestBank(id: id, hmacKey: service.bank.bank.hmacKey, signer: service.bank.bank.signer)
        #expect(try await codes(bank, cardholder, service) == [300, 300, 300, 300])
    }

    @Test("A disabled bank is answered 300 on every operation until it is enabled again")
    func disabledBank() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(cardholders: [cardholder])
        #expect(try await codes(bank, cardholder, service) == [0, 0, 312, 312])
        try await service.installation.run(["bank", "set", bank.id, "--status", "DISABLED"]).succeeded()
        #expect(try await codes(bank, cardholder, service) == [300, 300, 300, 300])
        try await service.installation.run(["bank", "set", bank.id, "--status", "ACTIVE"]).succeeded()
        #expect(try await codes(bank, cardholder, service) == [0, 0, 312, 312])
    }

    @Test("A bank that is added while the server runs is known at once, even after a request for it was refused")
    func newBank() async throws {
        let service = try await Service.shared.value
        let id = Unique.name("later")
        let before = TestBank(id: id, hmacKey: service.bank.bank.hmacKey, signer: service.bank.bank.signer)
        #expect(try await service.server.fetch(before, TestCardholder()).code == 300)
        let bank = try await service.installation.makeBank(id: id)
        #expect(try await service.server.fetch(bank, TestCardholder()).code == 301)
    }

    @Test("A cardholder of another bank in the programme is answered 308; an unknown one or another programme's, 301")
    func programmes() async throws {
        let service = try await Service.shared.value
        let programme = Unique.name("programme")
        let (ours, theirs, foreign) = (TestCardholder(), TestCardholder(), TestCardholder())
        let bank = try await service.makeBank(["--programme", programme], cardholders: [ours])
        _ = try await service.makeBank(["--programme", programme], cardholders: [theirs])
        _ = try await service.makeBank(cardholders: [foreign])
        for (cardholder, code) in [(ours, 0), (TestCardholder(), 301), (theirs, 308), (foreign, 301)] {
            #expect(try await codes(bank, cardholder, service).prefix(2) == [code, code])
        }
    }

    @Test("If two banks of a programme have the same uniqueId, each serves its own cardholder")
    func sameName() async throws {
        let service = try await Service.shared.value
        let programme = Unique.name("programme")
        let holder = TestCardholder()
        let first = try await service.makeBank(["--programme", programme], cardholders: [holder])
        let second = try await service.makeBank(
            ["--programme", programme], cardholders: [holder.with(code: "Other4711")])
        #expect(try await service.server.fetch(first, holder).code == 0)
        #expect(try await service.server.fetch(second, holder).code == 203)
        #expect(try await service.server.fetch(second, holder.with(code: "Other4711")).code == 0)
    }

    @Test(
        "An identifier that is too long, contains control characters or is not a string is answered 312",
        arguments: [
            .string(String(repeating: "x", count: 65)), "a\nb", "a\u{0}", "a\u{7F}", "a\u{9F}", 5, true, ["x"], [:],
        ] as [JSON])
    func badIdentifiers(value: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        for member in ["bankId", "uniqueId"] {
            #expect(try await server.fetch(bank, cardholder, changing: [member: value]).code == 312)
            let notify: [String: JSON] = [
                "bankId": .string(bank.id), "uniqueId": .string(cardholder.uniqueId), "sessionId": "s", "status": 0,
                "hash": "00",
            ]
            #expect(try await server.post(Path.notify, notify.merging([member: value]) { $1 }).code == 312)
        }
    }

    @Test("An identifier of 64 characters of any script is accepted, and compared by code points")
    func longIdentifiers() async throws {
        let service = try await Service.shared.value
        let id = String(repeating: "é", count: 32) + String(repeating: "🏦", count: 32)
        let holder = try await service.provision(TestCardholder(id), of: service.bank.bank)
        #expect(try await codes(service.bank.bank, holder, service).prefix(2) == [0, 0])
        let decomposed = TestCardholder("e\u{301}" + String(id.dropFirst().dropLast()))
        #expect(try await codes(service.bank.bank, decomposed, service).prefix(2) == [301, 301])
    }

    @Test("A bank id that looks the same but has other code points is answered 300")
    func lookAlike() async throws {
        let service = try await Service.shared.value
        let (precomposed, holder) = (Unique.name("Soci\u{E9}t\u{E9}"), TestCardholder())
        let bank = try await service.installation.makeBank(id: precomposed)
        try await service.installation.provision([holder], of: bank, through: service.server)
        #expect(try await codes(bank, holder, service).prefix(2) == [0, 0])
        let id = precomposed.replacing("\u{E9}", with: "e\u{301}")
        let lookAlike = TestBank(id: id, hmacKey: bank.hmacKey, signer: bank.signer)
        #expect(try await codes(lookAlike, holder, service) == [300, 300, 300, 300])
    }

    /// The codes of the four operations. The notifies name sessions that do not exist.
    private func codes(_ bank: TestBank, _ cardholder: TestCardholder, _ service: Service) async throws -> [Int?] {
        let server = service.server
        let notify: [String: JSON] = ["sessionId": "none", "status": 0, "hash": "00"]
        let who: [String: JSON] = ["bankId": .string(bank.id), "uniqueId": .string(cardholder.uniqueId)]
        let token = bank.token(for: cardholder)
        return [
            try await server.fetch(bank, cardholder, timestamp: Stamps.next()).code,
            try await server.fetch(bank, token: token).code,
            try await server.post(Path.notify, notify.merging(who) { $1 }).code,
            try await server.post(Path.tokenNotify, notify.merging(["token": .string(token.text)]) { $1 }).code,
        ]
    }
}
