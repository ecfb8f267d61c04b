import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The OpenAPI document: that it is valid, that a server with a sandbox answers as it says, that it is all that a client
/// generator needs, and that the page at /docs shows it.
@Suite(.enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct OpenAPITests {
    private static let server = Once {
        let installation = try await TestInstallation()
        let server = try await installation.startSandbox()
        // The drivers report themselves what becomes of a defined PIN. The sandbox's connector would come between.
        try await installation.run([
            "bank", "set", "SANDBOX", "--forward-defined-pins", "false", "--pin-exports", "false",
        ]).succeeded()
        return Sandbox(installation: installation, server: server)
    }

    private struct Sandbox: Sendable {
        let installation: TestInstallation
        let server: TestServer

        /// Where the sandbox bank's keys are.
        var folder: String { "\(installation.dataDirectory)/sandbox" }
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let openAPI = root.appending(path: "openapi.yaml").path
    /// The page at /docs.
    private static let docs = root.appending(path: "Sources/Server/card-companion-sandbox/Pages/Docs").path
    private static let chromium = "/usr/bin/chromium"

    @Test func `openapi.yaml and its examples are valid`() async throws {
        try await python("validate.py", [Self.openAPI])
    }

    @Test func `openapi.yaml takes the PANs in PIN blocks that the server takes`() async throws {
        try await python("pin_blocks.py", [Self.openAPI])
    }

    @Test func `schemathesis finds only responses that openapi.yaml describes`() async throws {
        let sandbox = try await Self.server.value
        try await python("conform.py", [sandbox.server.url, Self.openAPI, sandbox.folder])
    }

    @Test func `responses to back-ends match openapi.yaml`() async throws {
        let sandbox = try await Self.server.value
        try await python("issue.py", [sandbox.server.url, Self.openAPI, sandbox.folder])
    }

    @Test func `a client that is generated from openapi.yaml makes every call`() async throws {
        let sandbox = try await Self.server.value
        let settings = Self.root.appending(path: "examples/openapi-python-client.yaml").path
        try await python("generate.py", [sandbox.server.url, Self.openAPI, settings, sandbox.folder])
    }

    @Test func `openapi.json says the same as openapi.yaml`() async throws {
        try await python("openapi_json.py", ["compare", Self.openAPI, "\(Self.docs)/openapi.json"])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: chromium), "no Chromium: run 'make test-packages'"))
    func `the page at /docs shows all of openapi.json`() async throws {
        let screenshots = Self.root.appending(path: ".build/screenshots").path
        try await python("docs_page.py", [Self.docs, screenshots])
    }

    @Test func `the code samples of the page at /docs run, compile or parse`() async throws {
        let sandbox = try await Self.server.value
        try await python("samples.py", [sandbox.server.url, Self.docs, sandbox.folder])
    }

    private func python(_ script: String, _ arguments: [String]) async throws {
        let path = Self.tests.appending(path: "Drivers/\(script)").path
        try await TestCommand.run(PythonOracle.interpreter, ["-B", path] + arguments).succeeded()
    }
}
