import ServerHarness
import Testing

/// Client certificates in addition to signatures: the certificate must belong to the path's bank.
@Suite("Mutual TLS")
struct MutualTLSTests {
    @Test("A TLS handshake that does not go on is cut off")
    func slowHandshake() async throws {
        let connection = try SocketConnection(to: try await MutualTLS.shared.value.server)
        // The beginning of a ClientHello of 512 bytes.
        try await connection.sendAll([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
        // The limit of a whole exchange, 120 seconds, would close it too.
        try await eventually("the connection is closed", within: 110) {
            do {
                return try connection.receive() == nil
            } catch is SocketConnection.Broken {
                return true
            }
        }
    }

    @Test("A call with the bank's own certificate is accepted; with another or none it is answered 403")
    func ownCertificate() async throws {
        let tls = try await MutualTLS.shared.value
        let authority = try await TestAuthority.shared.value
        let backend = try await backend(showing: authority.signer)
        let other = try await self.backend(showing: authority.otherSigner)
        let holder = try await backend.created()
        let path = backend.path(holder.uniqueId)

        let own = try await tls.call(
            IssuerCall("GET", path), by: backend.issuer, showing: authority.signer.certificateFile)
        #expect(own.status == 200 && own.members["uniqueId"]?.string == holder.uniqueId)

        let none = try await tls.call(IssuerCall("GET", path), by: backend.issuer, showing: nil)
        expectForbidden(none, "shows no client certificate")

        let others = try await tls.call(
            IssuerCall("GET", path), by: backend.issuer, showing: authority.otherSigner.certificateFile)
        expectForbidden(others, "not one of the bank's")

        // Key and certificate of the other bank, on this bank's path.
        let misdirected = try await tls.call(
            IssuerCall("GET", path), by: other.issuer, showing: authority.otherSigner.certificateFile)
        expectForbidden(misdirected, "another bank")
    }

    @Test(
        "A call that signs the whole URL, and its scheme, is accepted in each version of HTTP",
        arguments: ["--http1.1", "--http2"])
    func wholeURL(version: String) async throws {
        let tls = try await MutualTLS.shared.value
        let authority = try await TestAuthority.shared.value
        let backend = try await backend(showing: authority.signer)
        let holder = try await backend.created()
        var call = IssuerCall("GET", backend.path(holder.uniqueId))
        call.components += ["@target-uri", "@scheme"]
        let answer = try await tls.call(
            call, by: backend.issuer, showing: authority.signer.certificateFile, version: version)
        #expect(answer.status == 200, "\(answer)")
    }

    @Test("An unsigned call with a valid certificate is answered 401")
    func unsigned() async throws {
        let tls = try await MutualTLS.shared.value
        let authority = try await TestAuthority.shared.value
        let backend = try await backend(showing: authority.signer)
        let answer = try await tls.call(
            IssuerCall("GET", backend.path("x")), by: nil, showing: authority.signer.certificateFile)
        #expect(answer.status == 401)
    }

    @Test("A connection with a certificate of an unknown CA is refused")
    func stranger() async throws {
        let tls = try await MutualTLS.shared.value
        let authority = try await TestAuthority.shared.value
        let backend = try await backend(showing: authority.signer)
        let answer = try await tls.call(
            IssuerCall("GET", backend.path("x")), by: backend.issuer, showing: tls.stranger)
        #expect(answer.exitStatus != 0 && answer.status == 0)
    }

    @Test("A call with a certificate that is for tokens only, or disabled, is answered 403")
    func otherUse() async throws {
        let service = try await Service.shared.value
        let tls = try await MutualTLS.shared.value
        let authority = try await TestAuthority.shared.value
        // Until now the certificate is imported only to verify the bank's tokens.
        let backend = try await service.makeBackend()
        let holder = try await backend.created()
        let call = { IssuerCall("GET", backend.path(holder.uniqueId)) }
        let file = authority.signer.certificateFile
        expectForbidden(try await tls.call(call(), by: backend.issuer, showing: file), "not one of the bank's")
        try await importClientCertificate(authority.signer, of: backend)
        #expect(try await tls.call(call(), by: backend.issuer, showing: file).status == 200)
        let disable = ["certificate", "disable", "--bank", backend.bank.id, Self.alias]
        try await service.installation.run(disable).succeeded()
        expectForbidden(try await tls.call(call(), by: backend.issuer, showing: file), "not one of the bank's")
    }

    @Test("A call with a revoked certificate is answered 403, and with each while the CRL is expired")
    func revoked() async throws {
        let (service, tls) = (try await Service.shared.value, try await MutualTLS.shared.value)
        let authority = try await TestAuthority.shared.value
        let backend = try await backend(showing: authority.signer)
        let holder = try await backend.created()
        let call = {
            try await tls.call(
                IssuerCall("GET", backend.path(holder.uniqueId)), by: backend.issuer,
                showing: authority.signer.certificateFile)
        }
        let importList = { (path: String) in
            _ = try await service.installation.run([
                "certificate", "import-crl", "--bank", backend.bank.id, "--ca", authority.certificateFile, path,
            ]).succeeded()
        }
        try await importList(authority.revocationList(of: [authority.otherSigner], madeAgoSeconds: 60))
        #expect(try await call().status == 200)
        try await service.installation.sqlAsCommand(
            "UPDATE revocation_list SET next_update = now() - interval '1 s' WHERE bank_id = '\(backend.bank.id)'",
            of: backend.bank.id)
        expectForbidden(try await call(), "not one of the bank's")
        try await importList(authority.revocationList(of: [authority.signer], madeAgoSeconds: 30))
        expectForbidden(try await call(), "not one of the bank's")
        try await importList(authority.revocationList(of: [], madeAgoSeconds: 0))
        #expect(try await call().status == 200)
    }

    @Test("An app's request without a certificate is accepted")
    func apps() async throws {
        let tls = try await MutualTLS.shared.value
        let answer = try await tls.call(IssuerCall("GET", "/.well-known/jwks.json"), by: nil, showing: nil)
        #expect(answer.status == 200)
        #expect(answer.members["keys"]?.array?.isEmpty == false)
    }

    private static let alias = "back-end"

    private func backend(showing signer: TestAuthority.Signer) async throws -> Backend {
        let backend = try await Service.shared.value.makeBackend()
        try await importClientCertificate(signer, of: backend)
        return backend
    }

    private func importClientCertificate(_ signer: TestAuthority.Signer, of backend: Backend) async throws {
        let authority = try await TestAuthority.shared.value
        try await Service.shared.value.installation.run([
            "certificate", "import", "--bank", backend.bank.id, "--alias", Self.alias, "--use", "client", "--ca",
            authority.certificateFile, signer.certificateFile,
        ]).succeeded()
    }

    private func expectForbidden(
        _ answer: MutualTLS.Answer, _ detail: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 403, sourceLocation: sourceLocation)
        let type = "urn:card-companion:problem:forbidden"
        #expect(answer.members["type"]?.string == type, sourceLocation: sourceLocation)
        #expect(answer.members["detail"]?.string?.contains(detail) == true, sourceLocation: sourceLocation)
    }
}
