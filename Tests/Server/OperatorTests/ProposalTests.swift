import Foundation
import ServerHarness
import Testing

/// What operators see before they sign, and when a change is refused. Nobody must sign what the database's superuser has slipped in.
@Suite("Proposals")
struct ProposalTests {
    private struct Fixture {
        let installation: TestInstallation
        let operators: TestOperators
        let bank: TestBank

        init() async throws {
            let original = try await DualControlInstallation.of(["alice", "bob", "carol"]).value
            installation = try await original.installation.copy()
            (operators, bank) = (original.operators, original.bank)
        }

        func propose(_ arguments: [String]) async throws -> CommandResult {
            try await installation.run(arguments + ["--json"] + operators.options(of: "alice"))
        }

        func id(of proposal: CommandResult) throws -> String {
            try #require(try JSON(parsing: proposal.succeeded().stdout).object?["waitsForApproval"]?.string)
        }

        var waiting: [JSON] {
            get async throws {
                try JSON(parsing: try await installation.run(["approve", "--json"]).succeeded().stdout).array ?? []
            }
        }
    }

    @Test("A setting that was forged in the database is shown to both operators, compared with what was approved")
    func forgedSetting() async throws {
        let fixture = try await Fixture()
        let (installation, bank) = (fixture.installation, fixture.bank)
        try await installation.forgeSetting("timestampTolerance=300", "timestampTolerance=3600", isHidden: true)
        let proposal = try await fixture.propose(["bank", "set", bank.id, "--fetch-limit", "51"])
        let id = try fixture.id(of: proposal)
        let approval = try await installation.approve(id, of: fixture.operators).succeeded()
        for shown in [proposal.stderr, approval.stderr] {
            #expect(shown.contains("timestampTolerance 300 -> 3600"))
            #expect(shown.contains("fetchLimit 50 -> 51"))
            #expect(!shown.contains("retryLimit 3 ->"))
        }
        // The audit trail says what changed, and which approval it had.
        let entries = try await installation.sql(
            "SELECT detail FROM audit_entry WHERE operation = 'bank set' AND outcome = 'bank.settings-changed'")
        let entry = try #require(entries.first)
        #expect(entry.contains("fetchLimit 50 -> 51; approval \(id)"))
    }

    @Test("A change that waits is not proposed again, and 'bank check' shows it")
    func twice() async throws {
        let fixture = try await Fixture()
        let change = ["bank", "set", fixture.bank.id, "--fetch-limit", "51"]
        let id = try fixture.id(of: try await fixture.propose(change))
        let again = try await fixture.propose(change)
        #expect(again.status == 1 && again.stderr.contains("this change waits already, until"), "\(again)")
        #expect(again.stderr.contains("'card-companion approve \(id)'"), "\(again)")
        let other = try await fixture.propose(["bank", "set", fixture.bank.id, "--fetch-limit", "52"]).succeeded()
        #expect(other.stderr.contains("another change like this waits: 'bank set', proposed by alice"), "\(other)")
        let check = try await fixture.installation.run(["bank", "check", fixture.bank.id]).stdout
        #expect(check.contains("'bank set', proposed by alice, waits for another operator until"), "\(check)")
        #expect(check.contains("do: card-companion approve \(id)"), "\(check)")
        try await fixture.installation.run(
            ["approve", id, "--reject"] + fixture.operators.options(of: "alice")
        ).succeeded()
        _ = try fixture.id(of: try await fixture.propose(change))
    }

    @Test("If the approved settings themselves were forged, all settings are shown as new")
    func forgedApprovedSettings() async throws {
        let fixture = try await Fixture()
        try await fixture.installation.sql(
            """
            UPDATE bank SET approved_settings = replace(approved_settings, 'retryLimit=3', 'retryLimit=20')
            """)
        let proposal = try await fixture.propose(["bank", "set", fixture.bank.id, "--fetch-limit", "51"]).succeeded()
        #expect(proposal.stderr.contains("all its settings are new"))
        #expect(proposal.stderr.contains("    retryLimit=3\n"))
    }

    @Test("When an operator is removed, the settings that are approved again are shown line by line")
    func settingsBesideTheirDigest() async throws {
        let fixture = try await Fixture()
        let proposal = try await fixture.propose(["operator", "remove", "carol"])
        let id = try fixture.id(of: proposal)
        let approval = try await fixture.installation.approve(id, of: fixture.operators).succeeded()
        for shown in [proposal.stderr, approval.stderr] {
            #expect(shown.contains("servers will still accept: settings of bank '\(fixture.bank.id)'"))
            #expect(shown.contains("    retryLimit=3\n"))
            #expect(shown.contains("    timestampTolerance=300\n"))
        }
    }

    @Test("A change that cannot be made is refused before anybody signs it")
    func impossible() async throws {
        let fixture = try await Fixture()
        let bank = ["--bank", fixture.bank.id]
        let authority = try await TestAuthority.shared.value
        let certificate =
            ["certificate", "import", "--ca", authority.certificateFile]
            + [authority.otherSigner.certificateFile]
        let key =
            ["--usage", "distribution", "--hex-file"]
            + [try TestFolder.shared.write(Unique.key(byteCount: 32), named: "hmac")]
        try await fixture.installation.runWithTwo(
            ["key", "import-hmac", "--label", "taken"] + key + bank, of: fixture.operators)
        try await fixture.installation.runWithTwo(
            ["document-client", "add", "--id", "taken"] + bank, of: fixture.operators)
        let impossible: [([String], Int32)] = [
            (["bank", "add", fixture.bank.id, "--scheme", "CB"], 1),
            (certificate + ["--bank", "NOBODY", "--alias", "new"], 66),
            (certificate + bank + ["--alias", TestBank.certificateAlias], 1),
            (["certificate", "default", "--alias", "nothing"] + bank, 66),
            (["certificate", "enable", "nothing"] + bank, 66),
            (["certificate", "remove-crl", "--issuer", "CN=Nobody"] + bank, 66),
            // The same key has another label already.
            (["key", "import-hmac", "--label", "other"] + key + bank, 1),
            (["key", "enable", "nothing"] + bank, 66),
            (["webhook", "set", "--bank", "NOBODY", "--allow-private", "http://127.0.0.1:9/hook"], 66),
            (["document-client", "add", "--id", "taken"] + bank, 1),
            (["server-key", "retire", "nothing"], 66),
            (["csca", "remove"] + bank, 66),
        ]
        for (command, status) in impossible {
            let result = try await fixture.propose(command)
            #expect(result.status == status, "\(command.joined(separator: " ")): \(result.stderr)")
        }
        #expect(try await fixture.waiting.isEmpty)
    }

    @Test("The list of proposals names the bank and the subject, and a dead one says how it is rejected")
    func list() async throws {
        let fixture = try await Fixture()
        let bank = ["--bank", fixture.bank.id]
        let client = ["document-client", "add", "--id", "app"] + bank
        let first = try fixture.id(of: try await fixture.propose(client))
        let posted = client + ["--result-url", "https://bank.example/results"]
        let second = try fixture.id(of: try await fixture.propose(posted))
        let waiting = try await fixture.waiting
        #expect(waiting.map { $0.object?["bank"]?.string } == [fixture.bank.id, fixture.bank.id])
        #expect(waiting.map { $0.object?["subject"]?.string } == ["app", "app"])
        try await fixture.installation.approve(first, of: fixture.operators).succeeded()
        let dead = try await fixture.installation.approve(second, of: fixture.operators)
        #expect(dead.status == 1)
        #expect(dead.stderr.contains("'card-companion approve \(second) --reject'"))
        try await fixture.installation.run(["approve", second, "--reject"]).succeeded()
        #expect(try await fixture.waiting.isEmpty)
    }

    @Test("Under dual control one person cannot enter all components of a key")
    func components() async throws {
        let fixture = try await Fixture()
        let options = ["--usage", "pin-encryption", "--algorithm", "aes", "--label", "pek"]
        let (first, second) = (Unique.key(byteCount: 16), Unique.key(byteCount: 16))
        func enter(_ component: String, as user: String) async throws -> CommandResult {
            try await fixture.installation.enterComponent(component, into: fixture.bank.id, as: user, options)
        }
        try await enter(first, as: "alice").succeeded()
        let alone = try await enter(second, as: "alice")
        #expect(alone.status == 1 && alone.stderr.contains("another person must enter this one"))
        try await enter(second, as: "bob").succeeded()
        let listed = try await fixture.installation.run(["key", "list", "--bank", fixture.bank.id]).succeeded().stdout
        #expect(listed.contains("2 of 2 components, by alice, bob"))
    }

    @Test("Lists and doctor say what servers ignore, because two operators have not approved it")
    func unapproved() async throws {
        let fixture = try await Fixture()
        let installation = fixture.installation
        let lists = [["certificate", "list"], ["key", "list"]].map { $0 + ["--bank", fixture.bank.id] }
        for list in lists {
            #expect(try await !installation.run(list).succeeded().stdout.contains("NOT APPROVED"))
            let items = try JSON(parsing: try await installation.run(list + ["--json"]).succeeded().stdout).array ?? []
            #expect(!items.isEmpty && items.allSatisfy { $0.object?["approved"] == true })
        }
        let before = try await installation.run(["doctor"]).stdout
        #expect(!before.contains("two operators have not approved"))
        try await installation.sql(
            """
            UPDATE certificate SET not_after = not_after + interval '1 year';
            UPDATE hmac_key SET usage = 'definition'
            """)
        for list in lists {
            #expect(try await installation.run(list).succeeded().stdout.contains("NOT APPROVED"))
            let items = try JSON(parsing: try await installation.run(list + ["--json"]).succeeded().stdout).array ?? []
            #expect(items.contains { $0.object?["approved"] == false })
        }
        let doctor = try await installation.run(["doctor"]).stdout
        #expect(doctor.contains("two operators have not approved the certificate '\(TestBank.certificateAlias)'"))
        #expect(doctor.contains("two operators have not approved the HMAC key"))
    }
}
