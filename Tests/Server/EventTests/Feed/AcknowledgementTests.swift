import Crypto
import Foundation
import ServerHarness
import Testing
import WebhookHarness

/// What a bank has said that it has: sealed PINs are erased, and nothing is removed before (protocol, section 3).
@Suite("Acknowledgement of events")
struct AcknowledgementTests {
    @Test("An acknowledged pin.defined event stays, without its PIN; later events keep theirs")
    func erased() async throws {
        let bank = try await makeBank()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        let first = try await bank.page()
        #expect(try await bank.define(bank.holders[0], "580241") == 0)
        let second = try await bank.page(after: first.next)
        #expect(first.events[0].data["pin"] != nil && second.events[0].data["pin"] != nil)

        #expect(try await acknowledge(bank, first.next).status == 204)
        let again = try await bank.events()
        #expect(again.map(\.id) == [first.events[0].id, second.events[0].id])
        #expect(again[0].data["pin"] == nil && again[1].data["pin"] != nil)
        #expect(try await acknowledge(bank, first.next).status == 204)
        let stored = try await bank.service.installation.sql(
            "SELECT count(*) FROM defined_pin WHERE bank_id = '\(bank.id)'")
        #expect(stored == ["1"])
    }

    @Test("A cursor that no answer had is answered 409, and nothing is acknowledged")
    func neverGiven() async throws {
        let bank = try await makeBank()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        let (other, first) = (try await makeBank(), try await bank.page(limit: 1))
        #expect(try await bank.define(bank.holders[0], "580241") == 0)
        let ahead = "\((Int(first.next) ?? 0) + 1)"
        for (reader, cursor) in [(bank, ahead), (bank, "999999999999"), (other, first.next)] {
            let answer = try await acknowledge(reader, cursor)
            #expect(answer.status == 409 && answer.problem == "cursor")
        }
        for query in ["", "?upTo=", "?upTo=x", "?upTo=-1"] {
            #expect(try await call(bank, query).status == 400)
        }
        #expect(try await bank.events().allSatisfy { $0.data["pin"] != nil })
    }

    @Test("An unacknowledged pin.defined event is kept for good, others for 30 days; 410 tells what was lost")
    func kept() async throws {
        let bank = try await makeBank()
        try await bank.deliver(bank.holders[0])
        let delivered = try await bank.page()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        try await age(bank, days: 31)
        try await eventually("the delivery's event is removed") { try await count(bank) == 1 }

        // From the beginning something is missing; after the cursor that was read, nothing is.
        let gone = try await bank.service.server.events(after: nil, limit: nil, waitSeconds: nil, by: bank.issuer)
        #expect(gone.status == 410 && gone.problem == "events-removed")
        let oldest = try #require(gone.members["oldest"]?.string)
        #expect(try await bank.page(after: oldest).events.map(\.type) == ["pin.defined"])
        let rest = try await bank.page(after: delivered.next)
        #expect(rest.events.map(\.type) == ["pin.defined"] && rest.events[0].data["pin"] != nil)

        #expect(try await acknowledge(bank, rest.next).status == 204)
        try await eventually("the acknowledged event is removed") { try await count(bank) == 0 }
        #expect(try await bank.page(after: delivered.next).events.isEmpty)
    }

    @Test("A kept pin.defined event is not hidden by a later event that is removed")
    func notHidden() async throws {
        let bank = try await makeBank()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        try await bank.deliver(bank.holders[0])
        _ = try await bank.page()
        try await age(bank, days: 31)
        // Housekeeping runs each second.
        try await Task.sleep(for: .seconds(3))
        let page = try await bank.page()
        #expect(page.events.map(\.type) == ["pin.defined", "pin.delivered"] && page.events[0].data["pin"] != nil)
        #expect(try await acknowledge(bank, page.next).status == 204)
        try await eventually("both are removed") { try await count(bank) == 0 }
    }

    @Test("The cursor of a 410 can be acknowledged, and 0 always")
    func oldest() async throws {
        let bank = try await makeBank()
        #expect(try await acknowledge(bank, "0").status == 204)
        try await bank.deliver(bank.holders[0])
        try await age(bank, days: 31)
        try await eventually("the event is removed") { try await count(bank) == 0 }
        let gone = try await bank.service.server.events(after: nil, limit: nil, waitSeconds: nil, by: bank.issuer)
        #expect(try await acknowledge(bank, #require(gone.members["oldest"]?.string)).status == 204)
    }

    @Test("An acknowledged event that is removed is not missed")
    func nothingLost() async throws {
        let bank = try await makeBank()
        try await bank.deliver(bank.holders[0])
        #expect(try await acknowledge(bank, bank.page().next).status == 204)
        try await age(bank, days: 31)
        try await eventually("the event is removed") { try await count(bank) == 0 }
        #expect(try await bank.page().events.isEmpty)
    }

    @Test("A webhook's 2xx acknowledges only if the operator has said so", arguments: [true, false])
    func webhooks(acknowledges: Bool) async throws {
        let bank = try await makeBank()
        let receiver = try await WebhookReceiver()
        var command = ["webhook", "set", "--bank", bank.id, "--allow-private", receiver.url]
        if acknowledges { command.append("--acknowledges") }
        try await bank.service.installation.run(command).succeeded()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        try await eventually("the event is delivered") {
            try await bank.service.installation.sql(
                "SELECT 1 FROM webhook_delivery WHERE bank_id = '\(bank.id)' AND status = 'DELIVERED'") == ["1"]
        }
        let event = try await bank.events()[0]
        #expect((event.data["pin"] == nil) == acknowledges)
        let entries = try await bank.service.installation.sql(
            """
            SELECT actor, outcome, detail FROM audit_entry
            WHERE bank_id = '\(bank.id)' AND operation = 'acknowledge-events'
            """)
        #expect(entries == (acknowledges ? ["webhook|acknowledged|event \(event.id)"] : []))
    }

    @Test("The answer is signed with a published key, and says whose events it has and after which cursor")
    func signed() async throws {
        let bank = try await makeBank()
        try await bank.deliver(bank.holders[0])
        let answer = try await bank.service.server.events(after: "0", limit: 5, waitSeconds: nil, by: bank.issuer)
        #expect(answer.members["bankId"]?.string == bank.id && answer.members["after"] == "0")
        #expect(answer["Content-Digest"] == IssuerCall.contentDigest(answer.body))

        let input = try #require(answer["Signature-Input"])
        #expect(input.hasPrefix(#"sig1=("@status" "content-digest");created="#))
        let base = """
            "@status": 200
            "content-digest": \(answer["Content-Digest"] ?? "")
            "@signature-params": \(input.dropFirst("sig1=".count))
            """
        let keyId = try #require(input.firstMatch(of: #/keyid="([^"]+)"/#)?.1)
        let keys = try await bank.service.server.request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        let jwk = try #require(keys.compactMap(\.object).first { $0["kid"]?.string == String(keyId) })
        #expect(jwk["use"] == "sig")
        let point = ["x", "y"].flatMap { jwk[$0]?.string.flatMap(Base64URL.decode) ?? [] }
        let key = try P256.Signing.PublicKey(rawRepresentation: point)
        let value = try #require(answer["Signature"]).dropFirst("sig1=:".count).dropLast()
        let signature = try P256.Signing.ECDSASignature(
            rawRepresentation: try #require(Data(base64Encoded: String(value))))
        #expect(key.isValidSignature(signature, for: Data(base.utf8)))
    }

    private func makeBank() async throws -> EventBank {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(["--defined-pins", "deliver"])
        _ = try await service.installation.importEncryptionCertificate(into: bank.bank)
        return bank
    }

    private func acknowledge(_ bank: EventBank, _ cursor: String) async throws -> HTTPAnswer {
        try await call(bank, "?upTo=\(cursor)")
    }

    private func call(_ bank: EventBank, _ query: String) async throws -> HTTPAnswer {
        let call = IssuerCall("DELETE", "/v1/banks/\(bank.id)/events", query: query)
        return try await bank.service.server.call(call, by: bank.issuer)
    }

    private func count(_ bank: EventBank) async throws -> Int? {
        try await bank.service.installation.sql("SELECT count(*) FROM event WHERE bank_id = '\(bank.id)'")
            .first.flatMap { Int($0) }
    }

    private func age(_ bank: EventBank, days: Int) async throws {
        try await bank.service.installation.sql(
            "UPDATE event SET occurred_at = occurred_at - interval '\(days) days' WHERE bank_id = '\(bank.id)'")
    }
}
