import ServerHarness
import Testing

/// Definitions at the same time, on one server and on two, have the same result as one after the other.
@Suite("Simultaneous definitions")
struct ConcurrencyTests {
    private static let count = 24

    private func servers(_ count: Int) async throws -> [TestServer] {
        let service = try await Service.shared.value
        return count == 1 ? [service.server] : [service.server, try await Service.second.value]
    }

    @Test("Of simultaneous uses of one token, exactly one is answered 0", arguments: DefinitionCall.byToken, [1, 2])
    func oneToken(call: DefinitionCall, serverCount: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempt = try await service.defining("83052", call, holder)
        let attempts = Array(repeating: attempt, count: Self.count)
        let codes = try await service.codes(attempts, through: servers(serverCount))
        #expect(codes == [0] + Array(repeating: 211, count: Self.count - 1))
        #expect(try await service.row("pin_serial, definition_count", of: holder) == "2|1")
    }

    @Test("Of simultaneous uses of one hashMac, exactly one is answered 0", arguments: [1, 2])
    func oneHashMac(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempts = Array(repeating: try service.attempt(.hmac, holder, "83052"), count: Self.count)
        let codes = try await service.codes(attempts, through: servers(serverCount))
        #expect(codes == [0] + Array(repeating: 141, count: Self.count - 1))
        #expect(try await service.row("pin_serial, definition_count", of: holder) == "2|1")
    }

    @Test("Of simultaneous uses of one keypad, exactly one is answered 0", arguments: [1, 2])
    func oneKeypad(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let first = try await service.defining("83052", .indexes, holder)
        let attempts = (0..<Self.count).map { place in
            var attempt = first
            attempt.transactionId = "\(first.transactionId)-\(place)"
            return attempt
        }
        let codes = try await service.codes(attempts, through: servers(serverCount))
        #expect(codes == [0] + Array(repeating: 214, count: Self.count - 1))
    }

    @Test(
        "After simultaneous definitions of different PINs, one of the PINs is stored completely",
        arguments: DefinitionCall.definitions)
    func differentPINs(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let pins = ["83052", "830527", "83052", "830527"]
        var attempts: [Attempt] = []
        for pin in pins { attempts.append(try await service.defining(pin, call, holder)) }
        let codes = try await service.codes(attempts, through: servers(2))
        #expect(codes == [0, 0, 0, 0])
        #expect(try await service.row("pin_serial", of: holder) == "5")
        let length = try #require(try await service.fetch(holder).length)
        #expect([5, 6].contains(length))
    }

    @Test("The daily limit of definitions applies across all servers")
    func definitionsPerDay() async throws {
        let service = try await Service.shared.value
        let limit = 3
        let bank = try await service.installation.makeBank(["--definitions-per-day", "\(limit)"])
        let holder = try await service.holder(of: bank)
        let attempts = try (0..<12).map { _ in try service.attempt(.token, holder, of: bank) }
        let codes = try await service.codes(attempts, through: servers(2))
        // The count restarts if midnight (UTC) passes during the test.
        let days = try await service.row("definition_count = \(limit)", of: holder) == "t" ? 1 : 2
        #expect(codes.filter { $0 == 0 }.count <= days * limit)
        #expect(codes.filter { $0 == 0 }.count >= limit)
        #expect(Set(codes) == [0, 114])
    }

    @Test("A fetch during a definition delivers either the old or the new PIN, complete")
    func definitionAndFetch() async throws {
        let service = try await Service.shared.value
        let servers = try await servers(2)
        let holder = try await service.holder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for round in 0..<10 {
                group.addTask {
                    let attempt = try service.attempt(.token, holder, ["83052", "830527"][round % 2])
                    #expect(try await service.code(attempt, through: servers[round % 2]) == 0)
                }
                group.addTask {
                    let delivery = try await service.fetch(holder, through: servers[round % 2])
                    #expect([4, 5, 6].contains(try delivery.length))
                }
            }
            try await group.waitForAll()
        }
    }
}
