import ServerHarness
import Testing

/// A call is valid only for the server that it was signed for (protocol, section 3).
@Suite("The server's names in signatures")
struct AuthorityTests {
    /// A server with names, and one without that listens on all addresses.
    private static let named = Once {
        try await Service.shared.value.installation.startServer(
            environment: ["HTTP_NAMES": "Pin.Example.com:443, test-2.example.com:8443"])
    }
    private static let unnamed = Once {
        try await Service.shared.value.installation.startServer(
            ["--http-host", "0.0.0.0", "--http-plain", "allowed"])
    }

    private func get(_ backend: Backend, signedFor authority: String?) async throws -> IssuerCall {
        var call = IssuerCall("GET", backend.path(try await backend.created().uniqueId))
        call.authority = authority
        return call
    }

    @Test(
        "A call that is signed for any configured name is served, whatever Host says",
        arguments: ["pin.example.com", "test-2.example.com:8443"],
        [nil, "pin.example.com", "PIN.EXAMPLE.COM:443", "internal.example"])
    func configuredName(name: String, host: String?) async throws {
        let backend = try await Service.backend.value
        let call = try await get(backend, signedFor: name)
        let answer = try await Self.named.value.call(call, by: backend.issuer, host: host)
        #expect(answer.status == 200, "\(answer.members)")
    }

    @Test(
        "A call that is signed for another server is answered 401, also if Host names that server",
        arguments: [
            "pin.example.org", "pin.example.com:8443", "pin.example.com:443", "test-2.example.com", "example.com",
            "Pin.Example.com",
        ])
    func otherName(name: String) async throws {
        let backend = try await Service.backend.value
        let server = try await Self.named.value
        for host in [name, "pin.example.com", nil] {
            let call = try await get(backend, signedFor: name)
            let answer = try await server.call(call, by: backend.issuer, host: host)
            expectUnauthenticated(answer, "under any name of this server (pin.example.com, test-2.example.com:8443)")
        }
    }

    @Test("A server with names does not serve a call that is signed for its address")
    func ownAddress() async throws {
        let backend = try await Service.backend.value
        let call = try await get(backend, signedFor: nil)
        let answer = try await Self.named.value.call(call, by: backend.issuer)
        expectUnauthenticated(answer, "under any name of this server")
    }

    @Test("The signature base in the answer has the name that Host says, if it is one of the server's, else the first")
    func shownBase() async throws {
        let backend = try await Service.backend.value
        let server = try await Self.named.value
        for (host, name) in [
            ("test-2.example.com:8443", "test-2.example.com:8443"), ("pin.example.com", "pin.example.com"),
            ("elsewhere.example", "pin.example.com"),
        ] {
            let call = try await get(backend, signedFor: "elsewhere.example")
            let answer = try await server.call(call, by: backend.issuer, host: host)
            var expected = call
            expected.authority = name
            #expect(
                answer.members["signatureBase"]?.string == expected.signatureBase(backend.issuer, for: server))
        }
    }

    @Test("A call for another server changes nothing and does not spend its nonce")
    func replayed() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        var call = IssuerCall("DELETE", backend.path(holder.uniqueId))
        call.authority = "test.example.com"
        let server = try await Self.named.value
        #expect(try await server.call(call, by: backend.issuer, host: "test.example.com").status == 401)
        #expect(try await backend.get(holder.uniqueId).status == 200)
        call.authority = "pin.example.com"
        #expect(try await server.call(call, by: backend.issuer).status == 204)
    }

    @Test("Without names, a call from this machine must be signed for the Host that it sends")
    func sentHost() async throws {
        let backend = try await Service.backend.value
        for (host, signed, status) in [
            ("cards.test", "cards.test", 200), ("Cards.TEST:80", "cards.test", 200),
            ("cards.test:81", "cards.test", 401),
            ("other.test", "cards.test", 401),
        ] {
            let call = try await get(backend, signedFor: signed)
            let answer = try await backend.server.call(call, by: backend.issuer, host: host)
            #expect(answer.status == status, "\(host) \(answer.members)")
        }
    }

    @Test(
        "Without names, a call from another address is answered 403, signed or not",
        .enabled(if: HTTPClient.otherAddress != nil, "this machine has only loopback addresses"))
    func otherAddress() async throws {
        let backend = try await Service.backend.value
        let server = try await Self.unnamed.value
        let address = try #require(HTTPClient.otherAddress)
        let call = try await get(backend, signedFor: nil)
        expectNamesMissing(try await server.call(call, by: backend.issuer, to: address))
        expectNamesMissing(try await server.request("GET", call.path, to: address))
        let events = "/v1/banks/\(Percent.encode(backend.bank.id))/events"
        expectNamesMissing(try await server.request("DELETE", "\(events)?upTo=0", to: address))
        var imported = backend.importCall(Array("{}\n".utf8))
        imported.authority = server.authority
        expectNamesMissing(try await server.call(imported, by: backend.issuer, to: address))
        // Its nonce is not spent.
        #expect(try await server.call(call, by: backend.issuer).status == 200)
        // Apps are served.
        #expect(try await server.request("GET", "/.well-known/jwks.json", to: address).status == 200)
    }

    @Test(
        "Without names, a call that a proxy on this machine forwards from elsewhere is answered 403",
        arguments: [nil, "127.0.0.1"],
        [
            [("X-Forwarded-For", "192.0.2.9")], [("Forwarded", "for=192.0.2.9;host=cards.test")],
            [("X-Forwarded-For", "192.0.2.9"), ("Forwarded", "for=127.0.0.1")],
            [("X-Forwarded-For", "192.0.2.9, 127.0.0.1")], [("X-Forwarded-For", "unknown")],
        ])
    func forwarded(proxies: String?, fields: [(name: String, value: String)]) async throws {
        let backend = try await Service.backend.value
        let server = try await proxies == nil ? Self.unnamed.value : Self.behindProxy.value
        var call = try await get(backend, signedFor: nil)
        call.headers = fields
        expectNamesMissing(try await server.call(call, by: backend.issuer))
        var local = try await get(backend, signedFor: nil)
        local.headers = [("X-Forwarded-For", "127.0.0.1")]
        #expect(try await server.call(local, by: backend.issuer).status == 200)
    }

    private static let behindProxy = Once {
        try await Service.shared.value.installation.startServer(environment: ["HTTP_PROXIES": "127.0.0.1"])
    }

    @Test("A server without names says so in its log when it starts; one with names does not")
    func startWarning() async throws {
        let text = "Back-ends' calls are served to this machine only"
        #expect(try await Self.unnamed.value.logLines(with: "warning", text, "http.names").count == 1)
        #expect(try await Self.named.value.logLines(with: text).isEmpty)
    }

    @Test(
        "explain signature verifies with the given names, and without them with the Host field",
        arguments: [
            (["--authority", "pin.example.com"], 0, "valid, and covers every required component"),
            (["--authority", "a.example", "--authority", "PIN.example.com:443"], 0, "\"@authority\": a.example"),
            (["--authority", "a.example"], 1, "under any name of this server (a.example)"),
            ([], 1, "taken from the Host field (internal.example)"),
        ])
    func explain(names: [String], status: Int, text: String) async throws {
        let backend = try await Service.backend.value
        let call = try await get(backend, signedFor: "pin.example.com")
        let fields = try [("Host", "internal.example")] + call.signedFields(backend.issuer, for: backend.server)
        let head = fields.map { "\($0.0): \($0.1)\r\n" }.joined()
        let key = try TestFolder.shared.write(try backend.issuer.publicKeyText(), named: "issuer-key")
        let result = try await TestCommand.run(
            CardCompanionBinary.path,
            ["explain", "signature", "-", "--algorithm", "ed25519", "--public-key", key] + names,
            stdin: "GET \(call.path) HTTP/1.1\r\n\(head)\r\n")
        #expect(result.status == status, "\(result.stdout)\(result.stderr)")
        #expect(result.stdout.contains(text), "\(result.stdout)")
    }

    @Test("explain signature refuses a name that is no name")
    func explainWrongName() async throws {
        let result = try await TestCommand.run(
            CardCompanionBinary.path, ["explain", "signature", "-", "--authority", "https://pin.example.com"])
        #expect(result.status == 64)
        #expect(result.stderr.contains("https://pin.example.com"))
    }

    private func expectNamesMissing(_ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(answer.status == 403, "\(answer.members)", sourceLocation: sourceLocation)
        #expect(answer.problem == "names", sourceLocation: sourceLocation)
        #expect(answer.detail.contains("http.names"), "\(answer.detail)", sourceLocation: sourceLocation)
    }
}
