import ServerHarness
import Testing

/// If-Match and If-None-Match (RFC 9110 section 13.1).
@Suite("Preconditions")
struct PreconditionTests {
    static let methods = ["PUT", "PATCH", "DELETE"]

    @Test("A change with the current ETag succeeds once", arguments: methods)
    func current(method: String) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let etag = try #require(try await backend.get(holder.uniqueId)["ETag"])
        let first = try await change(method, holder, [("If-Match", etag)], backend)
        #expect(first.status == (method == "DELETE" ? 204 : 200))
        let second = try await change(method, holder, [("If-Match", etag)], backend)
        // A deleted cardholder has no version; a PUT would create it again.
        #expect(second.status == (method == "DELETE" ? 404 : 412))
    }

    @Test(
        "A change with another ETag is answered 412",
        arguments: methods,
        [
            #""0""#, #""999999999999""#, "W/\"1\"", "nonsense", #""x""#, #""""#, #""1-3""#, #""1-3-5-7""#, #""-1-3-5""#,
            #""1--3-5""#, #""1-3-x""#,
        ])
    func stale(method: String, etag: String) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        try await expectStopped(method, holder, [("If-Match", etag)], backend)
    }

    @Test("A bank's other limits change the ETag: they decide who is locked, which GET shows")
    func limits() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend()
        let holder = try await backend.created()
        for _ in 0..<2 {
            #expect(try await backend.fetch(TestCardholder(holder.uniqueId, code: "Wrong123")).code == 203)
        }
        let before = try await backend.get(holder.uniqueId)
        let etag = try #require(before["ETag"])
        #expect(before.members["lockedBy"] == nil)
        let bank = backend.bank.id
        try await service.installation.run(["bank", "set", bank, "--retry-limit", "2"]).succeeded()
        let after = try await backend.get(holder.uniqueId)
        #expect(after.members["lockedBy"] == ["authenticationFailures"] && after["ETag"] != etag)
        try await expectStopped("PATCH", holder, [("If-Match", etag)], backend)
        try await service.installation.run(["bank", "set", bank, "--retry-limit", "3"]).succeeded()
        #expect(try await backend.get(holder.uniqueId)["ETag"] == etag, "the same state has the same ETag")
        let version = try #require(etag.split(separator: "-").first)
        let old = try await change("PATCH", holder, [("If-Match", "\(version)\"")], backend)
        #expect(old.status == 200, "version 0.2.0 gave ETags without limits")
    }

    @Test("The ETag changes with everything that happens to the PIN, and not with a wrong code that does not lock")
    func changes() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created(TestCardholder(channels: ["AC", "TOKEN"]))
        var last = try await backend.get(holder.uniqueId)["ETag"]
        func isChanged() async throws -> Bool {
            let etag = try await backend.get(holder.uniqueId)["ETag"]
            defer { last = etag }
            return etag != last
        }
        let guesser = TestCardholder(holder.uniqueId, code: "Wrong123")
        for expected in [false, false, true] {
            #expect(try await backend.fetch(guesser).code == 203)
            #expect(try await isChanged() == expected)
        }
        // A right code restarts failures, also if there is no PIN.
        let other = try await backend.created(TestCardholder(pin: nil))
        #expect(try await backend.fetch(TestCardholder(other.uniqueId, code: "Wrong123")).code == 203)
        let before = try await backend.get(other.uniqueId)["ETag"]
        #expect(try await backend.fetch(other).code == 303)
        #expect(try await backend.get(other.uniqueId)["ETag"] != before)
        #expect(try await backend.patch(holder.uniqueId, ["authenticationFailures": 0]).status == 200)
        #expect(try await isChanged())
        let app = try TestApp()
        let answer = try await backend.server.post(Path.captcha, app.captcha(backend.bank, holder))
        #expect(try await isChanged())
        let delivery = try app.open(answer)
        #expect(try await backend.server.post(Path.notify, delivery.notify(backend.bank, holder)).code == 0)
        #expect(try await isChanged())
        #expect(try await backend.define("830527", holder) == 0)
        #expect(try await isChanged())
        #expect(try await isChanged() == false)
    }

    @Test("A PUT with the ETag from before does not overwrite the PIN that the cardholder has chosen since")
    func chosenPIN() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created(TestCardholder(pin: "4917"))
        let etag = try #require(try await backend.get(holder.uniqueId)["ETag"])
        #expect(try await backend.define("830527", holder) == 0)
        #expect(try await backend.put(holder, headers: [("If-Match", etag)]).status == 412)
        #expect(try await backend.fetch(holder).delivery?.members["length"] == 6)
    }

    @Test("With If-Match: * a change succeeds only if the cardholder exists", arguments: methods)
    func exists(method: String) async throws {
        let backend = try await Service.backend.value
        let nobody = TestCardholder()
        let refused = try await change(method, nobody, [("If-Match", "*")], backend)
        #expect(refused.status == (method == "PUT" ? 412 : 404))
        #expect(try await backend.get(nobody.uniqueId).status == 404)
        let holder = try await backend.created()
        let done = try await change(method, holder, [("If-Match", "*")], backend)
        #expect(done.status == (method == "DELETE" ? 204 : 200))
    }

    @Test("With If-None-Match: * a PUT succeeds only if the cardholder does not exist", arguments: methods)
    func isAbsent(method: String) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        try await expectStopped(method, holder, [("If-None-Match", "*")], backend)
        let nobody = TestCardholder()
        let answer = try await change(method, nobody, [("If-None-Match", "*")], backend)
        #expect(answer.status == (method == "PUT" ? 201 : 404))
    }

    @Test("A PUT with an ETag for an unknown cardholder is answered 412 and creates nothing")
    func absentWithETag() async throws {
        let backend = try await Service.backend.value
        let nobody = TestCardholder()
        #expect(try await backend.put(nobody, headers: [("If-Match", #""1""#)]).status == 412)
        #expect(try await backend.get(nobody.uniqueId).status == 404)
    }

    @Test(
        "An unsupported precondition is answered 400 and changes nothing", arguments: methods,
        [
            [("If-None-Match", #""1""#)], [("If-Match", "*"), ("If-None-Match", "*")], [("If-Match", #""1", "2""#)],
        ])
    func notUnderstood(method: String, headers: [(String, String)]) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let before = try await backend.get(holder.uniqueId)
        let answer = try await change(method, holder, headers, backend)
        #expect(answer.status == 400 && answer.problem == "precondition")
        #expect(try await backend.get(holder.uniqueId)["ETag"] == before["ETag"])
    }

    @Test("Of simultaneous changes with one ETag, exactly one succeeds")
    func simultaneous() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let etag = try #require(try await backend.get(holder.uniqueId)["ETag"])
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for method in Array(repeating: "PUT", count: 5) + Array(repeating: "PATCH", count: 5) {
                group.addTask { try await change(method, holder, [("If-Match", etag)], backend).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(statuses == [200] + Array(repeating: 412, count: 9))
    }

    @Test("Of simultaneous creations, exactly one is answered 201")
    func simultaneousCreations() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await backend.put(holder).status } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(statuses == Array(repeating: 200, count: 7) + [201])
    }

    private func expectStopped(
        _ method: String, _ holder: TestCardholder, _ headers: [(String, String)], _ backend: Backend
    ) async throws {
        let before = try await backend.get(holder.uniqueId)
        let answer = try await change(method, holder, headers, backend)
        #expect(answer.status == 412 && answer.problem == "version")
        let after = try await backend.get(holder.uniqueId)
        #expect(after["ETag"] == before["ETag"] && after.members == before.members)
    }

    private func change(
        _ method: String, _ holder: TestCardholder, _ headers: [(String, String)], _ backend: Backend
    ) async throws -> HTTPAnswer {
        let headers = headers.map { (name: $0.0, value: $0.1) }
        switch method {
        case "PUT": return try await backend.put(holder, headers: headers)
        case "PATCH": return try await backend.patch(holder.uniqueId, ["status": "SUSPENDED"], headers: headers)
        default: return try await backend.delete(holder.uniqueId, headers: headers)
        }
    }
}
