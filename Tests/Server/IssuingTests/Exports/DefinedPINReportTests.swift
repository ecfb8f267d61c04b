import PythonOracle
import ServerHarness
import Testing

/// What a bank reports of a defined PIN, and who is told.
@Suite("Reports of defined PINs")
struct DefinedPINReportTests {
    private static let backend = Once {
        try await Service.shared.value.makeBackend([
            "--retention", "keep-repeat", "--weak-pin-rules", "none", "--definitions-per-day", "100",
        ])
    }

    private func report(_ body: [String: JSON], _ uniqueId: String, _ backend: Backend) async throws -> HTTPAnswer {
        var call = IssuerCall(
            "POST", backend.path(uniqueId) + "/pin:effective", body: Array(JSON.object(body).text.utf8))
        call.headers = [("Content-Type", "application/json")]
        return try await backend.server.call(call, by: backend.issuer)
    }

    @Test(
        "A defined PIN is pending, and then what the bank reports, in GET and in cardholder show; the ETag changes with it"
    )
    func states() async throws {
        let backend = try await Self.backend.value
        let holder = try await backend.created()
        #expect(try await backend.get(holder.uniqueId).members["definedPin"] == nil)
        #expect(try await backend.define(holder, "7391").code == 0)
        let pending = try await backend.get(holder.uniqueId)
        let shown = try #require(pending.members["definedPin"]?.object)
        #expect(shown["state"] == "pending" && shown["reason"] == nil && shown["at"] != nil)
        let event = try #require(shown["event"])
        #expect(
            try await Service.shared.value.installation.sql(
                "SELECT public_id FROM event WHERE unique_id = '\(holder.uniqueId)'") == [event.string ?? ""])

        var etag = pending["ETag"]
        for (state, reason) in [("sent", nil), ("failed", "the host is closed"), ("effective", nil)]
            as [(String, String?)]
        {
            var body: [String: JSON] = ["event": event, "state": .string(state)]
            body["reason"] = reason.map { .string($0) }
            let answer = try await report(body, holder.uniqueId, backend)
            #expect(answer.status == 200 && answer["ETag"] != etag, "\(answer.members)")
            etag = answer["ETag"]
            // The same again changes nothing.
            let again = try await report(body, holder.uniqueId, backend)
            #expect(again.status == 200 && again["ETag"] == etag && again.body == answer.body)
            let got = try await backend.get(holder.uniqueId)
            #expect(got["ETag"] == etag && got.members["definedPin"] == answer.members["definedPin"])
            #expect(got.members["definedPin"]?.object?["state"]?.string == state)
            #expect(got.members["definedPin"]?.object?["reason"]?.string == reason)
        }
        let table = try await Service.shared.value.installation.run(
            ["cardholder", "show", "--bank", backend.bank.id, holder.uniqueId]
        ).succeeded().stdout
        #expect(table.contains("effective since"))
        // Rows of cardholders still fit the audit trail.
        let verified = try await Service.shared.value.installation.sql(
            "SELECT count(*) FROM audit_entry WHERE operation = 'report-defined-pin' AND bank_id = '\(backend.bank.id)'"
        )
        #expect((verified.first.flatMap { Int($0) } ?? 0) >= 6)
    }

    @Test("A report is of the present PIN")
    func superseded() async throws {
        let backend = try await Self.backend.value
        let holder = try await backend.created()
        _ = try await backend.define(holder, "7391")
        let event = try #require(try await backend.get(holder.uniqueId).members["definedPin"]?.object?["event"])
        _ = try await backend.define(holder, "58026")
        let old = try await report(["event": event, "state": "effective"], holder.uniqueId, backend)
        #expect(old.status == 409 && old.problem == "other-pin")
        #expect(try await backend.get(holder.uniqueId).members["definedPin"]?.object?["state"] == "pending")
        let newer = try #require(try await backend.get(holder.uniqueId).members["definedPin"]?.object?["event"])
        #expect(newer != event)
        #expect(try await backend.put(holder).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["definedPin"] == nil)
        #expect(try await report(["event": newer, "state": "sent"], holder.uniqueId, backend).status == 409)
        let unknown = try await report(["event": newer, "state": "sent"], "nobody", backend)
        #expect(unknown.status == 404 && unknown.problem == "no-cardholder")
    }

    @Test("A report has an event, a state that can be reported, and a reason only if it failed")
    func invalid() async throws {
        let backend = try await Self.backend.value
        let holder = try await backend.created()
        _ = try await backend.define(holder, "7391")
        let event = try #require(try await backend.get(holder.uniqueId).members["definedPin"]?.object?["event"])
        for (body, members) in [
            ([:], ["event", "state"]), (["event": event, "state": "pending"], ["state"]),
            (["event": "short", "state": "sent"], ["event"]),
            (["event": event, "state": "sent", "reason": "why"], ["reason"]),
            (["event": event, "state": "failed", "reason": "two\nlines"], ["reason"]),
            (["event": event, "state": "failed", "reason": .string(String(repeating: "x", count: 201))], ["reason"]),
            (["event": event, "state": "failed", "reason": "no card 4111 1111 1111 1111"], ["reason"]),
        ] as [([String: JSON], [String])] {
            let answer = try await report(body, holder.uniqueId, backend)
            #expect(answer.status == 422 && answer.invalid.map(\.member) == members, "\(answer.members)")
        }
    }

    @Test(
        "The answer to a definition says when the PIN works, as the bank is set", arguments: ["now", "later", "unsaid"])
    func effect(setting: String) async throws {
        let backend = try await Service.shared.value.makeBackend(["--defined-pin-effect", setting])
        let answer = try await backend.define(try await backend.created(), "7391")
        #expect(answer.code == 0)
        #expect(answer.members["effective"]?.string == (setting == "unsaid" ? nil : setting))
        let refused = try await backend.define(try await backend.created(), "1234")
        #expect(refused.code == 131 && refused.members["effective"] == nil)
    }
}
