import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The attacks that anybody can run against a server (`make attack`), in small.
@Suite(.enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct AttackTests {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Tools/Attacks/attack.py").path

    @Test func `Others are answered while a server is attacked`() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startSandbox()
        let result = try await TestCommand.run(
            "python3",
            [
                Self.script, "--url", server.url, "--sandbox", "\(installation.dataDirectory)/sandbox", "--seconds",
                "5",
                "--connections", "300", "--askers", "12", "--limit", "60",
            ])
        #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
        for attack in ["slow connections", "hot row"] { #expect(result.stdout.contains("ok   \(attack): others")) }
        #expect(try await server.stop() == 0)
    }
}
