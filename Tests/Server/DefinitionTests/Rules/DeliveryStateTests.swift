import ServerHarness
import Testing

/// The cardholder's state after a definition: the defined PIN is delivered next (protocol, sections 2.6 and 2.9).
@Suite("State after a definition")
struct DeliveryStateTests {
    @Test("The next fetch delivers the PIN that was defined last", arguments: DefinitionCall.definitions)
    func delivered(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        #expect(try await service.fetch(holder).length == 4)
        for pin in ["83052", "830527", "8305", "830524"] {
            #expect(try await service.define(pin, call, holder) == 0)
            #expect(try await service.fetch(holder).length == pin.count)
        }
        #expect(try await service.row("pin_serial", of: holder) == "5")
    }

    @Test("A cardholder without a PIN can define one", arguments: DefinitionCall.definitions)
    func first(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder(pin: nil)
        try await service.installation.provision([holder], of: service.bank, through: service.server)
        #expect(try await service.fetch(holder).code == 303)
        #expect(try await service.define("83052", call, holder) == 0)
        #expect(try await service.fetch(holder).length == 5)
    }

    /// A bank's settings, and the expected code of a fetch after a confirmed delivery and a definition.
    struct Rule: Sendable, CustomTestStringConvertible {
        let retention: String
        let resetsDelivery: Bool
        let deliveryCode: Int
        var testDescription: String { "\(retention), resets delivery: \(resetsDelivery)" }
    }

    @Test(
        "A definition starts a new delivery if the bank's settings say so",
        arguments: [
            Rule(retention: "erase", resetsDelivery: true, deliveryCode: 0),
            Rule(retention: "keep", resetsDelivery: true, deliveryCode: 0),
            Rule(retention: "keep-repeat", resetsDelivery: true, deliveryCode: 0),
            // The delivered PIN was erased, so the defined one is the first to deliver.
            Rule(retention: "erase", resetsDelivery: false, deliveryCode: 0),
            Rule(retention: "keep", resetsDelivery: false, deliveryCode: 302),
            Rule(retention: "keep-repeat", resetsDelivery: false, deliveryCode: 0),
        ])
    func truthTable(rule: Rule) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank([
            "--retention", rule.retention, "--definition-resets-delivery", "\(rule.resetsDelivery)", "--reminders",
            "true",
            "--delivery-format", "digits",
        ])
        let holder = try await service.holder(of: bank)
        try await service.deliver(holder, of: bank)
        #expect(try await service.define("83052", .token, holder, of: bank) == 0)

        let state = try await service.row(
            "delivered_at IS NULL, unconfirmed_fetches, sealed_pin IS NOT NULL", of: holder)
        #expect(state == (rule.resetsDelivery ? "t|0|t" : "f|0|t"))
        if rule.retention == "erase" {
            // The code was erased with the delivered PIN. The bank sends one for the next delivery.
            #expect(try await service.fetch(holder, of: bank).code == 203)
            try await service.renewCode(of: holder, of: bank)
        }
        let delivery = try await service.fetch(holder, of: bank)
        #expect(delivery.code == rule.deliveryCode)
        #expect(try delivery.length == (rule.deliveryCode == 0 ? 5 : nil))
        #expect(try await service.fetch(holder, of: bank, type: "01").length == 5)
    }

    @Test(
        "With retention \"erase\", a defined PIN that is not fetched expires after the bank's lifetime",
        arguments: [true, false])
    func expiry(resetsDelivery: Bool) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank([
            "--undelivered-lifetime", "7", "--definition-resets-delivery", "\(resetsDelivery)",
        ])
        let holder = try await service.holder(of: bank)
        try await service.deliver(holder, of: bank)
        #expect(try await service.row("sealed_pin IS NULL", of: holder) == "t")
        #expect(try await service.define("83052", .token, holder, of: bank) == 0)
        let days = "round(extract(epoch FROM pin_expires_at - now()) / 86400)"
        #expect(try await service.row(days, of: holder) == "7")
        try await service.installation.sql(
            "UPDATE cardholder SET pin_expires_at = now() - interval '1 s' WHERE unique_id = '\(holder.uniqueId)'")
        #expect(try await service.fetch(holder, of: bank).code == 303)
    }

    @Test(
        "The count of unconfirmed fetches restarts only if a definition resets the delivery", arguments: [true, false])
    func fetchLimit(resets: Bool) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank([
            "--fetch-limit", "2", "--definition-resets-delivery", "\(resets)",
        ])
        let holder = try await service.holder(of: bank)
        #expect(try await service.fetch(holder, of: bank).code == 0)
        #expect(try await service.define("83052", .token, holder, of: bank) == 0)
        for code in [0, resets ? 0 : 307, 307] {
            #expect(try await service.fetch(holder, of: bank).code == code)
        }
    }

    @Test("A definition does not reset the count of wrong authentication codes")
    func failuresStay() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        var fetch = try TestApp().captcha(service.bank, holder)
        fetch["authCode"] = "Wrong4711"
        #expect(try await service.server.post(Path.captcha, fetch).code == 203)
        #expect(try await service.define("83052", .token, holder) == 0)
        #expect(try await service.row("authentication_failures", of: holder) == "1")
    }

    @Test("A notify for a PIN that was fetched before the definition does not confirm the defined PIN")
    func lateNotify() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        let old = try await service.fetch(holder, of: bank)
        #expect(try await service.define("83052", .token, holder, of: bank) == 0)
        let notify = try #require(old.content).tokenNotify(bank, holder, token: old.token)
        #expect(try await service.server.post(Path.tokenNotify, notify).code == 0)
        #expect(try await service.row("delivered_at IS NULL, sealed_pin IS NOT NULL", of: holder) == "t|t")
        #expect(try await service.fetch(holder, of: bank).code == 0)
    }

    @Test("A refused definition does not change the stored PIN", arguments: DefinitionCall.definitions)
    func refusedLeavesThePIN(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let columns = "sealed_pin, pin_serial, pin_expires_at, delivered_at, unconfirmed_fetches, definition_count"
        let before = try await service.row(columns, of: holder)
        let changes: [(Int, (inout Attempt) -> Void)] = [
            (131, { $0.plaintext = Array("59".utf8) }), (130, { $0.plaintext = [] }),
            (200, { $0.sealing.spoil = { $0.tag[0] ^= 1 } }), (200, { $0.sealing.header["kid"] = "unknown" }),
            (121, { $0.timestamp = .string("\(TestBank.timestamp(-3600))") }),
        ]
        for (code, change) in changes {
            var attempt = try service.attempt(call, holder)
            change(&attempt)
            if code == 131, call == .indexes { attempt.keypadId = try await service.keypad(holder).id }
            #expect(try await service.code(attempt) == code)
        }
        try await service.installation.sql(
            "UPDATE cardholder SET status = 'SUSPENDED' WHERE unique_id = '\(holder.uniqueId)'")
        #expect(try await service.code(service.attempt(call, holder)) == 114)
        #expect(try await service.row(columns, of: holder) == before)
    }

    @Test("A chosen PIN is not in the log, and not unencrypted in the database")
    func secrecy() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(["--pin-maximum-length", "12"])
        let holder = try await service.holder(of: bank)
        let pin = "730518264907"
        for call in DefinitionCall.definitions {
            #expect(try await service.define(pin, call, holder, of: bank) == 0)
            #expect(try await service.define(pin + "3", call, holder, of: bank) == 131)
        }
        let audit = service.server.logLines(with: "audit", holder.uniqueId, bank.id)
        for call in DefinitionCall.allCases {
            #expect(audit.contains { $0.contains(call.path) && $0.contains("code=0") }, "\(call)")
        }
        #expect(!service.server.log.contains(pin))
        let hex = Hex.encode(pin.utf8)
        let found = try await service.installation.sql(
            """
            SELECT count(*) FROM cardholder
            WHERE unique_id = '\(holder.uniqueId)' AND cardholder::text ~ '\(pin)|\(hex)'
            """)
        #expect(found == ["0"])
    }
}
