import Foundation
import ServerHarness
import Synchronization
import Testing
import WebhookHarness

/// Several servers that share the delivery of webhooks.
@Suite("Webhooks with several servers")
struct WebhookSharingTests {
    @Test("With two servers each event is delivered once, in order per cardholder")
    func twoServers() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 10)
        let other = try await EventService.startServer(on: service.installation)
        let receiver = try await WebhookReceiver()
        try await bank.setWebhook(receiver)
        let statuses = [1, 2, 1, 0]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for holder in bank.holders {
                group.addTask { for status in statuses { try await bank.deliver(holder, status: status) } }
            }
            try await group.waitForAll()
        }
        let count = bank.holders.count * statuses.count
        try await eventually("all events have been delivered") { try receiver.known.count == count }
        // An answer that comes too late, on a busy machine, is a failed attempt: then the event is sent once more.
        let failed = [service.server, other].flatMap {
            $0.logLines(with: "Webhook event will be sent again", bank.id)
                + $0.logLines(with: "Webhook outcome could not be stored")
        }
        let taken = try receiver.taken
        #expect(taken.count <= count + failed.count, "\(failed)")
        #expect(Set(taken.map(\.id)).count == count)
        for holder in bank.holders {
            var known: Set<String> = []
            let first = taken.filter { $0.uniqueId == holder.uniqueId && known.insert($0.id).inserted }
            #expect(first.map { $0.data["status"]?.integer } == statuses)
        }
        try await other.stop()
    }

    @Test("Webhooks that a crashed server was delivering are delivered by another")
    func killed() async throws {
        // A separate installation, so that no third server delivers the events.
        let service = try await EventService()
        let bank = try await service.makeBank(cardholders: 3)
        let (isWilling, process) = (Flag(), service.server.processID)
        let sent = Mutex<Set<String>>([])
        // It dies at once, because it gives its leases back when no answer comes.
        let receiver = try await WebhookReceiver { webhook, _ in
            if isWilling.isSet { return .answer(200) }
            if let id = try? webhook.event.id, sent.withLock({ $0.insert(id).inserted && $0.count == 3 }) {
                kill(process, SIGKILL)
            }
            return .hang
        }
        try await bank.setWebhook(receiver)
        // All at once, so that the server leases them together.
        try await service.installation.sql(
            """
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
            SELECT bank_id, unique_id, 'pin.delivered', '{}', now() FROM cardholder WHERE bank_id = '\(bank.id)'
            """)
        try await eventually("the server has sent all events") {
            try Set(receiver.received.map { try $0.event.id }).count == 3
        }
        try await service.server.kill9()
        isWilling.set()
        // The crashed server's leases would expire after a minute.
        let leased = try await service.installation.sql(
            "UPDATE webhook_delivery SET leased_until = now() WHERE leased_until IS NOT NULL RETURNING event_id")
        #expect(leased.count == 3)

        let heir = try await EventService.startServer(on: service.installation)
        try await eventually("another server has delivered the events") { try receiver.known.count == 3 }
        #expect(try Set(receiver.known.map(\.uniqueId)) == Set(bank.holders.map(\.uniqueId)))
        try await heir.stop()
    }
}
