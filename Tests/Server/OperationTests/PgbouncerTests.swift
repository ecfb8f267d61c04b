import ServerHarness
import Testing

/// A server that connects through pgbouncer.
@Suite("pgbouncer")
struct PgbouncerTests {
    private static let holderCount = 24
    /// In transaction mode the servers share fewer sessions than they have connections, so sessions change.
    private static let sharedSessions = 3
    private static let connections = 8

    @Test("Apps and back-ends are served, through two servers at once", arguments: Pgbouncer.Mode.allCases)
    func serves(mode: Pgbouncer.Mode) async throws {
        let installation = try await TestInstallation()
        try await Pgbouncer.prepare(installation)
        let sessions = mode == .session ? 2 * Self.connections : Self.sharedSessions
        let pooler = try await Pgbouncer(mode, inFrontOf: installation, sessions: sessions)
        defer { pooler.stop() }
        let environment = pooler.environment.merging(["DATABASE_CONNECTIONS": "\(Self.connections)"]) { $1 }
        let servers = [
            try await installation.startServer(environment: environment),
            try await installation.startServer(environment: environment),
        ]
        let bank = try await installation.makeBank(["--weak-pin-rules", "none", "--retention", "keep-repeat"])
        let issuer = try await installation.makeIssuer(for: bank)
        let key = try await servers[0].sealingKey()
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.holderCount {
                let (one, other) = (servers[number % 2], servers[(number + 1) % 2])
                group.addTask { try await Self.exercise(one, other, bank, issuer, key) }
            }
            try await group.waitForAll()
        }
        let used = try await installation.sql(
            """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND usename = 'card_companion_service'
            """)
        #expect(used.first.flatMap { Int($0) }.map { 1...sessions ~= $0 } == true, "\(used) sessions")
        for server in servers { #expect(server.logLines(with: " error ").isEmpty) }
        for server in servers { try await server.stop() }
    }

    /// A cardholder's life: provisioned, fetched, confirmed, defined and shown.
    private static func exercise(
        _ one: TestServer, _ other: TestServer, _ bank: TestBank, _ issuer: TestIssuer, _ key: SealingKey
    ) async throws {
        let (app, holder) = (try TestApp(), TestCardholder())
        let members = try holder.members(sealedTo: key, of: bank.id)
        #expect(try await one.call("PUT", cardholder: holder.uniqueId, members, by: issuer).status == 201)
        #expect(try await other.call("PUT", cardholder: holder.uniqueId, members, by: issuer).status == 200)

        let token = bank.token(for: holder)
        let fetch = try app.tokenCaptcha(bank, token)
        let fetched = try await one.post(Path.tokenCaptcha, fetch)
        #expect(fetched.code == 0, "\(fetched.members)")
        // The other server, too, knows that the token was used.
        #expect(try await other.post(Path.tokenCaptcha, fetch).code == 210)
        let notify = try app.open(fetched).tokenNotify(bank, holder, token: token)
        #expect(try await other.post(Path.tokenNotify, notify).code == 0)

        let definition = bank.token(for: holder, type: "02")
        let defined = try await one.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(definition.text), "signature": .string(try bank.signer.signature(of: definition.text)),
                "pin": .string(try key.seal(Array("8305            ".utf8), SealedBinding("pin", for: definition))),
            ])
        #expect(defined.code == 0, "\(defined.members)")

        let shown = try await other.call("GET", cardholder: holder.uniqueId, by: issuer)
        #expect(shown.status == 200)
    }

    @Test("A migration through a pooler that changes sessions is refused")
    func migration() async throws {
        let installation = try await TestInstallation()
        let result = try await TestCommand.run(
            CardCompanionBinary.path, ["migrate"],
            environment: [
                "DATABASE_URL": installation.ownerURL, "DATABASE_POOLING": "transaction",
                "DATA_DIRECTORY": installation.dataDirectory,
            ])
        #expect(result.status == 78)
        #expect(result.stderr.contains("database.pooling"))
    }
}
