import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The scripts of `deploy/release`. Their tests are in Python, because the scripts are; `make release-check` builds a whole release.
@Suite("Release", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct ReleaseTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Python").path

    @Test(
        "The tests in Python pass",
        arguments: [
            "javascript_test", "package_test", "sbom_test", "signature_test", "source_test", "versions_test",
        ])
    func python(module: String) async throws {
        let script = "\(Self.folder)/\(module).py"
        let result = try await TestCommand.run(PythonOracle.interpreter, ["-B", script])
        #expect(result.status == 0, "\(result.stdout)\n\(result.stderr)")
        #expect(result.stderr.contains(/Ran [1-9][0-9]* tests? in/), "\(result.stderr)")
    }
}
