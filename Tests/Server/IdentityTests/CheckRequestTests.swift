import ServerHarness
import Testing

/// How a bank's back-end asks for a document.
@Suite("Requests for checks")
struct CheckRequestTests {
    @Test("A check has a random id, the client, and an end")
    func made() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let answer = try await bank.check()
        #expect(answer.status == 201, "\(answer.members)")
        #expect(Set(answer.members.keys) == ["validationId", "clientId", "expiresAt"])
        #expect(answer.members["clientId"] == .string(bank.clientId))
        let id = try #require(answer.members["validationId"]?.string)
        #expect(id.wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil)
        let end = try #require(answer.members["expiresAt"]?.integer)
        #expect(abs(end - Int(TestState.now) - 900) < 120)
        #expect(try await bank.check().members["validationId"]?.string != id)
    }

    @Test("The database has neither the id nor what is expected, in any form")
    func secrecy() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let answer = try await bank.check([
            "clientId": .string(bank.clientId),
            "person": ["name": "ERIKSSON<<ANNA<MARIA", "dateOfBirth": "1974-08-12"],
        ])
        let id = try #require(answer.members["validationId"]?.string)
        let rows = try await bank.service.installation.sql(
            "SELECT to_jsonb(row) FROM identity_check AS row WHERE bank_id = '\(bank.bank.id)'")
        #expect(rows.count == 1 && rows[0].contains("\"person\""))
        #expect(!rows[0].contains(id))
        // Hashes and fractions of a second can have the digits by chance.
        let row = rows[0].replacing(/[0-9a-f]{16,}|\.[0-9]+/, with: "")
        for text in ["ERIKSSON", "ANNA", "740812", "1974"] { #expect(!row.contains(text)) }
    }

    @Test("A newer check takes the place of an older one")
    func replaced() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        #expect(try await bank.check().status == 201)
        #expect(try await bank.check().status == 201)
        let count = try await bank.service.installation.sql(
            "SELECT 1 FROM identity_check WHERE bank_id = '\(bank.bank.id)'"
        ).count
        #expect(count == 1)
    }

    @Test(
        "Wrong members are refused, each with a reason",
        arguments: [
            (["clientId": 7], "clientId"), (["lifetimeSeconds": 59], "lifetimeSeconds"),
            (["lifetimeSeconds": "900"], "lifetimeSeconds"), (["lifetimeSeconds": 86_401], "lifetimeSeconds"),
            (["document": nil], "document"), (["person": [:]], "document"), (["lifetimeSecond": 60], "lifetimeSecond"),
            (["document": ["issuingState": "UTO"]], "document.documentNumber"), (["document": "L898902C3"], "document"),
            (["document": ["issuingState": "UTOPIA", "documentNumber": "1"]], "document.issuingState"),
            (["document": ["issuingState": "UTO", "documentNumber": "Ω"]], "document.documentNumber"),
            (
                ["document": ["issuingState": "UTO", "documentNumber": .string(String(repeating: "1", count: 200))]],
                "document.documentNumber"
            ),
            (
                ["document": ["issuingState": "UTO", "documentNumber": "1", "documentCode": "PAS"]],
                "document.documentCode"
            ),
            (["document": ["issuingState": "UTO", "documentNumber": "1", "number": "2"]], "document.number"),
        ] as [([String: JSON], String)])
    func wrong(change: [String: JSON], member: String) async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        var body = bank.request
        for (name, value) in change { body[name] = value == .null ? nil : value }
        let answer = try await bank.check(body)
        #expect(answer.status == 422, "\(answer.members)")
        let members = (answer.members["invalid"]?.array ?? []).compactMap { $0.object?["member"]?.string }
        #expect(members.contains(member), "\(answer.members)")
    }

    @Test("A person's name and date of birth must fit into a machine readable zone")
    func wrongPerson() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        for (person, member) in [
            (["name": "ERIKSSON<<ANNA", "dateOfBirth": "12.8.1974"], "person.dateOfBirth"),
            (["name": "ERIKSSON<<ANNA", "dateOfBirth": "1965-02-30"], "person.dateOfBirth"),
            (["name": "ERIKSSON<<ANNA", "dateOfBirth": "650230"], "person.dateOfBirth"),
            (["name": "ERIKSSON<<ANNA", "dateOfBirth": "2965-03-10"], "person.dateOfBirth"),
            (["name": "山田<<太郎", "dateOfBirth": "740812"], "person.name"),
            (["name": .string(String(repeating: "A", count: 40)), "dateOfBirth": "740812"], "person.name"),
            (["name": "ERIKSSON<<ANNA"], "person.dateOfBirth"),
        ] as [(JSON, String)] {
            let answer = try await bank.check(["clientId": .string(bank.clientId), "person": person])
            #expect(answer.status == 422 && answer.members["type"] == "urn:card-companion:problem:invalid-members")
            let members = (answer.members["invalid"]?.array ?? []).compactMap { $0.object?["member"]?.string }
            #expect(members == [member])
        }
    }

    @Test("A client of another bank, an unbound one, a disabled one and an unknown one are refused")
    func clients() async throws {
        let service = try await IdentityService.shared.value
        let (bank, other) = (try await service.makeBank(), try await service.makeBank())
        let unbound = Unique.name("unbound")
        try await service.installation.run([
            "document-client", "add", "--bank", bank.bank.id, "--id", unbound, "--unbound", "--result-url",
            "https://results.example/",
        ]).succeeded()
        for client in [other.clientId, unbound, "nobody"] {
            var body = bank.request
            body["clientId"] = .string(client)
            #expect(try await bank.check(body).status == 422)
        }
        try await service.installation.run([
            "document-client", "disable", "--bank", bank.bank.id, bank.clientId,
        ]).succeeded()
        #expect(try await bank.check().status == 422)
    }

    @Test("A cardholder who is unknown, closed or of another bank is answered 404")
    func cardholders() async throws {
        let service = try await IdentityService.shared.value
        let (bank, other) = (try await service.makeBank(), try await service.makeBank())
        #expect(try await bank.check(of: "nobody").status == 404)
        #expect(try await bank.check(of: other.holder.uniqueId).status == 404)
        #expect(
            try await service.server.call(
                "PATCH", cardholder: bank.holder.uniqueId, ["status": "CLOSED"], by: bank.issuer
            ).status == 200)
        #expect(try await bank.check().status == 404)
    }

    @Test("Another media type is answered 415, and an unsigned call 401")
    func refused() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let path = "/v1/banks/\(bank.bank.id)/cardholders/\(bank.holder.uniqueId)/identity-checks"
        let body = Array(JSON.object(bank.request).text.utf8)
        var call = IssuerCall("POST", path, body: body)
        call.headers = [("Content-Type", "text/plain")]
        #expect(try await bank.service.server.call(call, by: bank.issuer).status == 415)
        let unsigned = try await bank.service.server.request(
            "POST", path, headers: [("Content-Type", "application/json")], body: body)
        #expect(unsigned.status == 401)
    }
}
