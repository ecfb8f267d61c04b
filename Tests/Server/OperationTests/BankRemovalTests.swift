import Foundation
import ServerHarness
import Testing

@Suite("Removing banks, and looking for cardholders")
struct BankRemovalTests {
    @Test("A disabled bank is removed with everything of it, and nothing of another bank")
    func removal() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let settings = ["--retention", "keep-repeat", "--fetch-limit", "50"]
        let (old, other) = (try await installation.makeBank(settings), try await installation.makeBank(settings))
        _ = try await installation.makeIssuer(for: old)
        let holders = [TestCardholder(), TestCardholder()]
        for bank in [old, other] {
            try await installation.provision(holders, of: bank, through: server)
            #expect(try await server.fetch(holders[0], of: bank) == 200)
        }
        let command = ["bank", "remove", old.id, "--confirm", old.id]
        let early = try await installation.run(command)
        #expect(early.status == 1 && early.stderr.contains("--status DISABLED"))
        let unsure = try await installation.run(["bank", "remove", old.id, "--confirm", other.id])
        #expect(unsure.status == 64)
        try await installation.run(["bank", "set", old.id, "--status", "DISABLED"]).succeeded()
        let removed = try await installation.run(command).succeeded()
        #expect(removed.stdout.contains("with 2 cardholders"))
        let tables = try await installation.sql(
            """
            SELECT DISTINCT table_name FROM information_schema.columns
                JOIN information_schema.tables USING (table_schema, table_name)
            WHERE table_schema = 'card_companion' AND column_name = 'bank_id' AND table_type = 'BASE TABLE'
                AND table_name NOT LIKE 'audit%'
            """)
        #expect(tables.count > 15)
        for table in tables {
            let rows = try await installation.sql("SELECT count(*) FROM \(table) WHERE bank_id = '\(old.id)'")
            #expect(rows == ["0"], "\(table)")
        }
        #expect(try await server.fetch(holders[0], of: other) == 200)
        #expect(try await installation.run(["bank", "show", old.id]).status == 66)
        #expect(try await installation.run(command).status == 66)
    }

    @Test("Cardholders are listed in pages, by the beginning of their names, by status, and if they are locked")
    func list() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank(["--retry-limit", "1"])
        let holders = ["a-1", "b-1", "b-2", "b-3", "ü-1"].map { TestCardholder($0) }
        try await installation.provision(holders, of: bank, through: server)
        try await installation.run(["cardholder", "set-status", "--bank", bank.id, "b-2", "SUSPENDED"]).succeeded()
        try await installation.sql("UPDATE cardholder SET authentication_failures = 1 WHERE unique_id = 'b-3'")
        func list(_ arguments: String...) async throws -> [String] {
            let json = try await installation.run(
                ["cardholder", "list", "--bank", bank.id, "--json"] + arguments
            ).succeeded().stdout
            return try JSON(parsing: json).array?.compactMap { $0.object?["uniqueId"]?.string } ?? []
        }
        #expect(try await list() == ["a-1", "b-1", "b-2", "b-3", "ü-1"])
        #expect(try await list("--starts-with", "b-") == ["b-1", "b-2", "b-3"])
        #expect(try await list("--starts-with", "ü") == ["ü-1"])
        #expect(try await list("--starts-with", "b-", "--limit", "1", "--after", "b-1") == ["b-2"])
        #expect(try await list("--status", "SUSPENDED") == ["b-2"])
        #expect(try await list("--locked") == ["b-3"])
        let text = try await installation.run(["cardholder", "list", "--bank", bank.id]).succeeded().stdout
        #expect(text.contains("b-3") && text.contains("CARDHOLDER"))
    }
}

extension TestServer {
    /// - Returns: the HTTP status.
    fileprivate func fetch(_ holder: TestCardholder, of bank: TestBank) async throws -> Int {
        try await post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, bank.token(for: holder))).status
    }
}
