import ServerHarness
import Testing

/// `show-document`: a newcomer sees a verification without a phone.
///
/// One after the other: a cardholder has one check, and a newer one takes its place.
@Suite("A simulated chip in the sandbox", .serialized)
struct SimulatedChipTests {
    private struct Sandbox: Sendable {
        let installation: TestInstallation
        let server: TestServer

        func simulate(_ cardholder: String, _ chip: String) async throws -> (status: Int, report: [String: JSON]) {
            let result = try await installation.runSandbox([
                "show-document", "--url", server.url, "--sandbox",
                "\(installation.dataDirectory)/sandbox", "--cardholder", cardholder, "--chip", chip, "--json",
            ])
            return (result.status, try JSON(parsing: result.stdout).object ?? [:])
        }
    }

    private static let sandbox = Once {
        let installation = try await TestInstallation()
        return Sandbox(installation: installation, server: try await installation.startSandbox())
    }

    @Test("A genuine chip passes, and the cardholder gets a pass")
    func genuine() async throws {
        let sandbox = try await Self.sandbox.value
        let (status, report) = try await sandbox.simulate("alice", "genuine")
        #expect(status == 0)
        #expect(report["hasPassed"] == true && report["closeCode"] == 1000)
        #expect(report["errors"] == [])
        #expect(report["notes"] == ["there is no revocation list of the document signer's CA"])
        #expect(report["chipAuthentication"] == "SUCCESS" && report["activeAuthentication"] == "UNAVAILABLE")
        #expect(try await sandbox.installation.sql("SELECT unique_id FROM identity_pass") == ["alice"])
    }

    @Test(
        "Every other chip does not pass, and the reason is shown",
        arguments: [
            ("clone", nil), ("forged", "no trusted state has signed the files"),
            ("expired", "the document has expired"),
            ("stranger", "it is not the expected document"), ("untrusted", "no trusted state has signed the files"),
        ] as [(String, String?)])
    func others(chip: String, reason: String?) async throws {
        let sandbox = try await Self.sandbox.value
        let (status, report) = try await sandbox.simulate("bob", chip)
        #expect(status == 1 && report["hasPassed"] == false)
        let errors = (report["errors"]?.array ?? []).compactMap(\.string)
        if let reason { #expect(errors.contains { $0.hasPrefix("not passed: \(reason)") }, "\(errors)") }
        #expect(try await sandbox.installation.sql("SELECT 1 FROM identity_pass WHERE unique_id = 'bob'") == [])
    }

    @Test("A cardholder whom the sandbox does not have, and a server without a sandbox, are refused")
    func refused() async throws {
        let sandbox = try await Self.sandbox.value
        func run(_ url: String, _ cardholder: String) async throws -> CommandResult {
            try await sandbox.installation.runSandbox([
                "show-document", "--url", url, "--sandbox",
                "\(sandbox.installation.dataDirectory)/sandbox", "--cardholder", cardholder,
            ])
        }
        let unknown = try await run(sandbox.server.url, "mallory")
        #expect(unknown.status == 1 && unknown.stderr.contains("uniqueId must be one of"), "\(unknown.stderr)")
        let other = try await sandbox.installation.startServer()
        #expect(try await run(other.url, "alice").status == 1)
        try await other.stop()
        #expect(try await run("http://127.0.0.1:1", "alice").status == 69)
    }
}
