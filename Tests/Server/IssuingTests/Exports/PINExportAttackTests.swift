import PythonOracle
import ServerHarness
import Testing

/// What somebody with the key of a bank's back-end can try, to learn PINs from values.
@Suite("Attacks on exports of PINs", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PINExportAttackTests {
    private func refusal(_ members: [String: JSON], _ exporter: Exporter) async throws -> String {
        let holder = try await exporter.holder("7391")
        let answer = try await exporter.export(members, of: holder)
        #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinExport"], "\(answer.members)")
        let body = String(decoding: answer.body, as: UTF8.self)
        if let pan = members["pan"]?.string { #expect(!body.contains(pan)) }
        return answer.invalid.first?.reason ?? ""
    }

    @Test("A call can choose no table, validation data, length, index or PIN")
    func chosen() async throws {
        let exporter = try await Exporter.shared.value
        for (name, value) in [
            ("decimalizationTable", "0000000000000001"), ("validationData", "1:16:0"), ("pinLength", "1"),
            ("pvki", "1"),
            ("pin", "1234"), ("prefixes", "4"), ("offset", "0000"),
        ] {
            for members in [exporter.offset(Exporter.pan()), exporter.pvv(Exporter.pan())] {
                let reason = try await refusal(members.merging([name: .string(value)]) { $1 }, exporter)
                #expect(reason.contains("unknown member"))
            }
        }
    }

    @Test("A PAN belongs to one cardholder, and a cardholder has one PAN")
    func paired() async throws {
        let exporter = try await Exporter.shared.value
        let (first, second) = (try await exporter.holder("7391"), try await exporter.holder("1111"))
        let pan = Exporter.pan()
        #expect(try await exporter.export(exporter.pvv(pan), of: first).status == 200)
        let otherHolder = try await exporter.export(exporter.block("iso-3", pan, key: "tdes"), of: second)
        #expect(otherHolder.status == 409 && otherHolder.problem == "pan-bound")
        let otherPAN = try await exporter.export(exporter.pvv(Exporter.pan()), of: first)
        #expect(otherPAN.status == 409 && otherPAN.problem == "pan-bound")
        // What was refused has paired nothing.
        #expect(try await exporter.export(exporter.pvv(Exporter.pan()), of: second).status == 200)
    }

    @Test("A pairing outlives PUT, DELETE and the end of the cardholder's life, until it is released")
    func pairedForGood() async throws {
        let exporter = try await Exporter.shared.value
        let backend = exporter.backend
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200)
        func isPaired() async throws {
            let other = try await exporter.export(exporter.pvv(pan), of: try await exporter.holder("1111"))
            #expect(other.status == 409 && other.problem == "pan-bound")
        }
        #expect(try await backend.put(holder).status == 200)
        try await isPaired()
        #expect(try await backend.patch(holder.uniqueId, ["status": "CLOSED"]).status == 200)
        try await isPaired()
        #expect(try await backend.delete(holder.uniqueId).status == 204)
        try await isPaired()
        #expect(try await backend.put(holder).status == 201)
        try await exporter.define(holder, "2222")
        let otherPAN = try await exporter.export(exporter.pvv(Exporter.pan()), of: holder)
        #expect(otherPAN.status == 409)
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200)

        let command = ["cardholder", "release-pan", "--bank", backend.bank.id, holder.uniqueId]
        let installation = try await exporter.installation
        try await installation.run(command).succeeded()
        #expect(try await installation.run(command).status != 0)
        // The entry has a pseudonym, and no name.
        let entries = try await installation.sql(
            """
            SELECT outcome, subject IS NOT NULL, detail IS NULL FROM audit_entry
            WHERE operation = 'cardholder release-pan' AND bank_id = '\(backend.bank.id)'
                AND subject = (
                    SELECT subject FROM audit_entry WHERE operation = 'export-pin' AND outcome = 'exported'
                        AND bank_id = '\(backend.bank.id)' AND subject IN (
                            SELECT subject FROM audit_entry WHERE operation = 'cardholder release-pan')
                    LIMIT 1)
            """)
        #expect(entries == ["cardholder.pan-released|t|t"])
        #expect(try await exporter.export(exporter.pvv(Exporter.pan()), of: holder).status == 200)
    }

    @Test("Of many calls at once with one PAN, one cardholder gets it, on all servers")
    func atOnce() async throws {
        let exporter = try await Exporter.shared.value
        let pan = Exporter.pan()
        var calls: [Exporter.Call] = []
        for _ in 0..<6 { calls.append(try exporter.call(exporter.pvv(pan), of: try await exporter.holder("7391"))) }
        let servers = [exporter.backend.server, try await Service.second.value]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, call) in calls.enumerated() {
                group.addTask { try await exporter.send(call, through: servers[index % 2]).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409, 409, 409, 409, 409])
    }

    @Test("A provisioned PIN is not exported, whatever came before")
    func provisioned() async throws {
        let exporter = try await Exporter.shared.value
        let backend = exporter.backend
        func isRefused(_ holder: TestCardholder) async throws {
            let answer = try await exporter.export(exporter.pvv(Exporter.pan()), of: holder)
            #expect(answer.status == 422 && answer.problem == "no-defined-pin", "\(answer.members)")
        }
        let holder = try await backend.created()
        try await isRefused(holder)
        // A PUT, a PATCH or an import between two exports takes the place of the defined PIN.
        try await exporter.define(holder, "7391")
        #expect(try await exporter.export(exporter.pvv(Exporter.pan()), of: holder).status == 200)
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.put(holder.uniqueId, body).status == 200)
        try await isRefused(holder)
        try await exporter.define(holder, "7391")
        #expect(try await backend.patch(holder.uniqueId, ["pin": #require(body["pin"])]).status == 200)
        // The PIN was taken before: it changes nothing.
        #expect(try await exporter.backend.get(holder.uniqueId).members["definedPin"] != nil)
        let fresh = try #require(holder.members(sealedTo: backend.key, of: backend.bank.id)["pin"])
        #expect(try await backend.patch(holder.uniqueId, ["pin": fresh]).status == 200)
        try await isRefused(holder)
        try await exporter.define(holder, "7391")
        #expect(
            try await backend.importLines(try holder.line(sealedTo: backend.key, of: backend.bank.id) + "\n").status
                == 200)
        try await isRefused(holder)
        // Without a PIN there is none to export.
        try await exporter.define(holder, "7391")
        #expect(try await backend.patch(holder.uniqueId, ["pin": nil]).status == 200)
        try await isRefused(holder)
    }

    @Test("A PUT while an export is under way leaves nothing of the old PIN")
    func replacedMeanwhile() async throws {
        let exporter = try await Exporter.shared.value
        let installation = try await exporter.installation
        let holder = try await exporter.holder("7391")
        let body = try holder.members(sealedTo: exporter.backend.key, of: exporter.backend.bank.id)
        // Both wait for the cardholder's row: first the PUT, then the export, which may have read the PIN before.
        try await installation.holding(
            "SELECT FROM cardholder WHERE unique_id = '\(holder.uniqueId)' FOR UPDATE"
        ) { lock in
            async let put = exporter.backend.put(holder.uniqueId, body)
            try await eventually("the PUT waits") { try await lock.waiting() == 1 }
            // Through another server: on this one, its statements could share a session with the PUT, and wait for it.
            async let export = exporter.send(
                exporter.call(exporter.pvv(Exporter.pan()), of: holder), through: Service.second.value)
            try await eventually("the export waits behind it") { try await lock.waitingInLine() >= 2 }
            try await lock.release()
            #expect(try await put.status == 200)
            let refused = try await export
            #expect(refused.status == 422 && refused.problem == "no-defined-pin", "\(refused.members)")
        }
    }

    @Test("A PIN of a cardholder who was deleted meanwhile is not exported as that of a new one of the same name")
    func sameNameAgain() async throws {
        let exporter = try await Exporter(kinds: Exporter.Kind.all.filter { $0.label == "pvk" })
        let (holder, pan) = (try await exporter.holder("7391"), Exporter.pan())
        _ = try await exporter.opened(exporter.pvv(pan), of: holder)
        // An export has read the PIN, and waits for the bank's row. Meanwhile the new cardholder defines a PIN as the old one did.
        let installation = try await exporter.installation
        try await installation.holding(
            "SELECT FROM pin_export_rate WHERE bank_id = '\(exporter.backend.bank.id)' FOR UPDATE"
        ) { lock in
            async let export = exporter.export(exporter.pvv(pan), of: holder)
            try await eventually("the export waits") { try await lock.waiting() > 0 }
            #expect(try await exporter.backend.delete(holder.uniqueId).status == 204)
            let body = try holder.members(sealedTo: exporter.backend.key, of: exporter.backend.bank.id)
            #expect(try await exporter.backend.put(holder.uniqueId, body).status == 201)
            try await exporter.define(holder, "8305")
            try await lock.release()
            let refused = try await export
            #expect(refused.status == 422 && refused.problem == "no-defined-pin", "\(refused.members)")
        }
    }

    @Test("Each key serves its own operation, format and cards")
    func otherUses() async throws {
        let exporter = try await Exporter.shared.value
        let pan = Exporter.pan()
        for members in [
            exporter.block("iso-3", pan, key: "pvk"), exporter.block("iso-4", pan, key: "ibm"),
            exporter.pvv(pan, key: "ibm"),
            exporter.pvv(pan, key: "tdes"), exporter.offset(pan, key: "pvk"),
        ] {
            #expect(try await refusal(members, exporter).contains("is for something else"))
        }
        for (format, key) in [("iso-4", "tdes"), ("iso-0", "tdes"), ("iso-3", "aes")] {
            let reason = try await refusal(exporter.block(format, pan, key: key), exporter)
            #expect(reason.contains("format must be one that the key's rules say"))
        }
        for key in ["kbpk", "nobody's"] {
            #expect(try await refusal(exporter.pvv(pan, key: key), exporter).contains("no active key"))
        }
    }

    @Test(
        "Blocks without a PAN, and other formats, are never made (PCI PIN, requirement 3)",
        arguments: ["iso-1", "iso-2", "ISO-3", "", "ecb"])
    func forbiddenFormats(format: String) async throws {
        let exporter = try await Exporter.shared.value
        let reason = try await refusal(exporter.block(format, Exporter.pan(), key: "tdes"), exporter)
        #expect(reason.contains("format must be iso-3, iso-4 or iso-0"))
    }

    @Test("A PAN of other cards, of another length, or with a wrong check digit is refused, and appears nowhere")
    func otherCards() async throws {
        let exporter = try await Exporter.shared.value
        let pan = Exporter.pan()
        let check = (Int(pan.suffix(1)) ?? 0)
        let wrong = pan.dropLast() + String((check + 1) % 10)
        for (pan, reason) in [
            (Exporter.pan(prefix: "412346"), "does not serve this card"), (Exporter.pan(length: 17), "16 digits"),
            (Exporter.pan(length: 15), "16 digits"), (String(wrong), "check digit"),
            (pan.dropLast() + "x", "check digit"),
        ] {
            #expect(try await refusal(exporter.pvv(pan), exporter).contains(reason))
        }
    }

    @Test("Exports cannot be pinned to a key that is disabled, or whose rules somebody has changed in the database")
    func changedRules() async throws {
        let exporter = try await Exporter(kinds: [Exporter.Kind.all[3]])
        let installation = try await exporter.installation
        let holder = try await exporter.holder("7391")
        let pan = Exporter.pan()
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200)
        try await installation.attack(
            """
            UPDATE bank_key SET rules = replace(rules, 'pvki=3', 'pvki=1')
            WHERE bank_id = '\(exporter.backend.bank.id)' AND label = 'pvk'
            """)
        let forged = try await exporter.export(exporter.pvv(pan), of: holder)
        #expect(forged.status == 422 && forged.invalid.first?.reason.contains("no active key") == true)
        try await installation.attack(
            """
            UPDATE bank_key SET rules = replace(rules, 'pvki=1', 'pvki=3')
            WHERE bank_id = '\(exporter.backend.bank.id)' AND label = 'pvk'
            """)
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 200)
        try await installation.run(["key", "disable", "--bank", exporter.backend.bank.id, "pvk"]).succeeded()
        #expect(try await exporter.export(exporter.pvv(pan), of: holder).status == 422)
    }

    @Test("If the key of the digests is gone, nothing is exported")
    func lostDigestKey() async throws {
        let exporter = try await Exporter(kinds: [Exporter.Kind.all[3]])
        let installation = try await exporter.installation
        let holder = try await exporter.holder("7391")
        #expect(try await exporter.export(exporter.pvv(Exporter.pan()), of: holder).status == 200)
        try await installation.attack("DELETE FROM pan_digest_key WHERE bank_id = '\(exporter.backend.bank.id)'")
        let other = try await exporter.holder("7391")
        #expect(try await exporter.export(exporter.pvv(Exporter.pan()), of: other).status == 500)
    }
}
