import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The JavaScript client and the sandbox's page in a real Chromium, against a real server. The driver in Browser/ runs all checks once.
@Suite(.enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct WebTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Browser")

    /// The verdict of each check: `ok`, or what is wrong.
    private static let verdicts = Once {
        let installation = try await TestInstallation()
        let server = try await installation.startSandbox()
        let result = try await TestCommand.run(
            PythonOracle.interpreter,
            [
                "-B", WebTests.folder.appending(path: "drive.py").path, "--url", server.url, "--sandbox",
                "\(installation.dataDirectory)/sandbox",
            ]
        ).succeeded()
        try await server.stop()
        return try JSONDecoder().decode([String: String].self, from: Data(result.stdout.utf8))
    }

    /// A check of Browser/checks: its file and its first line.
    struct Check: CustomTestStringConvertible {
        let testDescription: String

        static func all() throws -> [Check] {
            let pattern = /def check_\w+\(scene\):\n    """(?<title>.*)"""\n/
            let files = try FileManager.default.contentsOfDirectory(
                at: WebTests.folder.appending(path: "checks"), includingPropertiesForKeys: nil)
            return try files.filter { $0.pathExtension == "py" }.flatMap { file in
                let group = file.deletingPathExtension().lastPathComponent
                return try String(contentsOf: file, encoding: .utf8).matches(of: pattern).map {
                    Check(testDescription: "\(group): \($0.title)")
                }
            }
        }
    }

    @Test("In Chromium", arguments: try Check.all())
    func check(_ check: Check) async throws {
        let verdict = try await Self.verdicts.value[check.testDescription]
        #expect(verdict == "ok")
    }

    @Test("The driver runs every check")
    func everyCheck() async throws {
        #expect(try await Self.verdicts.value.keys.sorted() == Check.all().map(\.testDescription).sorted())
    }
}
