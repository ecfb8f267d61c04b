import Foundation
import NIOHTTP1
import ServerHarness
import Testing
import WebhookHarness

/// The URLs that webhooks can have.
@Suite("Webhook targets")
struct WebhookTargetTests {
    @Test(
        "'webhook set' refuses an invalid or private URL, and the message has the reason",
        arguments: [
            ("http://hooks.example/x", "https"), ("ftp://hooks.example/x", "https"), ("hooks.example", "https"),
            ("https://user:word@hooks.example/", "user"), ("https://hooks.example/#part", "fragment"),
            ("https://hooks.example:0/", "port"), ("https://hooks.example:99999/", "port"), ("https:///x", "host"),
            ("https://hooks.example/a b", "spaces"), ("https://hooks.example/a|b", "RFC 3986"),
            ("https://h.example/%zz", "RFC 3986"), ("https://127.0.0.1/", "private"),
            ("https://10.1.2.3/", "private"),
            ("https://169.254.169.254/latest", "private"), ("https://localhost/", "private"),
            ("https://0x7f000001/", "private"), ("https://2130706433/", "private"), ("https://[::1]/", "host"),
        ])
    func refused(url: String, reason: String) async throws {
        let service = try await EventService.shared.value
        let bank = try await Self.bank.value
        let result = try await service.installation.run(["webhook", "set", "--bank", bank.id, url])
        #expect(result.status != 0, "\(url)")
        #expect(result.stderr.contains(reason), "\(url): \(result.stderr)")
        #expect(try await service.installation.run(["webhook", "show", "--bank", bank.id]).status != 0)
    }

    private static let bank = Once { try await EventService.shared.value.makeBank(cardholders: 0) }

    @Test("A host name that later resolves to a private address is not contacted")
    func rebound() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let receiver = try await WebhookReceiver(isSecure: false)
        let secure = try await WebhookReceiver()
        try await bank.setWebhook(secure)
        // Simulates a name that resolved to a public address when the operator set the URL.
        try await service.installation.sqlAsCommand(
            "UPDATE webhook SET is_private = false WHERE bank_id = '\(bank.id)'", of: bank.id)
        try await bank.deliver(bank.holders[0])
        try await eventually("the attempt has failed") {
            try await service.installation.sql(
                "SELECT last_error FROM webhook_delivery WHERE bank_id = '\(bank.id)' AND last_error IS NOT NULL"
            ).contains { $0.contains("private network") }
        }
        #expect(secure.received.isEmpty && receiver.received.isEmpty)
    }

    @Test("A plain HTTP URL in a private network works if the operator allows it")
    func plain() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let receiver = try await WebhookReceiver(isSecure: false)
        try await bank.setWebhook(receiver, path: "")
        try await bank.deliver(bank.holders[0])
        try await eventually("the event has been delivered") { try receiver.known.count == 1 }
        let webhook = try #require(receiver.received.first)
        #expect(webhook.head.uri == "/")
        try await WebhookSignature(webhook).verify(against: bank.service.server)
    }
}
