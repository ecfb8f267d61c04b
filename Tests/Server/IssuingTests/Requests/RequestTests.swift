import ServerHarness
import Testing

/// Invalid bodies, media types, methods and paths.
@Suite("Malformed requests")
struct RequestTests {
    @Test(
        "A body of another media type is answered 415",
        arguments: [
            ("PUT", "text/plain"), ("PUT", "application/merge-patch+json"), ("PUT", nil),
            ("PUT", "application/json; charset=latin1"), ("PATCH", "application/json"), ("PATCH", nil),
        ])
    func mediaType(method: String, type: String?) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let answer = try await send(method, #"{"status":"CLOSED"}"#, type, holder, backend)
        #expect(answer.status == 415)
        #expect(answer.detail.contains(method == "PUT" ? "application/json" : "application/merge-patch+json"))
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
    }

    @Test(
        "A media type is accepted in any case and with charset UTF-8",
        arguments: ["application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])
    func mediaTypeTaken(type: String) async throws {
        let backend = try await Service.backend.value
        #expect(try await send("PUT", "{}", type, TestCardholder(), backend).status == 201)
    }

    @Test(
        "A body that is not one strict JSON object is answered 400",
        arguments: [
            "", "[]", "null", "{", "{}{}", #"{"status":"CLOSED","status":"ACTIVE"}"#, #"{'status':"CLOSED"}"#,
            #"{"status":"CLOSED",}"#, "{\"freeField\":\"\u{1}\"}", #"{"freeField":"\ud800"}"#,
        ], ["PUT", "PATCH"])
    func notJSON(body: String, method: String) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let type = method == "PUT" ? "application/json" : "application/merge-patch+json"
        let answer = try await send(method, body, type, holder, backend)
        #expect(answer.status == 400)
        #expect(answer["Content-Type"] == "application/problem+json")
        let shown = try await backend.get(holder.uniqueId).members
        #expect(shown["status"] == "ACTIVE" && shown["hasFreeField"] == false)
    }

    @Test("A body of 65536 bytes is accepted; a longer one is answered 413")
    func longBody() async throws {
        let backend = try await Service.backend.value
        for (length, status) in [(65_536, 201), (65_537, 413), (500_000, 413)] {
            let spaces = String(repeating: " ", count: length - 2)
            let holder = TestCardholder()
            #expect(try await send("PUT", "{\(spaces)}", "application/json", holder, backend).status == status)
            #expect(try await backend.get(holder.uniqueId).status == (status == 201 ? 200 : 404))
        }
    }

    @Test(
        "A wrong method is answered 405 with the allowed methods",
        arguments: [
            ("POST", "cardholders/x", "GET, HEAD, PUT, PATCH, DELETE"), ("PUT", "cardholders:import", "POST"),
            ("GET", "cardholders:import", "POST"), ("POST", "events", "GET, HEAD, DELETE"),
        ])
    func wrongMethod(method: String, path: String, allowed: String) async throws {
        let backend = try await Service.backend.value
        let call = IssuerCall(method, "/v1/banks/\(backend.bank.id)/\(path)")
        let answer = try await backend.server.call(call, by: backend.issuer)
        #expect(answer.status == 405)
        #expect(answer["Allow"] == allowed)
    }

    @Test(
        "An unknown path is answered 404",
        arguments: ["", "cardholder", "cardholders/a/b", "cardholders:export", "accounts/x"])
    func wrongPath(path: String) async throws {
        let backend = try await Service.backend.value
        let call = IssuerCall("GET", "/v1/banks/\(backend.bank.id)/\(path)")
        let answer = try await backend.server.call(call, by: backend.issuer)
        #expect(answer.status == 404)
        #expect(answer["Content-Type"] == "application/problem+json")
    }

    @Test("A path that is not percent-encoded UTF-8 is answered 400", arguments: ["%FF", "%zz", "%"])
    func undecodablePath(segment: String) async throws {
        let backend = try await Service.backend.value
        let call = IssuerCall("GET", "/v1/banks/\(backend.bank.id)/cardholders/\(segment)")
        let answer = try await backend.server.call(call, by: backend.issuer)
        #expect(answer.status == 400 && answer.problem == "path")
    }

    private func send(
        _ method: String, _ body: String, _ type: String?, _ holder: TestCardholder, _ backend: Backend
    ) async throws -> HTTPAnswer {
        var call = IssuerCall(method, backend.path(holder.uniqueId), body: Array(body.utf8))
        call.headers = type.map { [("Content-Type", $0)] } ?? []
        return try await backend.server.call(call, by: backend.issuer)
    }
}

/// What the log contains about calls.
@Suite("Call log")
struct CallLogTests {
    @Test("A card number instead of an id is not in the log, even at level trace")
    func cardNumber() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer(["--log-level", "trace"])
        let number = "4111111111111111"
        #expect(try await server.request("GET", "/v1/banks/b/cardholders/\(number)").status == 401)
        #expect(try await server.request("GET", "/v1/banks/\(number)/events").status == 401)
        #expect(try await server.request("GET", "/\(number)").status == 404)
        let body: [String: JSON] = ["bankId": .string(number), "uniqueId": .string(number)]
        #expect(try await server.post(Path.captcha, body).status == 200)
        try await server.stop()
        #expect(server.logLines(with: "a card number").count >= 6)
        #expect(!server.log.contains(number))
    }
}

/// Slow clients while the server stops.
@Suite("Shutdown with slow clients")
struct SlowStopTests {
    @Test("A client that sends its body byte by byte does not delay the shutdown")
    func trickle() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let connection = try SocketConnection(to: server)
        let head = "PUT /v1/banks/b/cardholders/c HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        try await connection.sendAll(Array("\(head)Content-Length: 60000\r\n\r\n{".utf8))
        async let trickle: Void = {
            // Sends until the server closes the connection.
            while (try? connection.send([0x20])) != nil { try? await Task.sleep(for: .milliseconds(500)) }
        }()
        try await Task.sleep(for: .seconds(1))
        // The harness kills a server that is still running after a minute, and throws.
        try await server.stop()
        await trickle
    }
}
