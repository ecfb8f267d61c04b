import ServerHarness
import Testing

/// Calls that are retried because their responses were lost.
@Suite("Idempotency-Key")
struct IdempotencyTests {
    @Test("A repeated call gets the first call's response, on every server")
    func repeated() async throws {
        let backend = try await Service.backend.value
        var second = backend
        second.server = try await Service.second.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        // Without the key, the second call would be refused because the cardholder exists.
        let headers = [(name: "If-None-Match", value: "*"), key()]
        let first = try await backend.put(holder.uniqueId, body, headers: headers)
        #expect(first.status == 201)
        for backend in [backend, second] {
            let again = try await backend.put(holder.uniqueId, body, headers: headers)
            #expect(again.status == 201 && again["ETag"] == first["ETag"] && again.body == first.body)
        }
        #expect(try await backend.put(holder.uniqueId, body, headers: [headers[0]]).status == 412)
    }

    @Test("A repeated call changes nothing, even after other changes")
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

    @Test("A key that was used for another call is answered 422")
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

    @Test("Two banks can use the same key")
    func otherBank() async throws {
        let backend = try await Service.backend.value
        let other = try await Service.shared.value.makeBackend()
        let key = key()
        #expect(try await backend.put(TestCardholder(), headers: [key]).status == 201)
        #expect(try await other.put(TestCardholder(), headers: [key]).status == 201)
    }

    @Test("A refused call does not use its key up")
    func refused() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let key = key()
        let refused = try await backend.put(holder.uniqueId, ["status": "GONE"], headers: [key])
        #expect(refused.status == 422 && refused.problem == "invalid-members")
        #expect(try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key]).status == 404)
        #expect(try await backend.put(holder, headers: [key]).status == 201)
    }

    @Test("A repeated call with a wrong signature is answered 401")
    func stillAuthenticated() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        let key = key()
        #expect(try await backend.put(holder.uniqueId, body, headers: [key]).status == 201)
        var forger = backend
        forger.issuer = try TestIssuer(bankId: backend.bank.id, keyId: backend.issuer.keyId)
        #expect(try await forger.put(holder.uniqueId, body, headers: [key]).status == 401)
    }

    @Test("Of simultaneous calls with one key on two servers, one is executed and none fails otherwise")
    func simultaneous() async throws {
        let backend = try await Service.backend.value
        var second = backend
        second.server = try await Service.second.value
        let backends = [backend, second]
        let holder = TestCardholder()
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        let headers = [(name: "If-None-Match", value: "*"), key()]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for place in 0..<12 {
                group.addTask { try await backends[place % 2].put(holder.uniqueId, body, headers: headers).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // During the first call the others are answered 409; after it they get its response.
        #expect(Set(statuses).isSubset(of: [201, 409]) && statuses.contains(201), "\(statuses)")
        let later = try await backend.put(holder.uniqueId, body, headers: headers)
        #expect(later.status == 201)
    }

    @Test("A call whose key is in use is answered 409 with Retry-After, and is executed if the first call is lost")
    func underWay() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let key = key()
        // A transaction has the key, as that of a first call would, until it is lost.
        let taken = """
            SELECT pg_advisory_xact_lock(hashtextextended('\(backend.bank.id)' || chr(10) || '\(key.value)', 0))
            """
        var second = backend
        second.server = try await Service.second.value
        let both = [backend, second]
        try await service.installation.holding(taken) { _ in
            for backend in both {
                let answer = try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key])
                #expect(answer.status == 409 && answer.problem == "idempotency-under-way")
                #expect(answer["Retry-After"] == "1")
            }
            #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
        }
        #expect(try await second.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 200)
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 200)
    }

    @Test("The answer is stored in the transaction of the change: without one, the other is not there either")
    func oneTransaction() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let (key, name) = (key(), "no_answer_\(Int.random(in: 0..<1_000_000))")
        try await service.installation.sql(
            """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'raised by the test'; END $$;
            CREATE TRIGGER \(name) BEFORE INSERT ON idempotent_answer FOR EACH ROW
                WHEN (NEW.idempotency_key = '\(key.value)') EXECUTE FUNCTION \(name)();
            """)
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 500)
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
        try await service.installation.sql("DROP TRIGGER \(name) ON idempotent_answer; DROP FUNCTION \(name)()")
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 200)
    }

    @Test("The key covers the conditional headers: with another If-Match it is another call")
    func conditions() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let key = key()
        let match = (name: "If-Match", value: "*")
        #expect(try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key, match]).status == 200)
        #expect(try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key]).status == 422)
    }

    @Test("An import with an Idempotency-Key is refused with 400")
    func imports() async throws {
        let backend = try await Service.backend.value
        var call = backend.importCall(Array(#"{"uniqueId":"\#(Unique.name("holder"))"}"#.utf8))
        call.headers.append(key())
        let answer = try await backend.server.call(call, by: backend.issuer)
        #expect(answer.status == 400 && answer.problem == "idempotency-key")
    }

    @Test("An expired key can be used again")
    func forgotten() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let key = key()
        #expect(try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: [key]).status == 200)
        try await service.installation.sql(
            "UPDATE idempotent_answer SET expires_at = now() - interval '1 s' WHERE idempotency_key = '\(key.value)'")
        #expect(try await backend.patch(holder.uniqueId, ["status": "CLOSED"], headers: [key]).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["status"] == "CLOSED")
    }

    @Test(
        "A key that is empty or longer than 128 characters is answered 400",
        arguments: [("", 400), (String(repeating: "k", count: 129), 400)])
    func length(text: String, status: Int) async throws {
        let backend = try await Service.backend.value
        let answer = try await backend.put(TestCardholder(), headers: [("Idempotency-Key", text)])
        #expect(answer.status == status && answer.problem == "idempotency-key")
    }

    private func key() -> (name: String, value: String) { ("Idempotency-Key", Unique.name("call")) }
}
