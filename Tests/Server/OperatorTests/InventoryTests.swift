import Foundation
import ServerHarness
import Testing

/// What comes back in the database does not count: somebody writes to it as its superuser, without constraints and triggers, but has
/// neither the vault nor an operator's key.
@Suite("The inventory")
struct InventoryTests {
    /// An installation without dual control, with a bank, a back-end and a server.
    private struct Fixture {
        let installation: TestInstallation
        let bank: TestBank
        let holder: TestCardholder
        let issuer: TestIssuer
        let server: TestServer

        private static let original = Once {
            let installation = try await TestInstallation()
            let bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "50"])
            let issuer = try await installation.makeIssuer(for: bank)
            let holder = TestCardholder()
            let server = try await installation.startServer()
            try await installation.provision([holder], of: bank, through: server)
            try await server.stop()
            return (installation, bank, holder, issuer)
        }

        init() async throws {
            let original = try await Self.original.value
            installation = try await original.0.copy()
            (bank, holder, issuer) = (original.1, original.2, original.3)
            server = try await installation.startServer(environment: TestServer.metricsOn)
        }

        var isServed: Bool { get async throws { try await server.fetch(holder, of: bank) == .delivered } }

        var callStatus: Int {
            get async throws { try await server.call("GET", cardholder: "nobody", by: issuer).status }
        }

        /// Keeps copies of tables, and gives the statements that put them back.
        func copies(of tables: String...) async throws -> String {
            for table in tables {
                try await installation.sqlAsSuperuser("CREATE TABLE kept_\(table) AS TABLE \(table)")
            }
            return tables.map { "TRUNCATE \($0) CASCADE; INSERT INTO \($0) TABLE kept_\($0);" }.joined(separator: " ")
        }
    }

    @Test(
        "Settings, keys and certificates that were changed or planted in the database are ignored, and doctor names them"
    )
    func planted() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.isServed)
        #expect(try await fixture.callStatus == 404)
        try await fixture.installation.attack(
            "UPDATE issuer_key SET key_id = 'planted'; UPDATE issuer_key_owner SET key_id = 'planted'")
        let planted = fixture.issuer.named("planted")
        #expect(try await fixture.server.call("GET", cardholder: "nobody", by: planted).status == 401)
        #expect(fixture.server.log.contains("Ignored what is not in the inventory"))
        try await fixture.installation.forgeSetting("retryLimit=3", "retryLimit=20")
        #expect(try await !fixture.isServed)
        let doctor = try await fixture.installation.run(["doctor", "--json"])
        #expect(doctor.stdout.contains("issuer key 'planted' of bank '\(fixture.bank.id)'"))
        #expect(doctor.stdout.contains("the settings of bank '\(fixture.bank.id)'"))
        try await fixture.installation.forgeSetting("retryLimit=20", "retryLimit=3")
        #expect(try await fixture.isServed)
    }

    @Test("A disabled key that comes back with its rows is not valid")
    func disabled() async throws {
        let fixture = try await Fixture()
        let putBack = try await fixture.copies(of: "issuer_key", "issuer_key_owner", "certificate")
        let item = ["--bank", fixture.bank.id]
        try await fixture.installation.run(["issuer-key", "disable", fixture.issuer.keyId] + item).succeeded()
        try await fixture.installation.run(["certificate", "disable", TestBank.certificateAlias] + item).succeeded()
        #expect(try await fixture.callStatus == 401)
        try await fixture.installation.attack(putBack)
        #expect(try await fixture.callStatus == 401)
        #expect(try await !fixture.isServed)
        try await fixture.installation.run(["issuer-key", "enable", fixture.issuer.keyId] + item).succeeded()
        try await fixture.installation.run(["certificate", "enable", TestBank.certificateAlias] + item).succeeded()
        #expect(try await fixture.callStatus == 404)
        #expect(try await fixture.isServed)
    }

    @Test(
        "An inventory that went back is not taken by a running server, and no server starts with it, until operators accept it"
    )
    func rollBack() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.isServed)
        let putBack = try await fixture.copies(of: "inventory", "bank_inventory", "certificate")
        try await fixture.installation.run(
            ["certificate", "disable", "--bank", fixture.bank.id, TestBank.certificateAlias]
        ).succeeded()
        #expect(try await !fixture.isServed)
        try await fixture.installation.attack(putBack)
        try await eventually("the server alarms") {
            !fixture.server.logLines(with: "critical", "its newest versions are missing").isEmpty
        }
        #expect(try await !fixture.isServed)
        try await eventually("the metric says so") {
            try await fixture.server.scrape()["inventory_right"] == 0
        }
        await #expect(throws: (any Error).self) { try await fixture.installation.startServer() }
        let refused = try await fixture.installation.run(["bank", "set", fixture.bank.id, "--retry-limit", "2"])
        #expect(refused.status == 78 && refused.stderr.contains("inventory accept --lost"), "\(refused)")
        let doctor = try await fixture.installation.run(["doctor"])
        let command = try #require(doctor.stdout.firstMatch(of: /--lost (\S+) --found (\S+)/), "\(doctor)")
        let (lost, found) = (String(command.1), String(command.2))
        let other = try await fixture.installation.run(
            ["inventory", "accept", "--lost", found, "--found", lost, "--reason", "the wrong way round"])
        #expect(other.status == 78, "\(other)")

        let accepted = try await fixture.installation.run(
            ["inventory", "accept", "--lost", lost, "--found", found, "--reason", "a backup was restored"]
        ).succeeded()
        #expect(accepted.stdout.contains("servers go on with version \(found)"))
        try await eventually("the server takes the version that operators have accepted") {
            try await fixture.isServed
        }
        #expect(!fixture.server.logLines(with: "The inventory in the database is right again").isEmpty)
        let second = try await fixture.installation.startServer()
        #expect(try await second.fetch(fixture.holder, of: fixture.bank) == .delivered)
    }

    @Test(
        "An inventory that was forged, or is gone, is not taken",
        arguments: [
            "UPDATE inventory SET contents = replace(contents, 'USABLE', 'DISABLED')",
            "UPDATE inventory SET mac = set_byte(mac, 20, get_byte(mac, 20) # 1), contents = contents || ' '",
            "INSERT INTO inventory SELECT version + 1, replace(contents, 'version ' || version, 'version ' || version + 1), mac, written_at FROM inventory ORDER BY version DESC LIMIT 1",
            "DELETE FROM inventory",
        ])
    func forged(statement: String) async throws {
        let fixture = try await Fixture()
        try await fixture.installation.attack(statement)
        try await eventually("the server alarms") {
            !fixture.server.logLines(with: "critical", "The inventory in the database is not the one that is known")
                .isEmpty
        }
        #expect(try await fixture.isServed)
        await #expect(throws: (any Error).self) { try await fixture.installation.startServer() }
        let doctor = try await fixture.installation.run(["doctor", "--json"])
        #expect(doctor.stdout.contains("The inventory in the database is not the one that is known"), "\(doctor)")
    }

    @Test("A mark that is gone, or could not be written, comes back while a server runs")
    func lostMark() async throws {
        let fixture = try await Fixture()
        let mark = "\(fixture.installation.dataDirectory)/vault.key.inventory-mark"
        let before = try String(contentsOfFile: mark, encoding: .utf8)
        try FileManager.default.removeItem(atPath: mark)
        try await eventually("the server keeps the mark again") {
            try FileManager.default.fileExists(atPath: mark) && String(contentsOfFile: mark, encoding: .utf8) == before
        }
    }

    @Test("A bank whose part of the inventory is gone is not served, and the log says so")
    func lostPart() async throws {
        let fixture = try await Fixture()
        try await fixture.installation.attack("DELETE FROM bank_inventory")
        try await fixture.server.stop()
        let server = try await fixture.installation.startServer()
        #expect(try await server.fetch(fixture.holder, of: fixture.bank) != .delivered)
        #expect(!server.logLines(with: "critical", "of the inventory of bank '\(fixture.bank.id)' is missing").isEmpty)
    }

    @Test("A compromised data key does not seal again after a change in the database, and doctor names it")
    func dataKey() async throws {
        let fixture = try await Fixture()
        let installation = fixture.installation
        try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        try await installation.sqlAsCommand(
            "UPDATE data_key SET active_from = now() - interval '61 seconds' WHERE replaces IS NOT NULL")
        try await installation.run(["vault", "set-data-key", "1", "--state", "compromised"]).succeeded()
        try await fixture.installation.attack(
            "UPDATE data_key SET state = 'USABLE' WHERE id = 1; UPDATE data_key SET state = 'DISABLED' WHERE id = 8")
        try await eventually("the server alarms") {
            !fixture.server.logLines(with: "critical", "Somebody has changed keys", "data key 1, data key 8").isEmpty
        }
        let holder = TestCardholder()
        try await installation.provision([holder], of: fixture.bank, through: fixture.server)
        let keys = try await installation.sql(
            "SELECT get_byte(sealed_pin, 3) FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")
        #expect(keys == ["8"])
        let doctor = try await installation.run(["doctor"])
        #expect(doctor.stdout.contains("the data key 1 is not in the database as the inventory has it"), "\(doctor)")
    }

    @Test("A replaced server key does not become the active one by a change in the database")
    func serverKey() async throws {
        let fixture = try await Fixture()
        let old = try await fixture.server.publishedKeyIds()
        try await fixture.installation.run(["server-key", "rotate", "--kind", "EC"]).succeeded()
        try await eventually("the server publishes the new key") {
            try await fixture.server.publishedKeyIds().count == old.count + 1
        }
        let new = try await fixture.server.publishedKeyIds()
        try await fixture.installation.attack(
            """
            DROP INDEX server_key_one_active;
            UPDATE server_key SET status = CASE status WHEN 'ACTIVE' THEN 'RETIRING' ELSE 'ACTIVE' END,
                demoted_at = CASE status WHEN 'ACTIVE' THEN now() END
            WHERE kind = 'EC'
            """)
        try await eventually("the server alarms") {
            !fixture.server.logLines(with: "critical", "Somebody has changed keys", "server key").isEmpty
        }
        #expect(try await fixture.server.publishedKeyIds().first == new.first)
    }

    @Test("A replaced recovery key that is made active again gets no new data key")
    func recoveryKey() async throws {
        let fixture = try await Fixture()
        let installation = fixture.installation
        for option in [[], ["--replace-recovery-key"]] {
            let files = ["one", "two"].map { TestFolder.shared.unused($0) }
            try await installation.run(
                ["vault", "init"] + option + files.flatMap { ["--recovery-component-file", $0] }
            ).succeeded()
        }
        try await fixture.installation.attack(
            """
            DROP INDEX master_key_one_recovery; UPDATE master_key SET status = 'ACTIVE' WHERE kind = 'recovery';
            UPDATE master_key SET created_at = now() + interval '1 day' WHERE kind = 'recovery'
                AND id = (SELECT id FROM master_key WHERE kind = 'recovery' ORDER BY created_at LIMIT 1)
            """)
        try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        let wrapped = try await installation.sql(
            """
            SELECT created_at > now() FROM data_key_wrapping JOIN master_key ON master_key.id = master_key_id
            WHERE data_key_id = 8 AND kind = 'recovery'
            """.replacingOccurrences(of: "created_at >", with: "master_key.created_at >"))
        #expect(wrapped == ["f"])
    }

    @Test("A command waits until all servers use the newest version, and names the one that does not")
    func servers() async throws {
        let fixture = try await Fixture()
        let installation = fixture.installation
        let second = try await installation.startServer()
        try await installation.run(["bank", "set", fixture.bank.id, "--retry-limit", "2"]).succeeded()
        let all = try await installation.run(["inventory", "servers", "--wait", "--timeout-seconds", "600", "--json"])
            .succeeded()
        let report = try #require(try JSON(parsing: all.stdout).object)
        let newest = try #require(report["newestVersion"]?.integer)
        #expect(report["servers"]?.array?.map { $0.object?["version"]?.integer } == [newest, newest])
        try await second.stop()
        try await installation.sqlAsSuperuser(
            """
            INSERT INTO server_vault SELECT '0123456789abcdef', 'slow' || chr(27) || '/4711', master_key_id, \(newest - 1), now() + interval '1 hour'
            FROM server_vault LIMIT 1
            """)
        let late = try await installation.run(["inventory", "servers", "--wait", "--timeout-seconds", "1"])
        #expect(late.status == 1 && late.stderr.contains("slow\\u{1b}/4711 (version \(newest - 1))"), "\(late)")
        let shown = try await installation.run(["inventory", "servers"]).succeeded().stdout
        #expect(shown.contains("the newest version is \(newest)") && shown.contains("slow\\u{1b}/4711"))
    }

    @Test("Without its CRL, a certificate of that CA is not valid")
    func revocationList() async throws {
        let fixture = try await Fixture()
        let authority = try await TestAuthority.shared.value
        let list = try await authority.revocationList(of: [])
        try await fixture.installation.run([
            "certificate", "import-crl", "--bank", fixture.bank.id, "--ca", authority.certificateFile, list,
        ]).succeeded()
        #expect(try await fixture.isServed)
        try await fixture.installation.attack(
            "DELETE FROM revocation_list; DELETE FROM revoked_certificate; UPDATE bank SET revision = revision + 1")
        #expect(try await !fixture.isServed)
        #expect(try await fixture.server.fetch(fixture.holder, of: fixture.bank).code == 304)
    }

    @Test("A proposal that was used or rejected cannot be approved again after it was put back")
    func usedProposal() async throws {
        let original = try await DualControlInstallation.of(["alice", "bob"]).value
        let (installation, operators) = (try await original.installation.copy(), original.operators)
        for isRejected in [false, true] {
            let id = try await installation.propose(
                ["bank", "set", original.bank.id, "--retry-limit", isRejected ? "5" : "4"], of: operators)
            try await installation.sqlAsSuperuser(
                "DROP TABLE IF EXISTS kept; CREATE TABLE kept AS TABLE proposed_change")
            if isRejected {
                try await installation.run(["approve", id, "--reject"]).succeeded()
            } else {
                try await installation.approve(id, of: operators).succeeded()
                try await installation.run(["bank", "set", original.bank.id, "--retry-limit", "3"]).succeeded()
            }
            try await installation.sqlAsSuperuser("INSERT INTO proposed_change TABLE kept ON CONFLICT DO NOTHING")
            let again = try await installation.approve(id, of: operators)
            #expect(again.status == 1 && again.stderr.contains("was made or rejected already"), "\(again)")
        }
    }

    @Test("Under dual control, doctor names a bank that is ignored because what was approved of its settings is gone")
    func lostApprovedSettings() async throws {
        let original = try await DualControlInstallation.of(["alice", "bob"]).value
        let installation = try await original.installation.copy()
        let server = try await installation.startServer()
        #expect(try await installation.run(["doctor"]).stdout.contains("servers ignore it") == false)
        try await installation.attack("UPDATE bank SET approved_settings = NULL, revision = revision + 1")
        #expect(try await server.fetch(original.holders[0], of: original.bank) != .delivered)
        let doctor = try await installation.run(["doctor"])
        #expect(doctor.stdout.contains("the settings of bank '\(original.bank.id)'"), "\(doctor)")
    }

    @Test("Under dual control two operators must accept an older inventory")
    func acceptedByTwo() async throws {
        let original = try await DualControlInstallation.of(["alice", "bob"]).value
        let (installation, operators) = (try await original.installation.copy(), original.operators)
        try await installation.sqlAsSuperuser(
            "CREATE TABLE kept AS TABLE inventory; CREATE TABLE kept_banks AS TABLE bank_inventory; CREATE TABLE kept_bank AS TABLE bank"
        )
        try await installation.run(["bank", "set", original.bank.id, "--retry-limit", "2"]).succeeded()
        try await installation.attack(
            """
            TRUNCATE inventory, bank_inventory; INSERT INTO inventory TABLE kept;
            INSERT INTO bank_inventory TABLE kept_banks; DELETE FROM bank; INSERT INTO bank TABLE kept_bank
            """)
        let doctor = try await installation.run(["doctor"])
        let command = try #require(doctor.stdout.firstMatch(of: /--lost (\S+) --found (\S+)/), "\(doctor)")
        let accept = [
            "inventory", "accept", "--lost", String(command.1), "--found", String(command.2), "--reason", "restored",
        ]
        #expect(try await installation.run(accept).status == 65)
        try await installation.runWithTwo(accept, of: operators)
        let server = try await installation.startServer()
        #expect(try await server.fetch(original.holders[0], of: original.bank) == .delivered)
    }
}

extension TestServer {
    /// The ids of the keys in the key set, in their order.
    fileprivate func publishedKeyIds() async throws -> [String] {
        let keys = try await request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        return keys.compactMap { $0.object?["kid"]?.string }
    }
}
