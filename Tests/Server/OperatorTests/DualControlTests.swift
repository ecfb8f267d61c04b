import Foundation
import ServerHarness
import Testing

@Suite("Dual control")
struct DualControlTests {
    /// An installation under dual control, with a bank.
    private struct Fixture {
        let installation: TestInstallation
        let operators: TestOperators
        let bank: TestBank
        let holders: [TestCardholder]

        init(names: [String] = ["alice", "bob"]) async throws {
            let original = try await DualControlInstallation.of(names).value
            installation = try await original.installation.copy()
            (operators, bank, holders) = (original.operators, original.bank, original.holders)
        }

        func waiting() async throws -> Int {
            let json = try await installation.run(["approve", "--json"]).succeeded().stdout
            return try JSON(parsing: json).array?.count ?? -1
        }
    }

    @Test("What was there when dual control is switched on is served as before")
    func presentObjects() async throws {
        let fixture = try await Fixture()
        let server = try await fixture.installation.startServer()
        let holder = fixture.holders[0]
        #expect(try await server.fetch(holder, of: fixture.bank) == .delivered)
    }

    @Test("A running server notices that dual control is switched on")
    func whileServing() async throws {
        let installation = try await TestInstallation()
        let operators = try await TestOperators(madeBy: installation)
        let bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "100"])
        let server = try await installation.startServer()
        try await installation.run(["vault", "init"] + operators.first()).succeeded()
        let holder = TestCardholder()
        try await installation.provision([holder], of: bank, through: server)
        try await installation.runWithTwo(["operator", "dual-control", "on"], of: operators)
        try await installation.sql("DELETE FROM approval")
        try await eventually("the server knows that dual control is on") {
            server.log.contains("dual_control=on")
        }
        #expect(try await server.fetch(holder, of: bank) != .delivered)
        #expect(server.log.contains("Ignored what two operators have not approved"))
    }

    @Test("A certificate counts only after another operator has approved it")
    func certificate() async throws {
        let fixture = try await Fixture()
        let server = try await fixture.installation.startServer()
        let holder = fixture.holders[0]
        let authority = try await TestAuthority.shared.value
        let signer = authority.otherSigner
        let id = try await fixture.installation.propose(
            [
                "certificate", "import", "--bank", fixture.bank.id, "--alias", "second", "--ca",
                authority.certificateFile,
                signer.certificateFile,
            ], of: fixture.operators)
        let token = fixture.bank.token(for: holder).with(["SignatureCertAlias": "second"])
        func fetch() async throws -> Int? {
            let app = try TestApp()
            let again = token.with(["IdTransaction": .string(UUID().uuidString)])
            return try await server.post(
                Path.tokenCaptcha, app.tokenCaptcha(fixture.bank, again, signer: signer)
            ).code
        }
        #expect(try await fetch() == 304)
        #expect(try await fixture.waiting() == 1)

        let own = try await fixture.installation.approve(id, by: "alice", of: fixture.operators)
        #expect(own.status == 1)
        #expect(own.stderr.contains("'alice' has signed already"))
        let approved = try await fixture.installation.approve(id, of: fixture.operators).succeeded()
        #expect(approved.stderr.contains("certificate 'second' of bank '\(fixture.bank.id)'"))
        #expect(try await fetch() == 0)
        #expect(try await fixture.waiting() == 0)
    }

    @Test("Evidence says that dual control is on, who the operators are, and what they have approved")
    func evidence() async throws {
        let fixture = try await Fixture()
        let folder = TestFolder.shared.unused("evidence")
        _ = try await fixture.installation.run(["evidence", "--out", folder, "--http-port", "0"])
        let json = try JSON(parsing: String(contentsOfFile: "\(folder)/evidence.json", encoding: .utf8)).object ?? [:]
        #expect(json["dualControl"] == true)
        func names(_ item: [String: JSON]?) -> Set<String> {
            Set(item?["approvedBy"]?.array?.compactMap(\.string) ?? [])
        }
        let register = json["register"]?.array?.compactMap(\.object) ?? []
        #expect(register.filter { $0["owner"] == "operator" }.map { $0["name"] } == ["alice", "bob"])
        let own = register.filter { $0["owner"]?.string == fixture.bank.id && $0["status"] == "ACTIVE" }
        #expect(!own.isEmpty && own.allSatisfy { names($0) == ["alice", "bob"] }, "\(own)")
        let banks = json["banks"]?.array?.compactMap(\.object) ?? []
        let bank = banks.first { $0["settings"]?.object?["id"]?.string == fixture.bank.id }
        #expect(names(bank) == ["alice", "bob"])
    }

    @Test("Operators are shown all settings that they sign, also those that the text leaves out")
    func allSettings() async throws {
        let fixture = try await Fixture()
        let proposed = try await fixture.installation.run(
            ["bank", "set", fixture.bank.id, "--retry-limit", "9"] + fixture.operators.options(of: "alice"))
        #expect(proposed.stderr.contains("retryLimit 3 -> 9"), "\(proposed)")
        #expect(proposed.stderr.contains("bindings=accept, the default"), "\(proposed)")
    }

    @Test("A rejected change is not made")
    func reject() async throws {
        let fixture = try await Fixture()
        let id = try await fixture.installation.propose(
            ["bank", "add", "OTHER", "--scheme", "CB"], of: fixture.operators)
        try await fixture.installation.run(["approve", id, "--reject"]).succeeded()
        #expect(try await fixture.installation.approve(id, of: fixture.operators).status == 66)
        #expect(try await fixture.installation.run(["bank", "show", "OTHER"]).status == 66)
    }

    @Test("A change needs a name, the operator's own key, and its passphrase")
    func badOperators() async throws {
        let fixture = try await Fixture(names: ["alice", "bob", "carol"])
        let (installation, operators) = (fixture.installation, fixture.operators)
        let command = ["bank", "add", "OTHER", "--scheme", "CB"]
        let unnamed = try await installation.run(command)
        #expect(unnamed.status == 65)
        #expect(unnamed.stderr.contains("--operator"))
        #expect(try await installation.run(command + operators.options(of: "mallory", keyOf: "alice")).status == 66)
        let foreign = try await installation.run(command + operators.options(of: "alice", keyOf: "bob"))
        #expect(foreign.status == 1)
        #expect(foreign.stderr.contains("is not the key of operator 'alice'"))
        let wrong = try TestFolder.shared.write("wrong passphrase\n", named: "wrong")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
        let refused = try await installation.run(
            command + ["--operator", "alice", "--operator-key", operators.key(of: "alice")]
                + ["--operator-passphrase-file", wrong])
        #expect(refused.status == 65)
        #expect(try await fixture.waiting() == 0)
    }

    @Test("One operator can tighten a bank's settings; to loosen them, two are necessary")
    func settings() async throws {
        let fixture = try await Fixture()
        let (installation, bank) = (fixture.installation, fixture.bank)
        let server = try await installation.startServer()
        let holder = fixture.holders[0]
        try await installation.run(["bank", "set", bank.id, "--retry-limit", "2", "--hints", "none"]).succeeded()
        #expect(try await server.fetch(holder, of: bank) == .delivered)
        // Back to what two operators have approved.
        try await installation.run(["bank", "set", bank.id, "--retry-limit", "3"]).succeeded()
        let loose = ["bank", "set", bank.id, "--retry-limit", "4"]
        #expect(try await installation.run(loose).status == 65)
        let id = try await installation.propose(loose, of: fixture.operators)
        let approved = try await installation.approve(id, of: fixture.operators).succeeded()
        #expect(approved.stderr.contains("retryLimit 3 -> 4"))
        let shown = try await installation.run(["bank", "show", bank.id, "--json"]).succeeded().stdout
        #expect(shown.contains("\"retryLimit\":4"))
        #expect(try await server.fetch(fixture.holders[1], of: bank) == .delivered)
    }

    @Test("One operator can disable a key; to enable it again, two are necessary")
    func disable() async throws {
        let fixture = try await Fixture()
        let (installation, bank) = (fixture.installation, fixture.bank)
        let server = try await installation.startServer()
        let holder = fixture.holders[0]
        let item = ["--bank", bank.id, TestBank.certificateAlias]
        #expect(try await server.fetch(holder, of: bank) == .delivered)
        try await installation.run(["certificate", "disable"] + item).succeeded()
        #expect(try await server.fetch(holder, of: bank) != .delivered)
        #expect(try await installation.run(["certificate", "enable"] + item).status == 65)
        // Its approval is gone, too.
        try await installation.sql("UPDATE certificate SET status = 'ACTIVE'")
        #expect(try await server.fetch(holder, of: bank) != .delivered)
        try await installation.runWithTwo(["certificate", "enable"] + item, of: fixture.operators)
        #expect(try await server.fetch(holder, of: bank) == .delivered)
    }

    @Test("Keys, webhooks and back-ends' keys can be added by two, and then work")
    func everyKind() async throws {
        let fixture = try await Fixture()
        let (installation, operators) = (fixture.installation, fixture.operators)
        let server = try await installation.startServer()
        let file = try TestFolder.shared.write(Unique.key(byteCount: 32), named: "hmac")
        let bank = ["--bank", fixture.bank.id]
        try await installation.runWithTwo(
            ["key", "import-hmac", "--usage", "distribution", "--label", "next", "--hex-file", file] + bank,
            of: operators)
        let issuer = try TestIssuer(bankId: fixture.bank.id)
        let publicKey = try TestFolder.shared.write(try issuer.publicKeyText(), named: "issuer")
        let add =
            ["issuer-key", "add", "--key-id", issuer.keyId, "--algorithm", issuer.algorithm.rawValue]
            + ["--public-key", publicKey] + bank
        let id = try await installation.propose(add, of: operators)
        #expect(try await server.call("GET", cardholder: "nobody", by: issuer).status == 401)
        try await installation.approve(id, of: operators).succeeded()
        #expect(try await server.call("GET", cardholder: "nobody", by: issuer).status == 404)
        try await installation.runWithTwo(
            ["webhook", "set", "--allow-private", "http://127.0.0.1:9/hook"] + bank, of: operators)
        try await installation.runWithTwo(["server-key", "rotate", "--kind", "EC"], of: operators)
        try await installation.runWithTwo(["vault", "rotate-data-key"], of: operators)
        let keys = try await installation.run(["key", "list", "--json"] + bank).succeeded().stdout
        #expect(keys.contains("\"next\""))
    }

    @Test("A command cannot set a code under dual control")
    func codes() async throws {
        let fixture = try await Fixture()
        let server = try await fixture.installation.startServer()
        let line = try TestCardholder(code: "Code4711").line(
            sealedTo: try await server.sealingKey(), of: fixture.bank.id)
        let result = try await fixture.installation.run(
            ["cardholder", "import", "--bank", fixture.bank.id, "-"], stdin: line)
        #expect(result.status == 65)
        #expect((result.stdout + result.stderr).contains("with dual control, the bank's back-end sends codes"))
    }

    @Test("The operators are on the token, and go along to another one")
    func token() async throws {
        let token = try await TestVaultToken()
        let installation = try await TestInstallation(environment: token.environment())
        let operators = try await TestOperators(["alice", "bob", "carol"])
        let made = try await installation.run(["vault", "init", "--dual-control"] + operators.first()).succeeded()
        #expect(made.stderr.contains("operators: alice, bob; dual control is on"), "\(made)")
        let again = try await installation.run(["vault", "init"] + operators.first())
        #expect(again.status == 1)
        try await installation.runWithTwo(
            ["operator", "add", "carol", "--public-key", operators.publicKey(of: "carol")], of: operators)
        let second = try await TestVaultToken("second", beside: token)
        let moved = installation.with(environment: second.environment())
        let rewrap =
            ["vault", "rewrap", "--from-module", token.modulePath, "--from-token", token.label]
            + ["--from-pin-file", token.pinFile, "--keep"]
        // The second token knows no operators yet, but the first one does.
        #expect(try await moved.run(rewrap).status == 65)
        let id = try await moved.propose(rewrap, of: operators)
        let unnamed = try await moved.approve(id, of: operators)
        #expect(unnamed.status == 1)
        #expect(unnamed.stderr.contains("name it with --allow-module"))
        try await moved.sqlAsSuperuser("CREATE TABLE kept AS TABLE proposed_change")
        let approve = ["approve", id, "--allow-module", token.modulePath] + operators.options(of: "bob")
        try await moved.run(approve).succeeded()
        try await moved.sqlAsSuperuser("INSERT INTO proposed_change TABLE kept")
        let twice = try await moved.run(approve)
        #expect(twice.status == 1 && twice.stderr.contains("was made or rejected already"), "\(twice)")
        let list = try await moved.run(["operator", "list"]).succeeded().stdout
        #expect(list.contains("dual control is on"))
        for name in operators.names { #expect(list.contains(name)) }
    }

    @Test("Without the record of the operators, nothing is done and nothing is served")
    func lostRecord() async throws {
        let fixture = try await Fixture()
        let record = "\(fixture.installation.dataDirectory)/vault.key.operators"
        try FileManager.default.moveItem(atPath: record, toPath: "\(record).away")
        let refused = try await fixture.installation.run(["bank", "set", fixture.bank.id, "--retry-limit", "9"])
        #expect(refused.status == 78)
        #expect(refused.stderr.contains("no record of the operators"))
        await #expect(throws: (any Error).self) { try await fixture.installation.startServer() }
        try FileManager.default.moveItem(atPath: "\(record).away", toPath: record)
        let server = try await fixture.installation.startServer()
        #expect(try await server.fetch(fixture.holders[0], of: fixture.bank) == .delivered)
        // A running server goes on with what it knows.
        try FileManager.default.removeItem(atPath: record)
        try await eventually("the server notices that the record is gone") {
            server.log.contains("record of the operators is gone")
        }
        try await fixture.installation.sql("DELETE FROM approval")
        try await fixture.installation.forgeSetting("retryLimit=3", "retryLimit=4")
        #expect(try await server.fetch(fixture.holders[1], of: fixture.bank) != .delivered)
    }

    @Test("In an emergency a bank is disabled without the vault")
    func emergency() async throws {
        let fixture = try await Fixture()
        let record = "\(fixture.installation.dataDirectory)/vault.key.operators"
        try FileManager.default.removeItem(atPath: record)
        try await fixture.installation.run(["bank", "set", fixture.bank.id, "--status", "DISABLED"]).succeeded()
    }

    @Test("If a change cannot be made, its approval is withdrawn")
    func failedChange() async throws {
        let fixture = try await Fixture()
        let (installation, bank) = (fixture.installation, fixture.bank)
        let id = try await installation.propose(
            ["bank", "set", bank.id, "--retry-limit", "9"], of: fixture.operators)
        try await installation.forgeSetting("timestampTolerance=300", "timestampTolerance=299")
        let refused = try await installation.approve(id, of: fixture.operators)
        #expect(refused.status == 1)
        #expect(refused.stderr.contains("another command has changed the bank"))
        let taken = try await installation.propose(["bank", "add", "TWICE", "--scheme", "CB"], of: fixture.operators)
        let again = try await installation.propose(
            ["bank", "add", "TWICE", "--scheme", "CB", "--retry-limit", "9"], of: fixture.operators)
        try await installation.approve(taken, of: fixture.operators).succeeded()
        let inventory = try await installation.run(["inventory", "show", "--bank", "TWICE"]).succeeded().stdout
        #expect(try await installation.approve(again, of: fixture.operators).status == 1)
        #expect(try await installation.run(["inventory", "show", "--bank", "TWICE"]).succeeded().stdout == inventory)
    }

    @Test("A proposal that is too old cannot be approved")
    func expiry() async throws {
        let fixture = try await Fixture()
        let id = try await fixture.installation.propose(
            ["bank", "add", "LATE", "--scheme", "CB"], of: fixture.operators)
        // The database says one thing, and the signed statement another.
        try await fixture.installation.sql(
            """
            UPDATE proposed_change SET statement = regexp_replace(statement, 'expires \\d+', 'expires 1000')
            """)
        let damaged = try await fixture.installation.approve(id, of: fixture.operators)
        #expect(damaged.status == 1)
        #expect(damaged.stderr.contains("the deadline for the approval has passed"))
        try await fixture.installation.sql("UPDATE proposed_change SET expires_at = now() - interval '1 second'")
        #expect(try await fixture.installation.approve(id, of: fixture.operators).status == 66)
        #expect(try await fixture.waiting() == 0)
        // A server removes what has expired when it starts.
        let server = try await fixture.installation.startServer()
        try await eventually("housekeeping removes it") {
            try await fixture.installation.sql("SELECT count(*) FROM proposed_change") == ["0"]
        }
        try await server.stop()
    }
}
