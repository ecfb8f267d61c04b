import Crypto
import Foundation
import NIOHTTP1
import ServerHarness
import Testing
import WebhookHarness

/// Webhook delivery of events to a bank (protocol, section 3).
@Suite("Webhook delivery")
struct WebhookTests {
    @Test("A webhook has the same event as the feed, and is signed with the server's published key")
    func signed() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let receiver = try await WebhookReceiver()
        try await bank.setWebhook(receiver)
        try await bank.deliver(bank.holders[0])
        try await eventually("the event has been delivered") { !receiver.received.isEmpty }

        let webhook = try #require(receiver.received.first)
        #expect((webhook.head.method, webhook.head.uri) == (.POST, "/hook?for=cards"))
        #expect(webhook.head.headers["Content-Type"] == ["application/json"])
        #expect(webhook.head.headers["Content-Digest"] == [IssuerCall.contentDigest(webhook.body)])
        #expect(try await [webhook.event] == bank.events())
        try await WebhookSignature(webhook).verify(against: bank.service.server)
    }

    @Test("A failed webhook is retried until it succeeds, and the cardholder's later events wait for it")
    func retried() async throws {
        let bank = try await EventService.shared.value.makeBank(cardholders: 2)
        let difficult = bank.holders[0].uniqueId
        // The first three attempts for the first cardholder's first event fail, each in a different way. Further ones fail
        // until the other cardholder's three events have come: they must not wait.
        let (tries, others) = (Counter(), Counter())
        let receiver = try await WebhookReceiver { webhook, _ in
            guard let event = try? webhook.event, event.uniqueId == difficult else {
                _ = others.next()
                return .answer(200)
            }
            switch tries.next() {
            case 0: return .answer(500)
            case 1: return .drop
            case 2: return .answer(404)
            default: return .answer(others.count < 3 ? 503 : 204)
            }
        }
        try await bank.setWebhook(receiver)
        for status in [1, 2, 0] {
            for holder in bank.holders { try await bank.deliver(holder, status: status) }
        }
        // Each further failure doubles the pause. On a busy machine there are some.
        try await eventually("all events have been accepted", within: 1800) { try receiver.known.count == 6 }

        let taken = try receiver.known
        for holder in bank.holders {
            let own = taken.filter { $0.uniqueId == holder.uniqueId }
            #expect(own.map { $0.data["status"]?.integer } == [1, 2, 0])
        }
        let told = try receiver.received.map { try $0.event }.filter { $0.uniqueId == difficult }
        #expect(told.count >= 6)
        // What was sent before the last two events were sent for the first time.
        let later = Set(taken.filter { $0.uniqueId == difficult }.dropFirst().map(\.id))
        #expect(told.prefix { !later.contains($0.id) }.count >= 4)
        #expect(told.allSatisfy { later.contains($0.id) || $0 == told[0] })
    }

    @Test("A receiver that hangs does not delay other banks' webhooks")
    func slowBank() async throws {
        let service = try await EventService.shared.value
        let (slow, quick) = (try await service.makeBank(cardholders: 4), try await service.makeBank(cardholders: 4))
        let (hanging, taking) = (try await WebhookReceiver { _, _ in .hang }, try await WebhookReceiver())
        try await slow.setWebhook(hanging)
        try await quick.setWebhook(taking)
        for holder in slow.holders { try await slow.deliver(holder) }
        // A retry of the first one may come before the others.
        try await eventually("the slow bank has received all events") {
            Set(try hanging.received.map { try $0.event.id }).count == 4
        }
        for holder in quick.holders { try await quick.deliver(holder) }
        try await eventually("the quick bank has received all events") { try taking.known.count == 4 }
        // The slow bank's first attempts are still open or were retried. None has succeeded.
        #expect(try hanging.taken.isEmpty)
    }

    @Test("A redirect is not followed")
    func redirect() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let elsewhere = try await WebhookReceiver()
        let receiver = try await WebhookReceiver { [url = elsewhere.url] _, _ in .redirect("\(url)/hook") }
        try await bank.setWebhook(receiver)
        try await bank.deliver(bank.holders[0])
        try await eventually("the event has been sent twice") { receiver.received.count >= 2 }
        #expect(elsewhere.received.isEmpty)
    }

    @Test("A receiver with an invalid certificate gets no request")
    func unknownCA() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let server = try await service.installation.startServer()
        try await server.stop()
        // The certificate is only for localhost, so it is invalid for the IP address.
        let receiver = try await WebhookReceiver()
        let url = receiver.url.replacing("localhost", with: "127.0.0.1")
        try await service.installation.run([
            "webhook", "set", "--bank", bank.id, "--allow-private", "\(url)/hook",
        ]).succeeded()
        try await bank.deliver(bank.holders[0])
        try await eventually("the attempt has failed") {
            try await lastError(bank).contains { $0.lowercased().contains("certificate") }
        }
        #expect(receiver.received.isEmpty)
    }

    @Test("An event that failed for three days is parked and shown, and 'webhook resend' delivers it")
    func parked() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let isWilling = Flag()
        let receiver = try await WebhookReceiver { _, _ in isWilling.isSet ? .answer(200) : .answer(503) }
        try await bank.setWebhook(receiver)
        try await bank.deliver(bank.holders[0], status: 1)
        try await eventually("the event has been sent") { !receiver.received.isEmpty }
        try await service.installation.sql(
            """
            UPDATE webhook_delivery SET pending_since = now() - interval '73 hours', next_attempt_at = now()
            WHERE bank_id = '\(bank.id)'
            """)
        let id = try #require(try await bank.events().first?.id)
        try await eventually("the event is parked") { try await shown(bank).parked.map(\.event) == [id] }
        let parked = try #require(try await shown(bank).parked.first)
        #expect(parked.lastError.contains("503"))
        #expect(parked.attempts >= 2)

        // A parked event does not block later events.
        isWilling.set()
        try await bank.deliver(bank.holders[0], status: 2)
        try await eventually("the next event has been accepted") { try receiver.known.count == 1 }
        #expect(try receiver.known.first?.data["status"] == 2)

        try await service.installation.run(["webhook", "resend", "--bank", bank.id]).succeeded()
        try await eventually("the parked event has been accepted") { try receiver.known.count == 2 }
        #expect(try receiver.known.last?.id == id)
        try await eventually("nothing is parked or pending") {
            let shown = try await shown(bank)
            return shown.parked.isEmpty && shown.pending == 0
        }

        let before = try receiver.taken.count
        try await service.installation.run(["webhook", "resend", "--bank", bank.id, "--event", id]).succeeded()
        try await eventually("the accepted event has been sent again") { try receiver.taken.count > before }
        #expect(try receiver.taken.last?.id == id)
    }

    @Test("While a webhook is disabled, events are not delivered, but stay in the feed")
    func disabled() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let receiver = try await WebhookReceiver()
        try await bank.setWebhook(receiver)
        try await service.installation.run(["webhook", "disable", "--bank", bank.id]).succeeded()
        try await bank.deliver(bank.holders[0], status: 1)
        try await bank.setWebhook(receiver)
        try await bank.deliver(bank.holders[0], status: 2)
        try await eventually("the second event has been delivered") { !receiver.received.isEmpty }
        #expect(try Set(receiver.received.map { try $0.event.data["status"]?.integer }) == [2])
        #expect(try await bank.events().count == 2)
    }

    @Test(
        "'webhook resend' of an unknown event is refused, also if its id begins with '-'",
        arguments: ["9223372036854775807", "-q2-7wAAQUKDxMXGx8jJyg"])
    func unknownEvent(id: String) async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 0)
        try await bank.setWebhook(try await WebhookReceiver())
        let result = try await service.installation.run([
            "webhook", "resend", "--bank", bank.id, "--event", id,
        ])
        #expect(result.status == 66)
        #expect(result.stderr.contains(id))
    }

    @Test("'webhook show' shows pending events and the last error; a disabled bank gets no webhooks")
    func backlog() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 2)
        let receiver = try await WebhookReceiver { _, _ in .answer(503) }
        try await bank.setWebhook(receiver)
        for holder in bank.holders { try await bank.deliver(holder) }
        try await eventually("both events have been tried") { receiver.received.count >= 2 }
        try await eventually("the backlog is shown") {
            let shown = try await shown(bank)
            return shown.pending == 2 && shown.lastError?.contains("503") == true && shown.nextAttemptAt != nil
        }
        try await service.installation.run(["bank", "set", bank.id, "--status", "DISABLED"]).succeeded()
        try await service.installation.sql(
            "UPDATE webhook_delivery SET next_attempt_at = now() WHERE bank_id = '\(bank.id)'")
        // Requests that were under way when the bank was disabled can still arrive.
        try await eventually("no request is under way") {
            try await service.installation.sql(
                // A lease can also run out: if its server could not write how the request has ended, nobody takes the row again.
                "SELECT count(*) FROM webhook_delivery WHERE bank_id = '\(bank.id)' AND leased_until > now()"
            ) == ["0"]
        }
        let count = receiver.received.count
        try await Task.sleep(for: .seconds(4))
        #expect(receiver.received.count == count)
    }

    private func shown(_ bank: EventBank) async throws -> Shown {
        let result = try await bank.service.installation.run(["webhook", "show", "--bank", bank.id, "--json"])
        return try JSONDecoder().decode(Shown.self, from: Data(try result.succeeded().stdout.utf8))
    }

    private func lastError(_ bank: EventBank) async throws -> [String] {
        try await bank.service.installation.sql(
            "SELECT last_error FROM webhook_delivery WHERE bank_id = '\(bank.id)' AND last_error IS NOT NULL")
    }

    /// The output of `webhook show --json`.
    private struct Shown: Decodable {
        struct Parked: Decodable {
            let event: String
            let attempts: Int
            let lastError: String
        }

        let url: String
        let status: String
        let pending: Int
        let nextAttemptAt: String?
        let lastError: String?
        let parked: [Parked]
    }
}
