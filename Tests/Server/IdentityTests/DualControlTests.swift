import EMRTDSimulation
import ServerHarness
import Testing

/// Document clients and roots of trust lists under dual control.
@Suite("Documents under dual control")
struct DualControlTests {
    @Test(
        "Two operators approve a root and a client; then one can import lists under it, and what was forged is ignored")
    func approved() async throws {
        let installation = try await TestInstallation()
        let operators = try await TestOperators()
        let bank = try await installation.makeBank(["--retention", "keep-repeat"])
        let holder = TestCardholder()
        let issuer = try await installation.makeIssuer(for: bank)
        let first = try await installation.startServer()
        try await installation.provision([holder], of: bank, through: first)
        try await installation.run(["vault", "init"] + operators.first()).succeeded()
        try await installation.runWithTwo(["operator", "dual-control", "on"], of: operators)
        try await first.stop()

        let state = try SimulatedIssuer(at: TestState.now)
        let files = try TrustFiles(state)
        let importing = ["csca", "import", "--bank", bank.id, "--root", files.root, files.list]
        try await installation.runWithTwo(importing, of: operators)
        #expect(try await installation.sql("SELECT 1 FROM trust_list") == [])
        // The root is approved now.
        try await installation.run(importing).succeeded()
        let client = Unique.name("client")
        try await installation.runWithTwo(["document-client", "add", "--bank", bank.id, "--id", client], of: operators)

        let server = try await installation.startServer()
        let service = IdentityService(installation: installation, server: server, key: try await server.sealingKey())
        func made(_ clientId: String) -> IdentityBank {
            IdentityBank(service: service, bank: bank, issuer: issuer, holder: holder, state: state, clientId: clientId)
        }
        let known = made(client)
        #expect(try await known.session(try await known.validationId()).isNormal)
        #expect(try await known.passCount() == 1)
        // A writer to the database adds a client, and sends results elsewhere.
        try await installation.sql(
            """
            INSERT INTO document_client SELECT 'forged', bank_id, is_unbound, result_url, result_is_private, status, created_at
            FROM document_client WHERE client_id = '\(client)';
            UPDATE document_client SET result_url = 'https://elsewhere.example/' WHERE client_id = '\(client)'
            """)
        let forged = made("forged")
        #expect(try await forged.session(try await forged.validationId()).reason == "INVALID_CLIENT_ID")
        #expect(try await known.session(try await known.validationId()).reason == "INVALID_CLIENT_ID")
    }

    @Test("Without a bank, the removal of an operator keeps the approval of the trust list of all banks")
    func trustListWithoutBanks() async throws {
        let installation = try await TestInstallation()
        let operators = try await TestOperators(["alice", "bob", "carol"])
        try await installation.run(["vault", "init", "--dual-control"] + operators.first(3)).succeeded()
        let files = try TrustFiles(try SimulatedIssuer(at: TestState.now))
        let trust = ["csca", "import", "--root", files.root, files.list]
        try await installation.runWithTwo(trust, of: operators)
        try await installation.run(trust).succeeded()
        try await installation.runWithTwo(["operator", "remove", "carol"], of: operators)
        // The root is still approved: one operator imports a list under it.
        try await installation.run(trust).succeeded()
    }
}
