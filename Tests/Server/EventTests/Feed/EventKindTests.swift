import Crypto
import CryptoExtras
import Foundation
import ServerHarness
import Testing
import WebhookHarness

/// The event types and their data (protocol, section 3).
@Suite("Event types")
struct EventKindTests {
    @Test("A confirmed delivery causes one pin.delivered event, even if the app confirms it repeatedly")
    func delivered() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let delivery = try await bank.fetch(bank.holders[0])
        #expect(try await bank.events().isEmpty)
        let before = TestBank.timestamp(-1)
        for _ in 0..<3 { #expect(try await bank.notify(delivery) == 0) }

        let events = try await bank.events()
        #expect(events.map(\.type) == ["pin.delivered"])
        let event = try #require(events.first)
        #expect((event.bankId, event.uniqueId) == (bank.id, bank.holders[0].uniqueId))
        #expect(before...TestBank.timestamp(1) ~= event.occurredAt)
        #expect(
            event.data == ["sessionId": .string(delivery.opened.sessionId), "channel": "TOKEN", "status": 0])
    }

    @Test("If the PIN was replaced after the fetch, pin.delivered says that it is superseded")
    func superseded() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let delivery = try await bank.fetch(bank.holders[0])
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        #expect(try await bank.notify(delivery) == 0)
        let event = try #require(try await bank.events().last)
        #expect(event.type == "pin.delivered")
        #expect(
            event.data == [
                "sessionId": .string(delivery.opened.sessionId), "channel": "TOKEN", "status": 0, "superseded": true,
            ])
    }

    @Test("A notify with status 1 or 2 causes a pin.delivery-failed event", arguments: [1, 2])
    func failed(status: Int) async throws {
        let bank = try await EventService.shared.value.makeBank()
        try await bank.deliver(bank.holders[0], status: status)
        let events = try await bank.events()
        #expect(events.map(\.type) == ["pin.delivery-failed"])
        #expect(events.first?.data["status"] == .integer(status))
    }

    @Test("A refused notify causes no event")
    func refusedNotify() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let delivery = try await bank.fetch(bank.holders[0])
        #expect(try await bank.notify(delivery, status: 7) == 306)
        var body = delivery.opened.tokenNotify(bank.bank, delivery.holder, token: delivery.token)
        body["hash"] = .string(String(repeating: "0", count: 64))
        #expect(try await bank.service.server.post(Path.tokenNotify, body).code == 201)
        #expect(try await bank.events().isEmpty)
    }

    @Test("A session that expires without a notify causes one pin.delivery-unconfirmed event; a confirmed one none")
    func unconfirmed() async throws {
        let bank = try await EventService.shared.value.makeBank(cardholders: 2)
        let silent = try await bank.fetch(bank.holders[0])
        try await bank.deliver(bank.holders[1])
        try await bank.service.installation.sql(
            """
            UPDATE delivery_session SET opened_at = now() - interval '1 hour', expires_at = now() - interval '1 minute'
            WHERE bank_id = '\(bank.id)'
            """)
        try await eventually("both sessions have been removed") {
            try await bank.service.installation.sql(
                "SELECT count(*) FROM delivery_session WHERE bank_id = '\(bank.id)'") == ["0"]
        }
        let events = try await bank.events().filter { $0.type == "pin.delivery-unconfirmed" }
        #expect(events.map(\.uniqueId) == [bank.holders[0].uniqueId])
        #expect(events.first?.data == ["sessionId": .string(silent.opened.sessionId), "channel": "TOKEN"])
    }

    @Test("Only the wrong code that locks a cardholder causes an authentication.locked event")
    func locked() async throws {
        let bank = try await EventService.shared.value.makeBank(["--retry-limit", "3"])
        for _ in 0..<2 { #expect(try await bank.guess(bank.holders[0]) == 203) }
        #expect(try await bank.events().isEmpty)
        #expect(try await bank.guess(bank.holders[0]) == 203)
        #expect(try await bank.guess(bank.holders[0]) == 307)
        let events = try await bank.events()
        #expect(events.map(\.type) == ["authentication.locked"])
        #expect(events.first?.data == ["lockedBy": ["authenticationFailures"]])
    }

    @Test("The fetch that locks a cardholder causes an authentication.locked event")
    func lockedByFetches() async throws {
        let bank = try await EventService.shared.value.makeBank(["--fetch-limit", "2"])
        _ = try await bank.fetch(bank.holders[0])
        #expect(try await bank.events().isEmpty)
        _ = try await bank.fetch(bank.holders[0])
        let events = try await bank.events()
        #expect(events.map(\.type) == ["authentication.locked"])
        #expect(events.first?.data == ["lockedBy": ["unconfirmedFetches"]])
    }

    @Test("A PIN that is erased because it was not fetched in time causes a pin.expired event")
    func expired() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let id = bank.holders[0].uniqueId
        try await bank.service.installation.sql(
            """
            UPDATE cardholder SET pin_expires_at = now() - interval '1 s' WHERE unique_id = '\(id)';
            UPDATE pin_expiry SET expires_at = now() - interval '1 s' WHERE unique_id = '\(id)'
            """)
        try await eventually("the event is there") { try await !bank.events().isEmpty }
        let events = try await bank.events()
        #expect(events.map(\.type) == ["pin.expired"] && events.map(\.uniqueId) == [id])
        #expect(events.first?.data == [:])
    }

    @Test("30, 7 and 1 days before a certificate expires, there is one certificate.expiring event each")
    func expiring() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let receiver = try await WebhookReceiver()
        try await bank.setWebhook(receiver)
        let installation = bank.service.installation
        let alias = TestBank.certificateAlias
        func expire(in interval: String, status: String = "ACTIVE") async throws {
            try await installation.sqlAsCommand(
                """
                UPDATE certificate SET
                    not_before = now() - interval '1 day', not_after = now() + interval '\(interval)',
                    status = '\(status)'
                WHERE bank_id = '\(bank.id)' AND alias = '\(alias)'
                """, of: bank.bank.id)
        }
        func days(afterEvents count: Int) async throws -> [Int?] {
            try await eventually("the event is there") { try await bank.events().count >= count }
            // Two more rounds of housekeeping write no second event.
            try await Task.sleep(for: .seconds(2.5))
            return try await bank.events().map { $0.data["days"]?.integer }
        }
        try await expire(in: "31 days")
        #expect(try await days(afterEvents: 0) == [])
        try await expire(in: "29 days")
        #expect(try await days(afterEvents: 1) == [30])
        try await expire(in: "6 days", status: "DISABLED")
        #expect(try await days(afterEvents: 1) == [30])
        try await expire(in: "6 days")
        #expect(try await days(afterEvents: 2) == [30, 7])
        try await expire(in: "23 hours")
        #expect(try await days(afterEvents: 3) == [30, 7, 1])
        try await expire(in: "-1 hours")
        #expect(try await days(afterEvents: 3) == [30, 7, 1])

        let event = try #require(try await bank.events().last)
        #expect(event.type == "certificate.expiring" && event.bankId == bank.id)
        #expect(event.data["alias"]?.string == alias && event.data["use"] == "signature")
        let notAfter = try #require(event.data["notAfter"]?.integer)
        #expect(abs(notAfter - TestBank.timestamp(23 * 3600)) < 600)
        try await eventually("the webhooks have come") { try receiver.known.count == 3 }
        #expect(try await bank.events() == receiver.known)
    }

    @Test(
        "2 and 1 days before a CRL expires, and then, there is one revocation-list.expiring event each; a new CRL starts anew"
    )
    func expiringList() async throws {
        let bank = try await EventService.shared.value.makeBank()
        let installation = bank.service.installation
        func expire(in interval: String) async throws {
            try await installation.sql(
                """
                INSERT INTO revocation_list (bank_id, issuer, this_update, next_update, imported_at)
                VALUES ('\(bank.id)', 'CN=Some CA', now() - interval '9 days', now() + interval '\(interval)', now())
                ON CONFLICT (bank_id, issuer) DO UPDATE SET next_update = excluded.next_update
                """)
        }
        func days(afterEvents count: Int) async throws -> [Int?] {
            try await eventually("the event is there") { try await bank.events().count >= count }
            // Two more rounds of housekeeping write no second event.
            try await Task.sleep(for: .seconds(2.5))
            return try await bank.events().map { $0.data["days"]?.integer }
        }
        try await expire(in: "3 days")
        #expect(try await days(afterEvents: 0) == [])
        try await expire(in: "47 hours")
        #expect(try await days(afterEvents: 1) == [2])
        try await expire(in: "23 hours")
        #expect(try await days(afterEvents: 2) == [2, 1])
        try await expire(in: "-1 hours")
        #expect(try await days(afterEvents: 3) == [2, 1, 0])
        let event = try #require(try await bank.events().last)
        #expect(event.type == "revocation-list.expiring" && event.bankId == bank.id && event.uniqueId.isEmpty)
        #expect(event.data["issuer"] == "CN=Some CA" && event.data.count == 3)
        let nextUpdate = try #require(event.data["nextUpdate"]?.integer)
        #expect(abs(nextUpdate - TestBank.timestamp(-3600)) < 600)
    }

    @Test("A pin.defined event contains the PIN as a JWE for the bank's latest encryption certificate")
    func defined() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let key = try await service.installation.importEncryptionCertificate(into: bank.bank, alias: "encryption-1")
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        // A certificate that is imported later replaces the first one.
        let later = try await service.installation.importEncryptionCertificate(into: bank.bank, alias: "encryption-2")
        #expect(try await bank.define(bank.holders[0], "580241") == 0)

        let events = try await bank.events()
        #expect(events.map(\.type) == ["pin.defined", "pin.defined"])
        let sealed = try events.map { try SealedValue(try #require($0.data["pin"]?.string)) }
        #expect(sealed.map { $0.header["kid"]?.string } == ["encryption-1", "encryption-2"])
        #expect(sealed.allSatisfy { $0.header["alg"] == "RSA-OAEP-256" && $0.header["enc"] == "A256GCM" })
        for (event, sealed) in zip(events, sealed) {
            #expect(sealed.header["cty"] == "pin" && sealed.header["iss"]?.string == bank.id)
            #expect(sealed.header["sub"]?.string == event.uniqueId && sealed.header["jti"]?.string == event.id)
        }
        #expect(try sealed[0].open(with: key.privateKey) == Array("7391            ".utf8))
        #expect(try sealed[1].open(with: later.privateKey) == Array("580241          ".utf8))
        #expect(throws: (any Error).self) { try sealed[1].open(with: key.privateKey) }
    }

    @Test("For a bank without an encryption certificate, a pin.defined event has no PIN")
    func definedWithoutCertificate() async throws {
        let bank = try await EventService.shared.value.makeBank()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        #expect(try await bank.define(bank.holders[0], "12") == 131)
        let events = try await bank.events()
        #expect(events.map(\.type) == ["pin.defined"])
        #expect(events.first?.data == [:])
    }

    @Test("A bank that gets defined PINs has no definition without a valid encryption certificate (114)")
    func undeliverable() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank(["--defined-pins", "deliver"])
        func shown() async throws -> JSON? {
            let result = try await service.installation.run(["bank", "show", bank.id, "--json"]).succeeded()
            return try JSON(parsing: result.stdout).object?["definitionIsOff"]
        }
        func keypadCode() async throws -> Int? {
            try await service.server.post(
                "/v1/pin-definition/keypad-coordinates",
                ["bankId": .string(bank.id), "uniqueId": .string(bank.holders[0].uniqueId), "keypadSize": 12]
            ).code
        }
        #expect(try await bank.define(bank.holders[0], "7391") == 114)
        #expect(try await keypadCode() == 114)
        #expect(try await shown()?.string?.contains("import one with") == true)
        func warning() async throws -> String? {
            let result = try await service.installation.run(["check-config"]).succeeded()
            return result.stderr.split(separator: "\n").first { $0.contains("'\(bank.id)'") }.map(String.init)
        }
        #expect(try await warning()?.contains("warning: bank '\(bank.id)': definition is off") == true)

        _ = try await service.installation.importEncryptionCertificate(into: bank.bank, alias: "encryption-1")
        #expect(try await warning() == nil)
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        #expect(try await bank.define(bank.holders[0], "12") == 131)
        #expect(try await keypadCode() == 0)
        #expect(try await shown() == nil)

        try await service.installation.sqlAsCommand(
            """
            UPDATE certificate SET not_before = now() - interval '2 days', not_after = now() - interval '1 s'
            WHERE bank_id = '\(bank.id)' AND purpose = 'encryption'
            """, of: bank.bank.id)
        #expect(try await bank.define(bank.holders[0], "7391") == 114)
        #expect(try await shown() != nil)
    }

    @Test("With --defined-pins keep and an expired encryption certificate, a pin.defined event has no PIN")
    func expiredCertificate() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        _ = try await service.installation.importEncryptionCertificate(into: bank.bank, alias: "encryption-1")
        try await service.installation.sqlAsCommand(
            """
            UPDATE certificate SET not_before = now() - interval '2 days', not_after = now() - interval '1 s'
            WHERE bank_id = '\(bank.id)' AND purpose = 'encryption'
            """, of: bank.bank.id)
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        #expect(try await bank.events().first?.data == [:])
    }

    @Test("'certificate default' promotes a certificate; defined PINs are sealed to it from then on")
    func defaultCertificate() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        for alias in ["encryption-1", "encryption-2"] {
            _ = try await service.installation.importEncryptionCertificate(into: bank.bank, alias: alias)
        }
        func promote(_ alias: String) async throws -> CommandResult {
            try await service.installation.run(["certificate", "default", "--bank", bank.id, "--alias", alias])
        }
        try await promote("encryption-1").succeeded()
        try await promote("encryption-1").succeeded()
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        let sealed = try SealedValue(try #require(try await bank.events().first?.data["pin"]?.string))
        #expect(sealed.header["kid"] == "encryption-1")
        let listed = try await service.installation.run(["certificate", "list", "--bank", bank.id, "--json"])
            .succeeded()
        let defaults = (try JSON(parsing: listed.stdout).array ?? []).filter { $0.object?["isDefault"] == true }
        // One for each use.
        #expect(defaults.compactMap { $0.object?["use"]?.string }.sorted() == ["encryption", "signature"])
        #expect(try await promote("nobody").status == 66)
        try await service.installation.run(["certificate", "disable", "--bank", bank.id, "encryption-2"]).succeeded()
        #expect(try await promote("encryption-2").status == 66)
    }

    @Test("A signing certificate is refused as an encryption certificate")
    func wrongUse() async throws {
        let service = try await EventService.shared.value
        let bank = try await service.makeBank()
        let authority = try await TestAuthority.shared.value
        let result = try await service.installation.run([
            "certificate", "import", "--bank", bank.id, "--alias", "wrong", "--use", "encryption", "--ca",
            authority.certificateFile, authority.signer.certificateFile,
        ])
        #expect(result.status != 0)
        #expect(result.stderr.contains("keyEncipherment"))
    }
}
