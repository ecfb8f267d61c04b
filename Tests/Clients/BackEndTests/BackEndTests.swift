import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The libraries for banks' back-ends, in Python and Java, and what the examples in Python say if something is missing.
/// SandboxTests runs the examples, which use the package in Python, with a server.
@Suite("Libraries for back-ends")
struct BackEndTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    @Test(
        "The tests of the Python package and of the examples pass",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
    func python() async throws {
        let tests = Self.folder.appending(path: "python").path
        let result = try await TestCommand.run(
            PythonOracle.interpreter, ["-B", "-m", "unittest", "discover", "--start-directory", tests])
        #expect(result.status == 0, "\(result.stdout)\n\(result.stderr)")
        #expect(result.stderr.contains(/Ran [1-9][0-9]* tests/))
        #expect(result.stderr.hasSuffix("OK\n"), "no test may be left out: \(result.stderr)")
    }

    @Test("The Java library's own tests pass, on the same vectors as Python, and two builds of it are equal")
    func java() async throws {
        let builder = Self.folder.appending(path: "../../../Sources/Clients/CardCompanionBackEndJava/build")
            .standardized.path
        let output = TestFolder.shared.unused("back-end-tests")
        let result = try await TestCommand.run(builder, ["--test", "--output", output])
        #expect(result.status == 0, "\(result.stdout)\n\(result.stderr)")
        #expect(result.stdout.contains("Two builds of the packages are equal"))
    }
}
