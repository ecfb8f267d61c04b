import ServerHarness
import Testing

/// A back-end that fetches its bank's events (protocol, section 3).
@Suite("Event feed")
struct EventFeedTests {
    @Test("Pages have no gap and no repetition, and at the end the cursor does not change")
    func pages() async throws {
        let bank = try await EventService.shared.value.makeBank(cardholders: 5)
        for holder in bank.holders { try await bank.deliver(holder) }
        let all = try await bank.events()
        #expect(all.map(\.uniqueId) == bank.holders.map(\.uniqueId))

        var (paged, cursor, sizes): ([Event], String?, [Int]) = ([], nil, [])
        repeat {
            let page = try await bank.page(after: cursor, limit: 2)
            paged += page.events
            sizes.append(page.events.count)
            cursor = page.next
        } while sizes.last != 0
        #expect(sizes == [2, 2, 1, 0])
        #expect(paged == all)
        #expect(try await bank.page(after: cursor).next == cursor)

        try await bank.deliver(bank.holders[0])
        #expect(try await bank.page(after: cursor).events.map(\.uniqueId) == [bank.holders[0].uniqueId])
    }

    @Test(
        "A uniqueId with special characters is escaped correctly in the event's JSON",
        arguments: ["x\"\u{301}y", "\\\u{301}", "a\"b\\c/d", "{\"x\":1},é😀"])
    func names(_ name: String) async throws {
        let bank = try await EventService.shared.value.makeBank(["--retry-limit", "1"], cardholders: 0)
        let holder = TestCardholder(Unique.name(name))
        try await bank.service.installation.provision([holder], of: bank.bank, through: bank.service.server)
        #expect(try await bank.guess(holder) == 203)
        #expect(try await bank.events().map { Array($0.uniqueId.utf8) } == [Array(holder.uniqueId.utf8)])
    }

    @Test("A bank sees only its own events")
    func ownEvents() async throws {
        let service = try await EventService.shared.value
        let (one, other) = (try await service.makeBank(), try await service.makeBank())
        try await one.deliver(one.holders[0])
        #expect(try await other.events().isEmpty)
        let answer = try await service.server.events(by: one.issuer.pretending(toBe: other.id))
        #expect(answer.status == 403)
    }

    @Test(
        "An invalid query parameter is answered 400, and the detail names it",
        arguments: [
            "?after=x", "?after=-1", "?after=4611686018427387904", "?after=", "?limit=0", "?limit=501", "?limit=x",
            "?wait=31", "?wait=-1",
            "?wait=1.5",
        ])
    func badQueries(query: String) async throws {
        let bank = try await EventService.shared.value.makeBank(cardholders: 0)
        let answer = try await bank.service.server.call(
            IssuerCall("GET", "/v1/banks/\(bank.id)/events", query: query), by: bank.issuer)
        #expect(answer.status == 400)
        #expect(answer.members["type"] == "urn:card-companion:problem:query")
        let name = try #require(query.dropFirst().split(separator: "=").first)
        #expect(answer.members["detail"]?.string?.contains("'\(name)'") == true)
    }

    @Test("A waiting request is answered when an event happens, even on another server")
    func longPoll() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let other = try await EventService.startServer(on: service.installation)
        async let waiting = bank.page(waitSeconds: 30, through: other)
        try await untilCalled(bank)
        try await bank.deliver(bank.holders[0])
        #expect(try await waiting.events.map(\.type) == ["pin.delivered"])
        try await other.stop()
    }

    @Test("If no event happens, a waiting request gets an empty page and the same cursor")
    func vainPoll() async throws {
        let bank = try await EventService.shared.value.makeBank(cardholders: 0)
        let begin = ContinuousClock.now
        let page = try await bank.page(after: "0", waitSeconds: 2)
        #expect(page.events.isEmpty && page.next == "0")
        #expect(ContinuousClock.now - begin >= .seconds(2))
    }

    @Test("A server that stops answers waiting requests at once")
    func stopWhileWaiting() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 0)
        let server = try await EventService.startServer(on: service.installation)
        async let waiting = bank.page(waitSeconds: 30, through: server)
        try await untilCalled(bank)
        let begin = ContinuousClock.now
        try await server.stop()
        #expect(try await waiting.events.isEmpty)
        #expect(ContinuousClock.now - begin < .seconds(25))
    }

    @Test("Readers during simultaneous writes on two servers get each event once, in order per cardholder")
    func readersAndWriters() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 8)
        let other = try await EventService.startServer(on: service.installation)
        let servers = [service.server, other]
        let statuses = [1, 2, 0, 1, 0, 2]
        let count = bank.holders.count * statuses.count
        try await withThrowingTaskGroup(of: [Event].self) { group in
            for reader in 0..<3 { group.addTask { try await read(bank, count, through: servers[reader % 2]) } }
            group.addTask {
                try await withThrowingTaskGroup(of: Void.self) { writers in
                    for (index, holder) in bank.holders.enumerated() {
                        writers.addTask {
                            for (turn, status) in statuses.enumerated() {
                                try await bank.deliver(holder, status: status, through: servers[(index + turn) % 2])
                            }
                        }
                    }
                    try await writers.waitForAll()
                }
                return []
            }
            for try await events in group where !events.isEmpty {
                #expect(Set(events.map(\.id)).count == count)
                for holder in bank.holders {
                    let own = events.filter { $0.uniqueId == holder.uniqueId }
                    #expect(own.map { $0.data["status"]?.integer } == statuses)
                }
            }
        }
        try await other.stop()
    }

    @Test("Positions are in the order of ids, whatever plan the database chooses")
    func positions() async throws {
        let installation = try await TestInstallation()
        func insert(_ bank: String, _ ids: [Int]) -> String {
            let rows = ids.map { "('\(bank)', \($0), 'x', 'pin.delivered', '{}', now())" }.joined(separator: ", ")
            return "INSERT INTO event (bank_id, event_id, unique_id, type, data, occurred_at) VALUES \(rows);"
        }
        // By these statistics the bank has one event, so the database looks for its number in a loop over the table, whose
        // rows are in another order.
        let found = try await installation.sql(
            """
            \(insert("other", [1, 2, 3, 4, 5, 6]))
            ANALYZE event;
            \(insert("bank", [17, 13, 19, 11, 18]))
            SELECT number_events(p_bank_id => 'bank', p_limit => 100);
            SELECT event_id FROM event WHERE bank_id = 'bank' ORDER BY position;
            """)
        #expect(found.filter { !$0.isEmpty } == ["11", "13", "17", "18", "19"])
    }

    /// Waits until a server has accepted the bank's first call.
    private func untilCalled(_ bank: EventBank) async throws {
        try await eventually("the call is accepted") {
            try await bank.service.installation.sql(
                "SELECT 1 FROM spent_proof WHERE bank_id = '\(bank.id)' AND kind = 'nonce'"
            ) == ["1"]
        }
    }

    /// Reads pages until it has `count` events.
    private func read(_ bank: EventBank, _ count: Int, through server: TestServer) async throws -> [Event] {
        var (events, cursor): ([Event], String?) = ([], nil)
        try await eventually("all events have been read", within: 600) {
            let page = try await bank.page(after: cursor, limit: 7, waitSeconds: 1, through: server)
            (events, cursor) = (events + page.events, page.next)
            return events.count >= count
        }
        return events
    }

    @Test("After a crash each notify that was answered 0 has its event")
    func killedServer() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 6)
        var confirmed: [String] = []
        for _ in 0..<3 {
            let server = try await EventService.startServer(on: service.installation)
            let (notified, notice) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
            async let delivered = deliverUntilEnd(bank, server) {
                notice.yield()
            } onEnd: {
                notice.finish()
            }
            // On a loaded machine the first one takes long.
            for await _ in notified.prefix(1) {}
            try await Task.sleep(for: .milliseconds(.random(in: 0...600)))
            try await server.kill9()
            confirmed += await delivered
        }
        #expect(!confirmed.isEmpty)
        let told = try await bank.events().compactMap { $0.data["sessionId"]?.string }
        #expect(Set(confirmed).subtracting(told).isEmpty)
        #expect(Set(told).count == told.count)
    }

    /// Delivers to all cardholders until the server is gone; returns the confirmed sessions.
    private func deliverUntilEnd(
        _ bank: EventBank, _ server: TestServer, onConfirmed: @escaping @Sendable () -> Void, onEnd: () -> Void
    ) async -> [String] {
        defer { onEnd() }
        return await withTaskGroup(of: [String].self) { group in
            for holder in bank.holders {
                group.addTask { await deliverUntilEnd(bank, holder, server, onConfirmed: onConfirmed) }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// Delivers to one cardholder.
    private func deliverUntilEnd(
        _ bank: EventBank, _ holder: TestCardholder, _ server: TestServer, onConfirmed: () -> Void
    ) async -> [String] {
        var confirmed: [String] = []
        for _ in 0..<10 {
            guard let delivery = try? await bank.fetch(holder, through: server),
                (try? await bank.notify(delivery, through: server)) == 0
            else { return confirmed }
            confirmed.append(delivery.opened.sessionId)
            onConfirmed()
        }
        return confirmed
    }
}
