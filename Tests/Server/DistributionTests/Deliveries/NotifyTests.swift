import ServerHarness
import Testing

/// The confirmation of a delivery (section 2.6).
@Suite("Notify")
struct NotifyTests {
    @Test("After the first notify the same status is answered 0, and any other 312", arguments: [0, 1, 2])
    func firstDecides(status: Int) async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        let token = bank.token(for: holder)
        let tokenDelivery = try await server.deliver(bank, token: token)
        for sent in [status] + [0, 1, 2] + [status] {
            let code = sent == status ? 0 : 312
            #expect(try await server.post(Path.notify, delivery.notify(bank, holder, status: sent)).code == code)
            let body = tokenDelivery.tokenNotify(bank, holder, token: token, status: sent)
            #expect(try await server.post(Path.tokenNotify, body).code == code)
        }
    }

    @Test("A status other than 0, 1 and 2 is answered 306; a string of digits is accepted")
    func statuses() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        let right = try await server.deliver(bank, holder).notify(bank, holder)
        let unknown: [JSON] = [3, -1, 99_999_999_999, "3", "-1", "+0", " 0", "0 ", "x", "٠", true, false, [0], [:]]
        for status in unknown {
            #expect(
                try await server.post(Path.notify, right.merging(["status": status]) { $1 }).code == 306, "\(status)")
        }
        let text = JSON.object(right).text
        for number in ["0.0", "0e0", "-0", "1.5"] {
            let bytes = Array(text.replacing("\"status\":0", with: "\"status\":\(number)").utf8)
            #expect(try await server.post(Path.notify, bytes: bytes).code == 306, "\(number)")
        }
        #expect(try await server.post(Path.notify, right.merging(["status": "0"]) { $1 }).code == 0)
    }

    @Test("A wrong hash is answered 201 without effect; upper-case hex is accepted")
    func hashes() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        let other = try await server.deliver(bank, holder, timestamp: Stamps.next())
        let right = delivery.hash(bankId: bank.id, uniqueId: holder.uniqueId, status: 0)
        let wrong: [JSON] = [
            .string(String(right.reversed())), .string(String(right.dropLast(2))), .string(right + "00"),
            .string(String(right.dropLast()) + "g"), "?", "00", 5, [.string(right)],
            .string(delivery.hash(bankId: bank.id, uniqueId: holder.uniqueId, status: 1)),
            .string(delivery.hash(bankId: "", uniqueId: holder.uniqueId, status: 0)),
            .string(other.hash(bankId: bank.id, uniqueId: holder.uniqueId, status: 0)),
            .string(bank.hashMac(uniqueId: holder.uniqueId, timestamp: delivery.sessionId + "0")),
        ]
        let body = delivery.notify(bank, holder)
        for hash in wrong {
            #expect(try await server.post(Path.notify, body.merging(["hash": hash]) { $1 }).code == 201, "\(hash)")
        }
        for status in [1, 2] {
            let other = delivery.notify(bank, holder, status: status).merging(["hash": .string(right)]) { $1 }
            #expect(try await server.post(Path.notify, other).code == 201)
        }
        let upperCase = body.merging(["hash": .string(right.uppercased())]) { $1 }
        #expect(try await server.post(Path.notify, upperCase).code == 0)
        #expect(try await server.post(Path.notify, body.merging(["hash": wrong[0]]) { $1 }).code == 201)
    }

    @Test("A wrong hash is answered 201 even if the session already has another status")
    func hashBeforeDecision() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        #expect(try await server.post(Path.notify, delivery.notify(bank, holder, status: 2)).code == 0)
        let guess = delivery.notify(bank, holder).merging(["hash": .string(String(repeating: "0", count: 64))]) { $1 }
        #expect(try await server.post(Path.notify, guess).code == 201)
        let answer = try await server.post(Path.notify, delivery.notify(bank, holder))
        #expect(answer.code == 312)
        #expect(answer.message?.contains("another status") == true)
    }

    @Test("A notify without the right hash does not wait for the cardholder's row; one with it does")
    func noLockWithoutHash() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        let right = try await server.deliver(bank, holder).notify(bank, holder)
        let guess = right.merging(["hash": .string(String(repeating: "0", count: 64))]) { $1 }
        let stranger = right.merging(["sessionId": "unknown"]) { $1 }

        let row = "SELECT 1 FROM cardholder WHERE \(holder.row(bank)) FOR UPDATE"
        try await service.installation.holding(row) { lock in
            #expect(try await server.post(Path.notify, guess).code == 201)
            #expect(try await server.post(Path.notify, stranger).code == 312)

            async let confirmed = server.post(Path.notify, right).code
            try await eventually("the right notify waits for the row") { try await lock.waiting() == 1 }
            try await lock.release()
            #expect(try await confirmed == 0)
        }
    }

    @Test("A notify for another cardholder, bank, channel, token or session is answered 312")
    func otherSessions() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        let token = bank.token(for: holder)
        let tokenDelivery = try await server.deliver(bank, token: token)
        func code(_ path: String, _ body: [String: JSON]) async throws -> Int? {
            try await server.post(path, body).code
        }
        let otherHolder = service.repeatingBank.cardholder()
        #expect(try await code(Path.notify, delivery.notify(bank, otherHolder)) == 312)
        #expect(try await code(Path.notify, delivery.notify(service.bank.bank, holder)) == 312)
        #expect(try await code(Path.notify, tokenDelivery.notify(bank, holder)) == 312)
        #expect(try await code(Path.tokenNotify, delivery.tokenNotify(bank, holder, token: token)) == 312)
        let otherToken = bank.token(for: holder)
        #expect(try await code(Path.tokenNotify, tokenDelivery.tokenNotify(bank, holder, token: otherToken)) == 312)
        let rewritten = tokenDelivery.tokenNotify(bank, holder, token: token)
            .merging(["token": .string(token.text + " ")]) { $1 }
        #expect(try await code(Path.tokenNotify, rewritten) == 312)
        for id in ["none", String(repeating: "x", count: 65), delivery.sessionId + "x", "a\u{0}"] {
            let body = delivery.notify(bank, holder).merging(["sessionId": .string(id)]) { $1 }
            #expect(try await code(Path.notify, body) == 312, "\(id)")
        }
        #expect(try await code(Path.notify, delivery.notify(bank, holder).merging(["sessionId": 5]) { $1 }) == 312)

        #expect(try await code(Path.notify, delivery.notify(bank, holder)) == 0)
        #expect(try await code(Path.tokenNotify, tokenDelivery.tokenNotify(bank, holder, token: token)) == 0)
    }

    @Test("A notify for an expired session is answered 312, and the PIN is kept")
    func sessionOver() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        let second = try await server.deliver(bank, holder, timestamp: Stamps.next())
        #expect(try await server.post(Path.notify, second.notify(bank, holder, status: 2)).code == 0)
        let over = """
            UPDATE delivery_session SET opened_at = opened_at - interval '16 minutes',
                expires_at = expires_at - interval '16 minutes' WHERE \(holder.row(bank))
            """
        try await service.installation.sql(over)
        #expect(try await server.post(Path.notify, delivery.notify(bank, holder)).code == 312)
        #expect(try await server.post(Path.notify, second.notify(bank, holder, status: 2)).code == 312)
        #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == 0)
    }

    @Test("A notify by token is accepted until the session expires, even if the token's timestamp is too old")
    func tokenOutsideWindow() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder()
        let bank = try await service.makeBank(["--timestamp-tolerance", "1200"], cardholders: [holder])
        let token = bank.token(for: holder).with(["Timestamp": .string("\(TestBank.timestamp(-600))")])
        let delivery = try await service.server.deliver(bank, token: token)
        try await service.installation.run(["bank", "set", bank.id, "--timestamp-tolerance", "300"]).succeeded()
        let body = delivery.tokenNotify(bank, holder, token: token)
        #expect(try await service.server.post(Path.tokenNotify, body).code == 0)
    }

    @Test("A session expires after 15 minutes, or after the bank's own lifetime")
    func lifetime() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder()
        let shortBank = try await service.makeBank(["--session-lifetime", "60"], cardholders: [holder])
        let cases = [(service.bank.bank, service.bank.cardholder(), "00:15:00"), (shortBank, holder, "00:01:00")]
        for (bank, holder, lifetime) in cases {
            _ = try await service.server.deliver(bank, holder)
            let rows = try await service.installation.sql(
                "SELECT expires_at - opened_at FROM delivery_session WHERE \(holder.row(bank))")
            #expect(rows == [lifetime])
        }
    }

    @Test(
        "A confirmed delivery erases or keeps the PIN, depending on the bank's retention",
        arguments: [("erase", true), ("keep", false), ("keep-repeat", false)])
    func retention(retention: String, isErased: Bool) async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder()
        let bank = try await service.makeBank(["--retention", retention], cardholders: [holder])
        #expect(try await service.server.deliverAndConfirm(bank, holder) == 0)
        let row = try await service.installation.sql(
            """
            SELECT sealed_pin IS NULL, delivered_at IS NOT NULL, pin_expires_at IS NULL, unconfirmed_fetches
            FROM cardholder WHERE \(holder.row(bank))
            """)
        #expect(row == ["\(isErased ? "t" : "f")|t|t|0"])
    }

    @Test("After status 1 or 2 the PIN can be fetched again", arguments: [1, 2])
    func failed(status: Int) async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        #expect(try await server.post(Path.notify, delivery.notify(bank, holder, status: status)).code == 0)
        #expect(try await server.deliverAndConfirm(bank, holder, timestamp: Stamps.next()) == 0)
        #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == 303)
    }

    @Test("A PIN that was replaced between fetch and notify is not erased")
    func replaced() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        _ = try await service.provision(holder, of: bank)
        #expect(try await server.post(Path.notify, delivery.notify(bank, holder)).code == 0)
        #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == 0)
        let rows = try await service.installation.sql(
            "SELECT delivered_at IS NULL FROM cardholder WHERE \(holder.row(bank))")
        #expect(rows == ["t"])
    }

    @Test("Each fetch opens its own session, and each session is confirmed separately")
    func ownSessions() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.repeatingBank.bank, service.server, service.repeatingBank.cardholder())
        var deliveries: [TestDelivery] = []
        for _ in 0..<3 { deliveries.append(try await server.deliver(bank, holder, timestamp: Stamps.next())) }
        #expect(Set(deliveries.map(\.sessionId)).count == 3)
        #expect(Set(deliveries.map(\.notifyKey)).count == 3)
        for (status, delivery) in deliveries.enumerated() {
            #expect(try await server.post(Path.notify, delivery.notify(bank, holder, status: status)).code == 0)
        }
    }

    @Test("A delivery that is confirmed in two sessions is answered 0 both times")
    func twoSessions() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let first = try await server.deliver(bank, holder)
        let second = try await server.deliver(bank, holder, timestamp: Stamps.next())
        #expect(try await server.post(Path.notify, second.notify(bank, holder)).code == 0)
        #expect(try await server.post(Path.notify, first.notify(bank, holder)).code == 0)
        #expect(try await server.fetch(bank, holder, timestamp: Stamps.next()).code == 303)
    }

    @Test("A cardholder who was suspended after the fetch can still confirm")
    func suspendedSince() async throws {
        let service = try await Service.shared.value
        let (bank, server, holder) = (service.bank.bank, service.server, service.bank.cardholder())
        let delivery = try await server.deliver(bank, holder)
        try await service.installation.sql("UPDATE cardholder SET status = 'SUSPENDED' WHERE \(holder.row(bank))")
        #expect(try await server.post(Path.notify, delivery.notify(bank, holder)).code == 0)
    }
}
