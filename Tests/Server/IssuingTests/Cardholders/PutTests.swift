import ServerHarness
import Testing

/// Cardholders that a back-end creates or replaces, and what the server then shows and delivers.
@Suite("PUT, GET and HEAD")
struct PutTests {
    @Test("PUT creates a cardholder, then replaces it, and each change has a new ETag")
    func createAndReplace() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let created = try await backend.put(holder)
        #expect(created.status == 201)
        let replaced = try await backend.put(holder)
        #expect(replaced.status == 200)
        let etags = [created["ETag"], replaced["ETag"]].compactMap(\.self)
        #expect(Set(etags).count == 2, "\(etags)")
        #expect(try await backend.get(holder.uniqueId)["ETag"] == replaced["ETag"])
    }

    @Test("A PUT with the same body again changes nothing")
    func sameAgain() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.put(holder.uniqueId, body).members == ["pin": "taken"])
        let shown = try await backend.get(holder.uniqueId)
        #expect(try await backend.fetch(holder).code == 0)
        let wrong = TestCardholder(holder.uniqueId, code: "Wrong123")
        #expect(try await backend.fetch(wrong).code == 203)
        let before = try await backend.get(holder.uniqueId)
        let second = try await backend.put(holder.uniqueId, body)
        #expect(second.status == 200 && second.members == ["pin": "unchanged"])
        #expect(second["ETag"] == before["ETag"])
        // Counts that changed in between are kept too.
        let later = try await backend.get(holder.uniqueId).members
        #expect(later["updatedAt"] == shown.members["updatedAt"])
        #expect(later["authenticationFailures"] == 1 && later["unconfirmedFetches"] == 1)
    }

    @Test("A PUT with the same body does not restore a PIN that was delivered and erased")
    func erasedStaysErased() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder(channels: ["AC"])
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.put(holder.uniqueId, body).status == 201)
        let app = try TestApp()
        let answer = try await backend.server.post(Path.captcha, app.captcha(backend.bank, holder))
        let delivery = try app.open(answer)
        #expect(try await backend.server.post(Path.notify, delivery.notify(backend.bank, holder)).code == 0)
        #expect(try await backend.put(holder.uniqueId, body).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["hasPin"] == false)
    }

    @Test("GET and HEAD show the cardholder without secrets")
    func shown() async throws {
        let backend = try await Service.backend.value
        let before = TestBank.timestamp()
        let holder = try await backend.created(
            TestCardholder(status: "SUSPENDED", channels: ["TOKEN"], freeField: "Dear Ms Example"))
        let answer = try await backend.get(holder.uniqueId)
        #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
        #expect(answer["Cache-Control"] == "no-store")
        var members = answer.members
        for name in ["createdAt", "updatedAt", "pinExpiresAt"] {
            let time = try #require(members.removeValue(forKey: name)?.integer)
            #expect(time >= before)
        }
        #expect(
            members == [
                "uniqueId": .string(holder.uniqueId), "status": "SUSPENDED", "channels": ["TOKEN"], "definition": true,
                "hasAuthenticationCode": true, "authenticationFailures": 0, "hasPin": true, "unconfirmedFetches": 0,
                "hasFreeField": true,
            ])
        let head = try await backend.server.call("HEAD", cardholder: holder.uniqueId, by: backend.issuer)
        #expect(head.status == 200 && head["ETag"] == answer["ETag"] && head["ETag"] != nil)
        #expect(head["Content-Length"] == "\(answer.body.count)")
    }

    @Test("An empty PUT creates an active cardholder on all channels, without PIN, code and free field")
    func defaults() async throws {
        let backend = try await Service.backend.value
        let uniqueId = Unique.name("holder")
        #expect(try await backend.put(uniqueId, [:]).status == 201)
        var members = try await backend.get(uniqueId).members
        for name in ["createdAt", "updatedAt"] { members[name] = nil }
        #expect(
            members == [
                "uniqueId": .string(uniqueId), "status": "ACTIVE", "channels": ["AC", "TOKEN"], "definition": true,
                "hasAuthenticationCode": false, "authenticationFailures": 0, "hasPin": false, "unconfirmedFetches": 0,
                "hasFreeField": false,
            ])
    }

    @Test("After PUT the cardholder fetches the PIN with the provisioned code")
    func delivered() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created(TestCardholder(code: "Secret99", pin: "83052", freeField: "Hello"))
        #expect(try await backend.fetch(TestCardholder(holder.uniqueId, code: "Secret98")).code == 203)
        let delivery = try #require(try await backend.fetch(holder).delivery)
        #expect(delivery.members["length"] == 5)
        #expect(delivery.members["freeField"] == "Hello")
    }

    @Test("A PUT replaces PIN, code and free field; another code restarts failures, another PIN restarts fetches")
    func replacement() async throws {
        let backend = try await Service.backend.value
        var holder = try await backend.created(TestCardholder(freeField: "Hello"))
        let wrong = TestCardholder(holder.uniqueId, code: "Wrong123")
        for _ in 0..<3 { #expect(try await backend.fetch(wrong).code == 203) }
        #expect(try await backend.fetch(holder).code == 307)
        holder.code = "Another1"
        holder.pin = "830527"
        holder.freeField = nil
        #expect(try await backend.put(holder).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["authenticationFailures"] == 0)
        let old = TestCardholder(holder.uniqueId)
        #expect(try await backend.fetch(old).code == 203)
        let delivery = try #require(try await backend.fetch(holder).delivery)
        #expect(delivery.members["length"] == 6)
        #expect(delivery.members["freeField"] == nil)
        #expect(try await backend.put(holder.uniqueId, [:]).status == 200)
        let shown = try await backend.get(holder.uniqueId).members
        #expect(shown["hasPin"] == false && shown["hasAuthenticationCode"] == false)
        #expect(shown["unconfirmedFetches"] == 1)
    }

    @Test(
        "After a change by PATCH or by the operator, a PUT with the first body applies again", arguments: [true, false])
    func sameAfterChange(byOperator: Bool) async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.put(holder.uniqueId, body).status == 201)
        if byOperator {
            let command = ["cardholder", "set-status", "--bank", backend.bank.id, holder.uniqueId, "SUSPENDED"]
            try await service.installation.run(command).succeeded()
        } else {
            #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"]).status == 200)
        }
        #expect(try await backend.get(holder.uniqueId).members["status"] == "SUSPENDED")
        #expect(try await backend.put(holder.uniqueId, body).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
    }

    @Test(
        "After an unlock, by PATCH or by the operator, a PUT with the first body still changes nothing",
        arguments: [true, false])
    func sameAfterUnlock(byOperator: Bool) async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.put(holder.uniqueId, body).status == 201)
        #expect(try await backend.fetch(TestCardholder(holder.uniqueId, code: "Wrong123")).code == 203)
        if byOperator {
            let command = ["cardholder", "unlock", "--bank", backend.bank.id, holder.uniqueId]
            try await service.installation.run(command).succeeded()
        } else {
            #expect(try await backend.patch(holder.uniqueId, ["authenticationFailures": 0]).status == 200)
        }
        let unlocked = try await backend.get(holder.uniqueId)
        #expect(unlocked.members["authenticationFailures"] == 0)
        let again = try await backend.put(holder.uniqueId, body)
        #expect(again.status == 200 && again["ETag"] == unlocked["ETag"])
    }

    @Test("REST and the command 'cardholder show --json' show a cardholder in the same form")
    func sameForm() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let command = ["cardholder", "show", "--bank", backend.bank.id, "--json", holder.uniqueId]
        let shown = try await service.installation.run(command).succeeded().stdout
        let answer = try await backend.get(holder.uniqueId)
        #expect(try JSON(parsing: Array(shown.utf8)) == JSON(parsing: answer.body))
    }

    @Test(
        "A uniqueId with special characters works in the path",
        arguments: ["a b", "a/b", "é+ü", "100%", "a%2Fb", "..", "a?b#c", "日本", "a;b=c", "\"'\\"])
    func uniqueIds(beginning: String) async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created(TestCardholder(Unique.name(beginning)))
        #expect(try await backend.get(holder.uniqueId).members["uniqueId"]?.string == holder.uniqueId)
        #expect(try await backend.fetch(holder).code == 0)
        let command = ["cardholder", "show", "--bank", backend.bank.id, "--json", "--", holder.uniqueId]
        #expect(try await service.installation.run(command).status == 0)
        #expect(try await backend.delete(holder.uniqueId).status == 204)
        #expect(try await backend.get(holder.uniqueId).status == 404)
    }

    @Test("A bank id with special characters works in the path")
    func bankId() async throws {
        let backend = try await Service.shared.value.makeBackend(id: Unique.name("Crédit / Münch"))
        let holder = try await backend.created()
        #expect(try await backend.get(holder.uniqueId).status == 200)
    }
}
