import ServerHarness
import Testing

/// Many requests for one cardholder at once, while the cardholder's row is locked.
@Suite("Limit of a cardholder")
struct CardholderLimitTests {
    private static let limit = 4
    private static let count = 12
    /// Two minutes: a client waits for three.
    private static let attemptLimit = 120

    private static let server = Once {
        try await Service.shared.value.installation.startServer(environment: [
            "CARDHOLDER_REQUESTS": "\(limit)", "DATABASE_STATEMENT_TIMEOUT_MILLISECONDS": "600000",
            "DATABASE_ANSWER_TIMEOUT_MILLISECONDS": "600000",
        ])
    }

    @Test("Of one cardholder's requests a few are served at once; the others are answered 429, which uses up nothing")
    func hotRow() async throws {
        let (service, server) = (try await Service.shared.value, try await Self.server.value)
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let others = (0..<10).map { _ in service.repeatingBank.cardholder() }
        let app = try TestApp()
        let now = TestBank.timestamp()
        let bodies = try (0..<Self.count).map { try app.captcha(bank, holder, timestamp: now - $0) }
        // The server has the bank in its memory. A request that first reads the bank can share a connection to the database with one
        // that waits for the row, and is then not refused until the row is free.
        #expect(try await server.fetch(bank, others[0]).code == 0)
        let row = "SELECT 1 FROM cardholder WHERE \(holder.row(bank)) FOR UPDATE"
        try await service.installation.holding(row) { lock in
            var statuses: [Int: HTTPAnswer] = [:]
            var isLocked = true
            try await withThrowingTaskGroup(of: Event.self) { group in
                for (index, body) in bodies.enumerated() {
                    group.addTask { .answered(index, try await server.post(Path.captcha, body)) }
                }
                // Another cardholder is served while these wait. Each second there is one more, until one is served: a
                // request can share a connection to the database with one that waits, until the pool has opened another.
                var (attempts, isServed) = (0, false)
                group.addTask { .nextAttempt }
                for try await event in group {
                    switch event {
                    case .answered(let index, let answer): statuses[index] = answer
                    case .otherAnswered(let answer): if answer.code == 0 { isServed = true }
                    case .nextAttempt where !isServed && attempts < Self.attemptLimit:
                        let other = others[attempts % others.count]
                        attempts += 1
                        group.addTask { .otherAnswered(try await server.fetch(bank, other)) }
                        group.addTask {
                            try await Task.sleep(for: .seconds(1))
                            return .nextAttempt
                        }
                    case .nextAttempt: break
                    }
                    // Those that wait for the row are served when no other can come too late to be refused.
                    let isSeen = isServed && statuses.count == Self.count - Self.limit
                    if isLocked, isSeen {
                        isLocked = false
                        try await lock.release()
                    }
                }
            }
            let refused = statuses.filter { $0.value.status == 429 }
            #expect(refused.count == Self.count - Self.limit)
            #expect(refused.values.allSatisfy { $0["Retry-After"] == "1" })
            #expect(statuses.values.count { $0.code == 0 } == Self.limit)
            for index in refused.keys {
                let answer = try await server.post(Path.captcha, bodies[index])
                #expect(answer.code == 0, "\(answer.status) \(answer.members)")
            }
        }
    }

    @Test("Strangers cannot use up a cardholder's places with confirmations")
    func strangers() async throws {
        let (service, server) = (try await Service.shared.value, try await Self.server.value)
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        var forged = delivery.notify(bank, holder)
        forged["hash"] = .string(String(repeating: "0", count: 64))
        forged["sessionId"] = "unknown"
        let body = forged
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.count * 4 { group.addTask { _ = try await server.post(Path.notify, body) } }
            #expect(try await server.post(Path.notify, delivery.notify(bank, holder)).code == 0)
            let answer = try await server.fetch(bank, holder, timestamp: TestBank.timestamp() - 100)
            #expect(answer.code == 0, "\(answer.status) \(answer.members)")
            try await group.waitForAll()
        }
    }

    @Test("A confirmation of a session that was never given is refused without a look at the sessions")
    func forgedSession() async throws {
        // A locked table keeps all requests of its database waiting.
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let (bank, holder) = (try await installation.makeBank(), TestCardholder())
        try await installation.provision([holder], of: bank, through: server)
        var forged = try await server.deliver(bank, holder).notify(bank, holder)
        forged["sessionId"] = .string(String(repeating: "A", count: 43))
        let body = forged
        let table = "LOCK TABLE delivery_session IN ACCESS EXCLUSIVE MODE"
        try await installation.holding(table) { lock in
            let code = try await server.post(Path.notify, body).code
            let isStillLocked = try await lock.isHeld()
            #expect(code == 312 && isStillLocked)
        }
    }

    private enum Event {
        case answered(Int, HTTPAnswer)
        case otherAnswered(HTTPAnswer)
        case nextAttempt
    }
}
