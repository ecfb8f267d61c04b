import ServerHarness
import Testing

/// Changes of cardholders by merge patch (RFC 7396), and their deletion.
@Suite("PATCH and DELETE")
struct PatchTests {
    @Test("PATCH changes the cardholder, and returns the new ETag")
    func answer() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let created = try await backend.put(holder)
        let patched = try await backend.patch(holder.uniqueId, ["status": "CLOSED", "channels": ["AC"]])
        #expect(patched.status == 200 && patched.members == [:])
        #expect(patched["ETag"] != nil && patched["ETag"] != created["ETag"])
        let shown = try await backend.get(holder.uniqueId)
        #expect(shown.members["status"] == "CLOSED" && shown.members["channels"] == ["AC"])
        #expect(shown["ETag"] == patched["ETag"])
    }

    @Test("A cardholder is marked for accessible forms by PUT and PATCH; null, and a PUT without it, remove the mark")
    func accessibility() async throws {
        let backend = try await Service.backend.value
        var holder = TestCardholder(accessibility: "calm")
        let created = try await backend.put(holder)
        #expect(created.status == 201)
        func shown() async throws -> JSON? { try await backend.get(holder.uniqueId).members["accessibility"] }
        #expect(try await shown() == "calm")
        let patched = try await backend.patch(holder.uniqueId, ["accessibility": "text"])
        #expect(patched.status == 200 && patched["ETag"] != created["ETag"])
        #expect(try await shown() == "text")
        for wrong: JSON in ["loud", "", 1, true, ["calm"]] {
            #expect(try await backend.patch(holder.uniqueId, ["accessibility": wrong]).status == 422)
        }
        #expect(try await backend.patch(holder.uniqueId, ["status": "ACTIVE"]).status == 200)
        #expect(try await shown() == "text")
        #expect(try await backend.patch(holder.uniqueId, ["accessibility": .null]).status == 200)
        #expect(try await shown() == nil)
        #expect(try await backend.put(holder).status == 200)
        #expect(try await shown() == "calm")
        holder.accessibility = nil
        #expect(try await backend.put(holder).status == 200)
        #expect(try await shown() == nil)
    }

    @Test("A fetch for a suspended cardholder is answered 302, until the status is ACTIVE again")
    func status() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"]).status == 200)
        #expect(try await backend.fetch(holder).code == 302)
        #expect(try await backend.patch(holder.uniqueId, ["status": "ACTIVE"]).status == 200)
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("A fetch on a removed channel is answered 309, even if all channels are removed")
    func channels() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        for channels: JSON in [["AC"], []] {
            #expect(try await backend.patch(holder.uniqueId, ["channels": channels]).status == 200)
            #expect(try await backend.fetch(holder).code == 309)
        }
        #expect(try await backend.patch(holder.uniqueId, ["channels": ["TOKEN", "AC"]]).status == 200)
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("freeField is set by a string and removed by null; unnamed members are unchanged")
    func freeField() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        #expect(try await backend.patch(holder.uniqueId, ["freeField": "Bonjour, ça va ?"]).status == 200)
        #expect(try await backend.patch(holder.uniqueId, ["status": "ACTIVE"]).status == 200)
        let first = try #require(try await backend.fetch(holder).delivery)
        #expect(first.members["freeField"] == "Bonjour, ça va ?")
        #expect(try await backend.patch(holder.uniqueId, ["freeField": nil]).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["hasFreeField"] == false)
        let second = try #require(try await backend.fetch(holder).delivery)
        #expect(second.members["freeField"] == nil)
    }

    @Test("authenticationFailures 0 unlocks a cardholder who was locked by wrong codes")
    func unlock() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let wrong = TestCardholder(holder.uniqueId, code: "Wrong123")
        for _ in 0..<3 { #expect(try await backend.fetch(wrong).code == 203) }
        #expect(try await backend.fetch(holder).code == 307)
        let locked = try await backend.get(holder.uniqueId)
        #expect(locked.members["authenticationFailures"] == 3)
        #expect(locked.members["lockedBy"] == ["authenticationFailures"])
        #expect(try await backend.patch(holder.uniqueId, ["status": "ACTIVE"]).status == 200)
        #expect(try await backend.fetch(holder).code == 307)
        #expect(try await backend.patch(holder.uniqueId, ["authenticationFailures": 0]).status == 200)
        let unlocked = try await backend.get(holder.uniqueId)
        #expect(unlocked.members["authenticationFailures"] == 0)
        #expect(unlocked.members["lockedBy"] == nil)
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("All invalid members are listed in one response, and nothing is changed")
    func refused() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let before = try await backend.get(holder.uniqueId)
        let answer = try await backend.patch(
            holder.uniqueId,
            [
                "status": "GONE", "channels": ["AC", "AC"], "freeField": "card 4111111111111111",
                "authenticationFailures": 1, "pin": "1234", "colour": "red",
            ])
        #expect(answer.status == 422 && answer.problem == "invalid-members")
        let reasons = Dictionary(answer.invalid) { first, _ in first }
        #expect(answer.invalid.count == 6)
        #expect(reasons["status"]?.contains("ACTIVE") == true)
        #expect(reasons["channels"]?.contains("TOKEN") == true)
        #expect(reasons["freeField"] == "must not contain a card number")
        #expect(reasons["authenticationFailures"]?.contains("0") == true)
        #expect(reasons["pin"]?.contains("not a JWE") == true)
        #expect(reasons["colour"]?.contains("cannot be changed") == true)
        let after = try await backend.get(holder.uniqueId)
        #expect(after.members == before.members && after["ETag"] == before["ETag"])
    }

    @Test(
        "An invalid value is answered 422 with the member's name",
        arguments: [
            ["status": nil], ["status": "active"], ["status": 1], ["channels": nil], ["channels": "AC"],
            ["channels": ["AC", 1]], ["channels": ["FAX"]], ["freeField": 7],
            ["freeField": .string(String(repeating: "x", count: 1001))], ["authenticationFailures": nil],
            ["authenticationFailures": "none"], ["uniqueId": "another"], ["authenticationCode": "x"],
        ] as [[String: JSON]])
    func badValue(patch: [String: JSON]) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let answer = try await backend.patch(holder.uniqueId, patch)
        #expect(answer.status == 422)
        #expect(answer.invalid.map(\.member) == Array(patch.keys))
        #expect(answer.invalid.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("After DELETE the cardholder is unknown at once")
    func delete() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        #expect(try await backend.fetch(holder).code == 0)
        let deleted = try await backend.delete(holder.uniqueId)
        #expect(deleted.status == 204 && deleted.body.isEmpty)
        let gone = try await backend.get(holder.uniqueId)
        #expect(gone.status == 404 && gone.problem == "no-cardholder")
        #expect(try await backend.fetch(holder).code == 301)
        for answer in [try await backend.delete(holder.uniqueId), try await backend.patch(holder.uniqueId, [:])] {
            #expect(answer.status == 404 && answer.problem == "no-cardholder")
        }
        let rows = try await service.installation.sql(
            "SELECT * FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")
        #expect(rows.isEmpty)
        #expect(try await backend.put(holder).status == 201)
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("A cardholder of another bank is answered 404")
    func otherBank() async throws {
        let backend = try await Service.backend.value
        let other = try await Service.shared.value.makeBackend()
        let holder = try await backend.created()
        #expect(try await other.get(holder.uniqueId).status == 404)
        #expect(try await other.delete(holder.uniqueId).status == 404)
        #expect(try await other.put(holder).status == 201)
        #expect(try await other.patch(holder.uniqueId, ["status": "CLOSED"]).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
    }
}
