import Foundation
import ServerHarness
import Testing
import WebhookHarness

/// What operators do about webhooks and events.
@Suite("Commands about webhooks and events")
struct WebhookCommandTests {
    @Test("'webhook test' sends a signed event that is not stored, and says how it ended")
    func trial() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 0)
        let receiver = try await WebhookReceiver { _, number in .answer(number == 0 ? 204 : 500) }
        try await bank.setWebhook(receiver)
        let command = [
            "webhook", "test", "--bank", bank.id, "--webhooks-ca", try await WebhookReceiver.certificate.value.file,
        ]
        #expect(try await service.installation.run(command).succeeded().stdout.contains("has accepted the event"))
        let webhook = try #require(receiver.received.first)
        try await WebhookSignature(webhook).verify(against: service.server)
        let event = try JSON(parsing: webhook.body).object
        #expect(event?["type"]?.string == "webhook.test" && event?["bankId"]?.string == bank.id)
        let refused = try await service.installation.run(command + ["--json"])
        #expect(refused.status == 1 && refused.stdout.contains("HTTP status 500"), "\(refused)")
        #expect(
            try await service.installation.sql("SELECT count(*) FROM event WHERE bank_id = '\(bank.id)'") == ["0"])
    }

    @Test("'webhook test' without a webhook, or with one that cannot be reached, says so")
    func unreachable() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 0)
        let none = try await service.installation.run(["webhook", "test", "--bank", bank.id])
        #expect(none.status == 66 && none.stderr.contains("card-companion webhook set"))
        try await service.installation.run([
            "webhook", "set", "--bank", bank.id, "--allow-private", "http://127.0.0.1:1/",
        ]).succeeded()
        let down = try await service.installation.run(["webhook", "test", "--bank", bank.id])
        #expect(down.status == 1 && down.stdout.contains("did not accept the event"), "\(down)")
    }

    @Test("'events list' shows the newest events without their data, and changes nothing of the bank's reading")
    func events() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(cardholders: 2)
        for holder in bank.holders { try await bank.deliver(holder) }
        try await bank.deliver(bank.holders[0], status: 1)
        func list(_ arguments: String...) async throws -> [[String: JSON]] {
            let json = try await service.installation.run(
                ["events", "list", "--bank", bank.id, "--json"] + arguments
            ).succeeded().stdout
            return try JSON(parsing: json).array?.compactMap(\.object) ?? []
        }
        let all = try await list()
        #expect(
            all.map { $0["type"]?.string } == ["pin.delivery-failed", "pin.delivered", "pin.delivered"])
        #expect(all.allSatisfy { $0["data"] == nil && $0["position"] == nil })
        #expect(try await list("--cardholder", bank.holders[1].uniqueId).count == 1)
        #expect(try await list("--type", "pin.delivery-failed").count == 1)
        #expect(try await list("--limit", "1").count == 1)
        let unknown = try await service.installation.run(["events", "list", "--bank", bank.id, "--type", "pin.define"])
        #expect(unknown.status == 64 && unknown.stderr.contains("pin.delivery-failed"), "it names the types")
        #expect(
            try await service.installation.sql(
                "SELECT count(*) FROM event WHERE bank_id = '\(bank.id)' AND position IS NOT NULL") == ["0"])
    }
}
