import ServerHarness
import Testing

/// Calls that are sent again because their answers were lost.
@Suite("Idempotency-Key")
struct IdempotencyTests {
    @Test("A repeated call gets the answer of the first one, on any server")
    func repeated() async throws {
        let backend = try await Service.backend.value
        var second = backend
        second.server = try await Service.second.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key)
        // Served again, it would be refused: there is the cardholder now.
        let headers = [(name: "If-None-Match", value: "*"), key()]
        let first = try await backend.put(holder.uniqueId, body, headers: headers)
        #expect(first.status == 201)
        for backend in [backend, second] {
            let again = try await backend.put(holder.uniqueId, body, headers: headers)
            #expect(again.status == 201 && again["ETag"] == first["ETag"] && again.body == first.body)
        }
        #expect(try await backend.put(holder.uniqueId, body, headers: [headers[0]]).status == 412)
    }

    @Test("A repeated call changes nothing a second time, whatever happened meanwhile")
    func notServedTwice() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let key = key()
        let suspended = try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key])
        #expect(try await backend.patch(holder.uniqueId, ["status": "ACTIVE"]).status == 200)
        let again = try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key])
        #expect(again.status == 200 && again.members == suspended.members && again["ETag"] == suspended["ETag"])
        #expect(again["Content-Type"] == suspended["Content-Type"])
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
        let deletion = self.key()
        #expect(try await backend.delete(holder.uniqueId, headers: [deletion]).status == 204)
        #expect(try await backend.put(holder).status == 201)
        #expect(try await backend.delete(holder.uniqueId, headers: [deletion]).status == 204)
        #expect(try await backend.get(holder.uniqueId).status == 200)
    }

    @Test("The key does not serve for another call")
    func otherCall() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let key = key()
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 200)
        let body = try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key])
        let method = try await backend.delete(holder.uniqueId, headers: [key])
        let path = try await backend.patch("somebody else", ["status": "SUSPENDED"], headers: [key])
        for answer in [body, method, path] {
            #expect(answer.status == 422 && answer.problem == "idempotency-key-reused")
        }
        #expect(try await backend.get(holder.uniqueId).members["status"] == "SUSPENDED")
    }

    @Test("Another bank's key of the same name is another key")
    func otherBank() async throws {
        let backend = try await Service.backend.value
        let other = try await Service.shared.value.makeBackend()
        let key = key()
        #expect(try await backend.put(TestCardholder(), headers: [key]).status == 201)
        #expect(try await other.put(TestCardholder(), headers: [key]).status == 201)
    }

    @Test("A call that was refused leaves its key unused")
    func refused() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let key = key()
        let refused = try await backend.put(holder.uniqueId, ["status": "GONE"], headers: [key])
        #expect(refused.status == 422 && refused.problem == "invalid-members")
        #expect(try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key]).status == 404)
        #expect(try await backend.put(holder, headers: [key]).status == 201)
    }

    @Test("A key does not let in a call that is not signed as it must be")
    func stillAuthenticated() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key)
        let key = key()
        #expect(try await backend.put(holder.uniqueId, body, headers: [key]).status == 201)
        var forger = backend
        forger.issuer = try TestIssuer(bankId: backend.bank.id, keyId: backend.issuer.keyId)
        #expect(try await forger.put(holder.uniqueId, body, headers: [key]).status == 401)
    }

    @Test("Of simultaneous calls with one key, on two servers, one is served")
    func simultaneous() async throws {
        let backend = try await Service.backend.value
        var second = backend
        second.server = try await Service.second.value
        let backends = [backend, second]
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key)
        let headers = [(name: "If-None-Match", value: "*"), key()]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for place in 0..<12 {
                group.addTask { try await backends[place % 2].put(holder.uniqueId, body, headers: headers).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // While the first one is served the others are told to come again; afterwards they get its answer.
        #expect(Set(statuses).isSubset(of: [201, 409]) && statuses.contains(201), "\(statuses)")
        let later = try await backend.put(holder.uniqueId, body, headers: headers)
        #expect(later.status == 201)
    }

    @Test("A call that is under way is answered 409, and told when to come again")
    func underWay() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key)
        let key = key()
        #expect(try await backend.put(holder.uniqueId, body, headers: [key]).status == 201)
        // As it is between the call and its answer.
        try await service.installation.sql(
            "UPDATE idempotent_answer SET status = NULL, begun_at = now() WHERE idempotency_key = '\(key.value)'")
        let answer = try await backend.put(holder.uniqueId, body, headers: [key])
        #expect(answer.status == 409 && answer.problem == "idempotency-under-way")
        #expect(answer["Retry-After"] == "1")
        // Its server has died: after a while the call is served anew.
        try await service.installation.sql(
            "UPDATE idempotent_answer SET begun_at = now() - interval '1 hour' WHERE idempotency_key = '\(key.value)'")
        #expect(try await backend.put(holder.uniqueId, body, headers: [key]).status == 200)
    }

    @Test("A key of a day ago is forgotten")
    func forgotten() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let key = key()
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 200)
        try await service.installation.sql(
            "UPDATE idempotent_answer SET expires_at = now() - interval '1 s' WHERE idempotency_key = '\(key.value)'")
        let answer = try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key])
        #expect(answer.status == 200 && answer.members["status"] == "CLOSED")
    }

    @Test("A key has 1 to 128 characters", arguments: [("", 400), (String(repeating: "k", count: 129), 400)])
    func length(text: String, status: Int) async throws {
        let backend = try await Service.backend.value
        let answer = try await backend.put(TestCardholder(), headers: [("Idempotency-Key", text)])
        #expect(answer.status == status && answer.problem == "idempotency-key")
    }

    private func key() -> (name: String, value: String) { ("Idempotency-Key", Unique.name("call")) }
}
