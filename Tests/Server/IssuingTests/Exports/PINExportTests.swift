import PythonOracle
import ServerHarness
import Testing

/// Defined PINs for the issuer's host, opened and verified by psec.
@Suite("Exports of PINs", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PINExportTests {
    @Test(
        "psec opens a block of each format, with the PAN and under the key of the host",
        arguments: [("iso-3", "tdes"), ("iso-0", "tdes0"), ("iso-4", "aes")])
    func translate(format: String, key: String) async throws {
        let exporter = try await Exporter.shared.value
        for pin in ["7391", "58026", "402716"] {
            let (holder, pan) = (try await exporter.holder(pin), Exporter.pan())
            let answer = try await exporter.opened(exporter.block(format, pan, key: key), of: holder)
            #expect(answer.keys.sorted() == ["block", "kcv"])
            let block = try #require(answer["block"]?.string)
            #expect(try await exporter.pinOfBlock(block, format, pan, key: key) == pin)
            #expect(try await exporter.kcv(of: key) == answer["kcv"]?.string)
        }
    }

    @Test("psec makes the same PVV, also of the first four digits of a longer PIN")
    func pvv() async throws {
        let exporter = try await Exporter.shared.value
        for pin in ["7391", "58026", "402716"] {
            let (holder, pan) = (try await exporter.holder(pin), Exporter.pan(prefix: "54321098"))
            let answer = try await exporter.opened(exporter.pvv(pan), of: holder)
            #expect(answer.keys.sorted() == ["value"])
            #expect(try await exporter.psecPVV(pin, pan) == answer["value"]?.string)
        }
    }

    @Test("psec gets the PIN back from an offset")
    func offset() async throws {
        let exporter = try await Exporter.shared.value
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        let offset = try #require(try await exporter.opened(exporter.offset(pan), of: holder)["value"]?.string)
        #expect(try await exporter.psecPIN(ofOffset: offset, pan) == "7391")
        let longer = try await exporter.holder("58026")
        let answer = try await exporter.export(exporter.offset(Exporter.pan()), of: longer)
        #expect(answer.status == 422 && answer.problem == "pin-length")
    }

    @Test(
        "Each export is an event and an entry of the audit trail, and the PAN is in neither, nor in the database or the log"
    )
    func recorded() async throws {
        let exporter = try await Exporter.shared.value
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        _ = try await exporter.opened(exporter.block("iso-3", pan, key: "tdes"), of: holder)
        _ = try await exporter.opened(exporter.pvv(pan), of: holder)
        let wrong = try await exporter.export(exporter.pvv(Exporter.pan()), of: holder)
        #expect(wrong.status == 409)
        // Other tests use this server, too.
        let scrape = try await exporter.backend.server.scrape()
        #expect(scrape[#"pin_exports_total{outcome="exported"}"#] ?? 0 >= 2)
        #expect(scrape[#"pin_exports_total{outcome="bound_otherwise"}"#] ?? 0 >= 1)

        let installation = try await exporter.installation
        let events = try await installation.sql(
            """
            SELECT type, data - 'event' - 'idempotencyKey', data ->> 'event' = (
                SELECT public_id FROM event AS definition
                WHERE definition.unique_id = event.unique_id AND definition.type = 'pin.defined')
                AND data ->> 'idempotencyKey' IN (SELECT idempotency_key FROM idempotent_answer)
            FROM event WHERE unique_id = '\(holder.uniqueId)' AND type = 'pin.exported' ORDER BY event_id
            """)
        #expect(
            events == [
                #"pin.exported|{"key": "tdes", "format": "iso-3", "operation": "translate"}|t"#,
                #"pin.exported|{"key": "pvk", "method": "pvv", "operation": "verification-value"}|t"#,
            ])
        let outcomes = try await installation.sql(
            """
            SELECT outcome FROM audit_entry WHERE operation = 'export-pin' AND bank_id = '\(exporter.backend.bank.id)'
                AND actor = 'key:\(exporter.backend.issuer.keyId)' AND outcome IN ('exported', 'bound-otherwise')
            GROUP BY outcome ORDER BY outcome
            """)
        #expect(outcomes == ["bound-otherwise", "exported"])
        let dump = try await installation.sql(
            """
            SELECT count(*) FROM (
                SELECT e::text AS line FROM event AS e UNION ALL SELECT a::text FROM audit_entry AS a
                UNION ALL SELECT i::text FROM idempotent_answer AS i UNION ALL SELECT p::text FROM pan_binding AS p
                UNION ALL SELECT c::text FROM pin_export_count AS c) AS lines
            WHERE line LIKE '%\(pan)%'
            """)
        #expect(dump == ["0"])
        #expect(exporter.backend.server.logLines(with: pan).isEmpty)
        #expect(!String(decoding: wrong.body, as: UTF8.self).contains(pan))
    }

    @Test("The same call again gets the kept answer on every server, and does not count")
    func repeated() async throws {
        let exporter = try await Exporter.shared.value
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        let call = try exporter.call(exporter.pvv(pan), of: holder)
        let first = try await exporter.send(call)
        #expect(first.status == 200)
        for server in [exporter.backend.server, try await Service.second.value] {
            for _ in 0..<3 {
                let again = try await exporter.send(call, through: server)
                #expect(again.status == 200 && again.body == first.body)
            }
        }
        // The kept answer is that of the PIN that was exported.
        try await exporter.define(holder, "58026")
        #expect(try await exporter.send(call).body == first.body)
        var other = try exporter.call(exporter.pvv(pan), of: holder)
        other.idempotencyKey = call.idempotencyKey
        let reused = try await exporter.send(other)
        #expect(reused.status == 422 && reused.problem == "idempotency-key-reused")
        for _ in 0..<2 { #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200) }
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 429)
    }

    @Test("A cardholder and a PAN have three exports a day")
    func dailyLimit() async throws {
        let exporter = try await Exporter(kinds: Array(Exporter.Kind.all[2...]))
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        for members in [exporter.block("iso-4", pan, key: "aes"), exporter.pvv(pan), exporter.offset(pan)] {
            #expect(try await exporter.export(members, of: holder).status == 200)
        }
        let refused = try await exporter.export(exporter.pvv(pan), of: holder)
        #expect(refused.status == 429 && refused.problem == "export-limit")
        #expect(1...86_400 ~= Int(refused["Retry-After"] ?? "") ?? 0)
        // Neither the cardholder's nor the PAN's count is lost with the row or the pairing.
        let installation = try await exporter.installation
        #expect(try await exporter.backend.delete(holder.uniqueId).status == 204)
        #expect(try await exporter.backend.put(holder).status == 201)
        try await exporter.define(holder, "7391")
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 429)
        try await installation.run(
            ["cardholder", "release-pan", "--bank", exporter.backend.bank.id, holder.uniqueId]
        ).succeeded()
        #expect(try await exporter.export(exporter.pvv(Exporter.pan()), of: holder).status == 429)
        #expect(try await exporter.export(exporter.pvv(pan), of: try await exporter.holder("7391")).status == 429)
        // Another day.
        try await installation.sql(
            "UPDATE pin_export_count SET day = day - 1 WHERE bank_id = '\(exporter.backend.bank.id)'")
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200)
    }

    @Test("A bank has ten exports in a second")
    func rateLimit() async throws {
        let exporter = try await Exporter(kinds: [Exporter.Kind.all[3]])
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200)
        let installation = try await exporter.installation
        // As if ten had been served, and the database's clock had been set back by 50 seconds since.
        try await installation.sql(
            """
            UPDATE pin_export_rate SET second = date_trunc('second', now()) + interval '50 seconds', count = 10
            WHERE bank_id = '\(exporter.backend.bank.id)'
            """)
        let call = try exporter.call(exporter.pvv(pan), of: holder)
        var signed = IssuerCall(
            "POST", exporter.backend.path(holder.uniqueId) + "/pin:verification-value",
            body: Array(JSON.object(["pinExport": .string(call.sealed)]).text.utf8))
        signed.headers = [("Content-Type", "application/json"), ("Idempotency-Key", call.idempotencyKey ?? "")]
        let refused = try await exporter.backend.server.call(signed, by: exporter.backend.issuer)
        #expect(refused.status == 429 && refused.problem == "export-rate" && refused["Retry-After"] == "1")
        #expect(
            try await installation.sql(
                "SELECT count FROM pin_export_rate WHERE bank_id = '\(exporter.backend.bank.id)'") == ["11"])
        try await installation.sql(
            "UPDATE pin_export_rate SET second = now() - interval '1 hour' WHERE bank_id = '\(exporter.backend.bank.id)'"
        )
        #expect(try await exporter.send(call).status == 200)
        #expect(
            try await installation.sql(
                "SELECT count FROM pin_export_rate WHERE bank_id = '\(exporter.backend.bank.id)'") == ["1"])
    }

    @Test("Exports are off by default, and a bank without an encryption certificate gets none")
    func notAllowed() async throws {
        let off = try await Exporter(Array(Exporter.settings.dropFirst(2)), kinds: [Exporter.Kind.all[3]])
        let holder = try await off.holder("7391")
        let refused = try await off.export(off.pvv(Exporter.pan()), of: holder)
        #expect(refused.status == 403 && refused.problem == "pin-exports-off")

        let installation = try await off.installation
        let noted = try await installation.sql(
            """
            SELECT outcome, detail FROM audit_entry
            WHERE operation = 'export-pin' AND bank_id = '\(off.backend.bank.id)'
            """)
        #expect(noted == [#"not-allowed|{"operation":"verification-value"}"#])
        try await installation.run(["bank", "set", off.backend.bank.id, "--pin-exports", "true"]).succeeded()
        #expect(try await off.export(off.pvv(Exporter.pan()), of: holder).status == 200)
        let alias = try await installation.sql(
            "SELECT alias FROM certificate WHERE bank_id = '\(off.backend.bank.id)' AND purpose = 'encryption'")
        try await installation.run(
            ["certificate", "disable", "--bank", off.backend.bank.id, try #require(alias.first)]
        ).succeeded()
        let unsealed = try await off.export(off.pvv(Exporter.pan()), of: try await off.holder("7391"))
        #expect(unsealed.status == 422 && unsealed.problem == "no-encryption-certificate")
    }

    @Test("A call that is not whole is refused")
    func requests() async throws {
        let exporter = try await Exporter.shared.value
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        var call = try exporter.call(exporter.pvv(pan), of: holder)
        call.idempotencyKey = nil
        let keyless = try await exporter.send(call)
        #expect(keyless.status == 400 && keyless.problem == "idempotency-key")
        call.idempotencyKey = Unique.name("other")
        let other = try await exporter.send(call)
        #expect(other.status == 422 && other.invalid.map(\.member) == ["pinExport"])
        #expect(other.invalid.first?.reason.contains("jti") == true)

        call = try exporter.call(exporter.pvv(pan), of: holder)
        #expect(try await exporter.send(call, body: "[]").status == 400)
        let empty = try await exporter.send(call, body: "{}")
        #expect(empty.status == 422 && empty.invalid.map(\.member) == ["pinExport"])
        var unknown = try exporter.call(exporter.pvv(pan), of: TestCardholder())
        #expect(try await exporter.send(unknown).status == 404)
        unknown.uniqueId = holder.uniqueId
        #expect(try await exporter.send(unknown).status == 422)
    }

    @Test("A sealed value must say what it is for", arguments: ["cty", "iss", "sub", "jti"])
    func bound(parameter: String) async throws {
        let exporter = try await Exporter.shared.value
        let holder = try await exporter.holder("7391")
        let call = try exporter.call(exporter.pvv(Exporter.pan()), of: holder, binding: [parameter: "other"])
        let answer = try await exporter.send(call)
        #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinExport"])
        #expect(answer.invalid.first?.reason.contains(parameter) == true)
    }
}
