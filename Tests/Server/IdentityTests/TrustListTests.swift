import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import Foundation
import ServerHarness
import StrictJSON
import Testing

/// The authorities that a bank trusts: `card-companion csca`.
@Suite("Trust lists")
struct TrustListTests {
    private func run(_ bank: IdentityBank, _ arguments: [String]) async throws -> CommandResult {
        try await bank.service.installation.run(["csca"] + arguments)
    }

    @Test("An older list than the present one is refused; the same one and a newer one are imported")
    func older() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let now = TestState.now
        func importList(_ signedAt: Int64) async throws -> CommandResult {
            let files = try TrustFiles(bank.state, signedAt: signedAt)
            return try await run(bank, ["import", "--bank", bank.bank.id, "--root", files.root, files.list])
        }
        let refused = try await importList(now - 3600)
        #expect(refused.status == 1 && refused.stderr.contains("it is older"), "\(refused.stderr)")
        #expect(try await importList(now).status == 0)
        let future = try await importList(now + 2 * 86_400)
        #expect(future.status == 65 && future.stderr.contains("signed in the future"), "\(future.stderr)")
    }

    @Test("A list that another root has signed, a cut one, and a certificate instead of a list are refused")
    func refused() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let (files, other) = (try TrustFiles(bank.state), try TrustFiles(try SimulatedIssuer(at: TestState.now)))
        let wrongRoot = try await run(bank, ["import", "--root", other.root, files.list])
        #expect(
            wrongRoot.status == 1 && wrongRoot.stderr.contains("the given root did not sign"), "\(wrongRoot.stderr)")
        let cut = try TrustFiles.write(
            Array(try Data(contentsOf: URL(fileURLWithPath: files.list)).dropLast()), "cut.ml")
        for list in [cut, files.root] {
            #expect(try await run(bank, ["import", "--root", files.root, list]).status == 65)
        }
    }

    @Test("A bank's own list takes the place of the list of all banks, and serves no other bank")
    func scope() async throws {
        let service = try await IdentityService()
        let (own, other) = (try await service.makeBank(), try await service.makeBank())
        #expect(try await service.installation.run(["csca", "remove", "--bank", other.bank.id]).status == 0)
        // Without any list nothing is trusted.
        _ = try await other.session(try await other.validationId(), document: try own.state.issue(own.person))
        #expect(try await other.passCount() == 0)
        let common = try SimulatedIssuer(at: TestState.now)
        let files = try TrustFiles(common)
        try await service.installation.run(["csca", "import", "--root", files.root, files.list]).succeeded()
        #expect(
            try await other.session(try await other.validationId(), document: try common.issue(other.person)).isNormal)
        #expect(try await other.passCount() == 1)
        _ = try await own.session(try await own.validationId(), document: try common.issue(own.person))
        #expect(try await own.passCount() == 0)
        let list = try await service.installation.run(["csca", "list", "--json"])
        let banks = try JSON(parsing: list.stdout).array?.map { $0.object?["bank"]?.string }
        #expect(banks == [nil, own.bank.id])
    }

    @Test("After a rotation the list of all banks is under the new data key, and is trusted when the old key is gone")
    func rotation() async throws {
        let service = try await IdentityService(["--housekeeping-interval-seconds", "1"])
        let (installation, bank) = (service.installation, try await service.makeBank())
        let files = try TrustFiles(bank.state)
        try await installation.run(["csca", "remove", "--bank", bank.bank.id]).succeeded()
        try await installation.run(["csca", "import", "--root", files.root, files.list]).succeeded()
        let old = try await installation.sql("SELECT id FROM data_key WHERE purpose = 'keys'")[0]
        try await installation.run(["vault", "rotate-data-key", "--purpose", "keys"]).succeeded()
        try await installation.sqlAsCommand(
            "UPDATE data_key SET active_from = now() - interval '2 days' WHERE replaces IS NOT NULL")
        try await installation.untilResealed()
        try await installation.run(["vault", "retire-data-key", old]).succeeded()
        let restarted = try await IdentityService.startServer(on: installation)
        #expect(try await bank.session(try await bank.validationId(), through: restarted).isNormal)
        #expect(try await bank.passCount() == 1)
    }

    @Test("A document whose signer is revoked does not pass after the CRL was imported")
    func revoked() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let now = TestState.now
        let good = try TrustFiles.write(
            try bank.state.revocationList(revokesSigner: false, thisUpdate: now - 60, nextUpdate: now + 86_400), "a.crl"
        )
        #expect(try await run(bank, ["import-crl", "--bank", bank.bank.id, good]).status == 0)
        #expect(try await bank.session(try await bank.validationId()).isNormal)
        #expect(try await bank.passCount() == 1)
        // As if a machine whose clock is ahead had imported it.
        try await bank.service.installation.sql(
            "UPDATE trust_revocation_list SET imported_at = now() + interval '1 hour' WHERE scope = '\(bank.bank.id)'")
        let bad = try TrustFiles.write(
            try bank.state.revocationList(revokesSigner: true, thisUpdate: now - 30, nextUpdate: now + 86_400), "b.crl")
        #expect(try await run(bank, ["import-crl", "--bank", bank.bank.id, bad]).status == 0)
        try await bank.service.installation.sql("DELETE FROM identity_pass WHERE bank_id = '\(bank.bank.id)'")
        let end = try await bank.session(try await bank.validationId())
        #expect(end.isNormal && end.connector.result?["passiveAuthentication"] == .bool(false))
        #expect(try await bank.passCount() == 0)
        let older = try await run(bank, ["import-crl", "--bank", bank.bank.id, good])
        #expect(older.status == 1 && older.stderr.contains("newer CRL"))
        let foreign = try TrustFiles.write(
            try SimulatedIssuer(country: "XX", state: "XXA", at: now)
                .revocationList(revokesSigner: true, thisUpdate: now, nextUpdate: now + 60), "c.crl")
        #expect(try await run(bank, ["import-crl", "--bank", bank.bank.id, foreign]).status == 65)
    }

    @Test("Of two CRLs of the same second, the one with the lower number does not replace the other")
    func numbers() async throws {
        let bank = try await IdentityService.shared.value.makeBank()
        let now = TestState.now
        func importList(_ number: Int?, revokes: Bool = false) async throws -> CommandResult {
            let list = try bank.state.revocationList(
                revokesSigner: revokes, number: number, thisUpdate: now - 60, nextUpdate: now + 86_400)
            return try await run(
                bank, ["import-crl", "--bank", bank.bank.id, try TrustFiles.write(list, "number.crl")])
        }
        #expect(try await importList(255).status == 0)
        #expect(try await importList(256, revokes: true).status == 0)
        for number in [1, 255, nil] {
            let older = try await importList(number)
            #expect(older.status == 1 && older.stderr.contains("newer CRL"), "\(String(describing: number))")
        }
        #expect(try await importList(256, revokes: true).status == 0)
    }

    @Test("A list that was put into the database is not trusted: sessions end with SERVER_ERROR")
    func forged() async throws {
        let service = try await IdentityService.shared.value
        let (bank, other) = (try await service.makeBank(), try await service.makeBank())
        try await service.installation.sql(
            """
            UPDATE trust_list SET (list, root, imported_at) = (
                SELECT list, root, now() FROM trust_list WHERE scope = '\(other.bank.id)')
            WHERE scope = '\(bank.bank.id)'
            """)
        let end = try await bank.session(
            try await bank.validationId(), document: try other.state.issue(bank.person))
        #expect(end.code == 1011 && end.reason == "SERVER_ERROR")
        #expect(try await bank.passCount() == 0)
    }
}
