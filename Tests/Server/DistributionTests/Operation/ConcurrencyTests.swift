import ServerHarness
import Testing

/// Limits and single-use values also apply to simultaneous requests, on one server and on two.
@Suite("Simultaneous distribution requests")
struct ConcurrencyTests {
    private static let count = 24

    /// A second server with the same database and vault as the shared one.
    private static let secondServer = Once {
        try await Service.shared.value.startServer()
    }

    /// All requests go to one server, or half of them to each of two.
    private static let serverCounts = [1, 2]

    @Test("Of simultaneous uses of one token, exactly one is answered 0", arguments: serverCounts)
    func token(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.tokenBank.bank, service.tokenBank.cardholder())
        let body = try TestApp().tokenCaptcha(bank, bank.token(for: holder))
        let codes = try await codes(serverCount) { server, _ in try await server.post(Path.tokenCaptcha, body) }
        #expect(codes == [0: 1, 210: Self.count - 1])
    }

    @Test("Of simultaneous uses of one hashMac, exactly one is answered 0", arguments: serverCounts)
    func hashMac(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let body = try TestApp().captcha(bank, holder)
        let codes = try await codes(serverCount) { server, _ in try await server.post(Path.captcha, body) }
        #expect(codes == [0: 1, 205: Self.count - 1])
    }

    @Test("Of simultaneous wrong codes, exactly as many as the retry limit are checked", arguments: serverCounts)
    func guesses(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let stamp = TestBank.timestamp()
        let codes = try await codes(serverCount) { server, index in
            let guess = holder.with(code: "guess\(index)")
            if index.isMultiple(of: 3) { return try await server.fetch(bank, token: bank.token(for: guess)) }
            return try await server.fetch(bank, guess, timestamp: stamp - index)
        }
        #expect(codes == [203: 3, 307: Self.count - 3])
        #expect(try await service.server.fetch(bank, holder).code == 307)
    }

    @Test("Of simultaneous fetches, exactly as many as the fetch limit deliver", arguments: serverCounts)
    func fetches(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let stamp = TestBank.timestamp()
        let codes = try await codes(serverCount) { server, index in
            try await server.fetch(bank, holder, timestamp: stamp - index)
        }
        #expect(codes == [0: 5, 307: Self.count - 5])
    }

    @Test("Simultaneous notifies with one status are all answered 0", arguments: serverCounts)
    func sameNotify(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let body = try await service.server.deliver(bank, holder).notify(bank, holder)
        let codes = try await codes(serverCount) { server, _ in try await server.post(Path.notify, body) }
        #expect(codes == [0: Self.count])
    }

    @Test(
        "Of simultaneous notifies with different statuses, one status is answered 0 and the others 312",
        arguments: serverCounts)
    func mixedNotify(serverCount: Int) async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let delivery = try await service.server.deliver(bank, holder)
        let codes = try await codes(serverCount) { server, index in
            try await server.post(Path.notify, delivery.notify(bank, holder, status: index % 3))
        }
        #expect(codes == [0: Self.count / 3, 312: Self.count * 2 / 3])
        let rows = try await service.installation.sql(
            "SELECT notified_status IS NOT NULL FROM delivery_session WHERE \(holder.row(bank))")
        #expect(rows == ["t"])
    }

    @Test("A delivery of a server that was then killed can be confirmed on another server")
    func killed() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let doomed = try await service.startServer()
        let token = bank.token(for: holder)
        let delivery = try await doomed.deliver(bank, token: token)
        try await doomed.kill9()
        #expect(try await service.server.fetch(bank, token: token).code == 210)
        let body = delivery.tokenNotify(bank, holder, token: token)
        #expect(try await Self.secondServer.value.post(Path.tokenNotify, body).code == 0)
        #expect(try await service.server.fetch(bank, token: bank.token(for: holder)).code == 303)
    }

    @Test("A change of a bank applies at once on every server")
    func bankChanged() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder()
        let bank = try await service.makeBank(cardholders: [holder])
        let servers = [service.server, try await Self.secondServer.value]
        for (status, code) in [("ACTIVE", 0), ("DISABLED", 300), ("ACTIVE", 0)] {
            try await service.installation.run(["bank", "set", bank.id, "--status", status]).succeeded()
            for server in servers {
                #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == code)
            }
        }
    }

    /// Sends requests at the same time; returns the number of responses per code.
    private func codes(
        _ serverCount: Int, _ send: @Sendable @escaping (TestServer, Int) async throws -> HTTPAnswer
    ) async throws -> [Int: Int] {
        let first = try await Service.shared.value.server
        let second = try await Self.secondServer.value
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<Self.count {
                let server = serverCount == 2 && index.isMultiple(of: 2) ? second : first
                group.addTask { try await send(server, index).code ?? -1 }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }
}
