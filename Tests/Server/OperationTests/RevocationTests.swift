import Foundation
import ServerHarness
import Testing

/// CRLs of a bank's CA: at the import of a certificate, and at each use of one.
@Suite("Revocation of certificates")
struct RevocationTests {
    private struct Fixture {
        let installation: TestInstallation
        let server: TestServer
        let bank: TestBank
        let holder = TestCardholder()
        let authority: TestAuthority

        init() async throws {
            authority = try await TestAuthority.shared.value
            installation = try await TestInstallation()
            server = try await installation.startServer()
            bank = try await installation.makeBank(["--weak-pin-rules", "none"])
            try await installation.provision([holder], of: bank, through: server)
        }

        func importList(_ path: String, bank id: String? = nil) async throws -> CommandResult {
            try await installation.run([
                "certificate", "import-crl", "--bank", id ?? bank.id, "--ca", authority.certificateFile, path, "--json",
            ])
        }

        func fetch() async throws -> Int? {
            try await server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, bank.token(for: holder))).code
        }

        func define() async throws -> Int? {
            let token = bank.token(for: holder, type: "02")
            let key = try await server.sealingKey()
            return try await server.post(
                "/v1/pin-definition/token/pin",
                [
                    "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                    "pin": .string(try key.seal(Array("8305            ".utf8), SealedBinding("pin", for: token))),
                ]
            ).code
        }

        func revocation() async throws -> [String] {
            let listed = try await installation.run(["certificate", "list", "--bank", bank.id, "--json"]).succeeded()
            return try JSON(parsing: listed.stdout).array?.compactMap { $0.object?["revocation"]?.string } ?? []
        }
    }

    @Test("A CRL of another CA of the same name is refused")
    func otherAuthority() async throws {
        let fixture = try await Fixture()
        try await fixture.importList(fixture.authority.revocationList(of: [fixture.bank.signer])).succeeded()
        let other = try await TestAuthority()
        let refused = try await fixture.installation.run([
            "certificate", "import-crl", "--bank", fixture.bank.id, "--ca", other.certificateFile,
            try await other.revocationList(of: [], madeAgoSeconds: 5),
        ])
        #expect(refused.status == 1)
        #expect(refused.stderr.contains("with the key that signed the CRL"))
        #expect(try await fixture.revocation() == ["revoked"])
    }

    @Test(
        "A certificate that the CRL lists is refused at its import; without the CRL of its CA it is not imported either"
    )
    func atImport() async throws {
        let fixture = try await Fixture()
        let (authority, signer) = (fixture.authority, fixture.authority.otherSigner)
        let run = { (list: String, ca: String) in
            try await fixture.installation.run([
                "certificate", "import", "--bank", fixture.bank.id, "--alias", "second", "--ca", ca, "--crl", list,
                signer.certificateFile,
            ])
        }
        let refused = try await run(authority.revocationList(of: [signer]), authority.certificateFile)
        #expect(refused.status == 65 && refused.stderr.contains("Its CA has revoked the certificate of CN=Signer two"))
        let expired = try await run(
            authority.revocationList(of: [], madeAgoSeconds: 7200, lifetimeSeconds: 3600), authority.certificateFile)
        #expect(expired.status == 65 && expired.stderr.contains("The CRL of CN=Test CA expired"))
        let text = try String(contentsOfFile: try await authority.revocationList(of: []), encoding: .utf8)
        var lines = text.split(separator: "\n")
        lines[lines.count - 2] = lines[lines.count - 3].prefix(lines[lines.count - 2].count)
        let forged = try TestFolder.shared.write(lines.joined(separator: "\n") + "\n", named: "forged.crl")
        #expect(try await run(forged, authority.certificateFile).status == 65)
        #expect(try await run(authority.certificateFile, authority.certificateFile).status == 65)
        let good = try await authority.revocationList(of: [authority.signer])
        try await run(good, authority.certificateFile).succeeded()
    }

    @Test("From the import of a CRL on, a revoked certificate opens nothing: 206, and no other certificate suffers")
    func atUse() async throws {
        let fixture = try await Fixture()
        let (authority, bank) = (fixture.authority, fixture.bank)
        let other = try await fixture.installation.makeBank()
        try await fixture.installation.provision([fixture.holder], of: other, through: fixture.server)
        #expect(try await fixture.fetch() == 0)

        let good = try await fixture.importList(authority.revocationList(of: [authority.otherSigner])).succeeded()
        #expect(try JSON(parsing: good.stdout).object?["revoked"] == [])
        #expect(try await fixture.fetch() == 0)
        #expect(try await fixture.revocation().first?.hasPrefix("good to ") == true)

        let revoking = try await authority.revocationList(of: [authority.signer], madeAgoSeconds: 30)
        let imported = try await fixture.importList(revoking).succeeded()
        #expect(try JSON(parsing: imported.stdout).object?["revoked"] == [.string(TestBank.certificateAlias)])
        #expect(try await fixture.fetch() == 206)
        #expect(try await fixture.define() == 206)
        #expect(try await fixture.revocation() == ["revoked"])
        // Another bank that trusts the same CA has no CRL.
        let token = other.token(for: fixture.holder)
        #expect(try await fixture.server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(other, token)).code == 0)

        // An older CRL does not bring the certificate back, and it cannot be imported under another name.
        let older = try await fixture.importList(authority.revocationList(of: [], madeAgoSeconds: 3600))
        #expect(older.status == 1 && older.stderr.contains("newer CRL"))
        let again = try await fixture.installation.run([
            "certificate", "import", "--bank", bank.id, "--alias", "again", "--ca", authority.certificateFile,
            authority.signer.certificateFile,
        ])
        #expect(again.status == 1 && again.stderr.contains("is revoked"))

        // A newer one does: certificates on hold can be released.
        try await fixture.importList(authority.revocationList(of: [], madeAgoSeconds: 0)).succeeded()
        #expect(try await fixture.fetch() == 0)
        #expect(try await fixture.define() == 0)
    }

    @Test("Of two CRLs of the same second, the one with the lower number does not replace the other")
    func numbers() async throws {
        let fixture = try await Fixture()
        let (authority, now) = (fixture.authority, TestBank.timestamp())
        func list(_ number: Int?, of revoked: [TestAuthority.Signer] = []) async throws -> String {
            try await authority.revocationList(of: revoked, number: number, now: now)
        }
        try await fixture.importList(list(255)).succeeded()
        try await fixture.importList(list(256, of: [authority.signer])).succeeded()
        for number in [1, 255, nil] {
            let older = try await fixture.importList(list(number))
            #expect(older.status == 1 && older.stderr.contains("newer CRL"), "\(String(describing: number))")
        }
        #expect(try await fixture.revocation() == ["revoked"])
        try await fixture.importList(list(256, of: [authority.signer])).succeeded()
        // A CA can begin again with its numbers: the time comes first.
        try await fixture.importList(authority.revocationList(of: [], madeAgoSeconds: 30, number: 1, now: now))
            .succeeded()
        #expect(try await fixture.revocation().first?.hasPrefix("good to ") == true)
    }

    @Test("When the CRL has expired the CA's certificates are refused, until the next CRL or without one")
    func expired() async throws {
        let fixture = try await Fixture()
        let list = try await fixture.authority.revocationList(of: [])
        try await fixture.importList(list).succeeded()
        #expect(try await fixture.fetch() == 0)
        try await fixture.installation.sqlAsCommand(
            "UPDATE revocation_list SET next_update = now() - interval '1 second'", of: fixture.bank.id)
        #expect(try await fixture.fetch() == 206)
        let warned = try await fixture.installation.run(["check-config", "--json"]).succeeded().stdout
        #expect(warned.contains("The CRL of CN=Test CA has expired"))

        let warning = try await fixture.installation.startServer()
        try await eventually("a server warns") {
            warning.logLines(with: "The CRL of CN=Test CA has expired").count == 1
        }
        try await warning.stop()

        try await fixture.importList(list).succeeded()
        #expect(try await fixture.fetch() == 0)
        #expect(try await !fixture.installation.run(["check-config", "--json"]).succeeded().stdout.contains("CRL"))

        try await fixture.installation.sqlAsCommand(
            "UPDATE revocation_list SET next_update = now() - interval '1 second'", of: fixture.bank.id)
        let remove = ["certificate", "remove-crl", "--bank", fixture.bank.id, "--issuer"]
        #expect(try await fixture.installation.run(remove + ["CN=Nobody"]).status == 66)
        try await fixture.installation.run(remove + [TestAuthority.name]).succeeded()
        #expect(try await fixture.fetch() == 0)
        #expect(try await fixture.revocation() == ["not checked"])
    }

    @Test("No PIN is sealed to a revoked encryption certificate: definition is off, and the bank's page says why")
    func encryption() async throws {
        let fixture = try await Fixture()
        let bank = try await fixture.installation.makeBank(["--defined-pins", "deliver"])
        let signer = fixture.authority.signer
        try await fixture.installation.importEncryptionCertificate(into: bank)
        // As if the CA had issued it: a self-signed certificate has no CRL.
        try await fixture.installation.sqlAsCommand(
            """
            UPDATE certificate SET issuer = '\(TestAuthority.name)'
            WHERE bank_id = '\(bank.id)' AND purpose = 'encryption'
            """, of: bank.id)
        #expect(!(try await fixture.installation.run(["check-config"]).succeeded().stderr.contains(bank.id)))
        try await fixture.importList(fixture.authority.revocationList(of: [signer]), bank: bank.id).succeeded()
        #expect(!(try await fixture.installation.run(["check-config"]).succeeded().stderr.contains(bank.id)))
        try await fixture.installation.sqlAsCommand(
            """
            INSERT INTO revoked_certificate (bank_id, issuer, serial)
            SELECT bank_id, issuer, serial FROM certificate WHERE bank_id = '\(bank.id)' AND purpose = 'encryption'
            """, of: bank.id)
        let warned = try await fixture.installation.run(["check-config"]).succeeded().stderr
        #expect(warned.contains("bank '\(bank.id)': definition is off"))
    }

    @Test("A CRL is for a bank that has a certificate of its CA")
    func noCertificate() async throws {
        let fixture = try await Fixture()
        let list = try await fixture.authority.revocationList(of: [])
        #expect(try await fixture.importList(list, bank: "nobody").status == 66)
        let empty = Unique.name("empty")
        try await fixture.installation.run(["bank", "add", empty, "--scheme", "CB"]).succeeded()
        let refused = try await fixture.importList(list, bank: empty)
        #expect(refused.status == 1 && refused.stderr.contains("has no certificate that CN=Test CA issued"))
        try await fixture.importList(list).succeeded()
        let lists = try await fixture.installation.run(["certificate", "list-crls", "--bank", fixture.bank.id])
            .succeeded()
        #expect(lists.stdout.contains(TestAuthority.name))
    }
}
