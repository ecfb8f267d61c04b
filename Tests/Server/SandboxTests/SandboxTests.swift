import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The first steps of a new user: a server with a sandbox, the commands that it prints, and the examples.
@Suite struct SandboxTests {
    private static let server = Once {
        let installation = try await TestInstallation()
        return Sandbox(
            installation: installation, server: try await installation.startSandbox())
    }

    private struct Sandbox: Sendable {
        let installation: TestInstallation
        let server: TestServer

        var folder: String { "\(installation.dataDirectory)/sandbox" }
    }

    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    private static let root = tests.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let pngSignature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    @Test(
        "The help of every command contains an example",
        arguments: ["serve", "create", "show-document", "forward", "host"])
    func help(_ command: String) async throws {
        let help = try await Self.server.value.installation.runSandbox([command, "--help"]).succeeded().stdout
        #expect(help.contains("EXAMPLE") && help.contains("card-companion-sandbox \(command)"))
    }

    @Test("Making the sandbox is recorded in the audit trail")
    func audited() async throws {
        let lines = try await TestInstallation().runSandbox(["create"]).succeeded().stderr.split(separator: "\n")
        #expect(lines.contains { $0.contains(" operation=sandbox ") && $0.contains(" outcome=done ") }, "\(lines)")
    }

    @Test(arguments: ["ac", "token"])
    func `sandbox-app fetches a PIN as an image and confirms it`(flow: String) async throws {
        let image = TestFolder.shared.unused("pin.png")
        let result = try await app(["--cardholder", "alice", "--flow", flow, "--image", image]).succeeded()
        #expect(result.stdout.contains("confirmed that it was shown"))
        #expect(try Data(contentsOf: URL(filePath: image)).starts(with: Self.pngSignature))
    }

    @Test(arguments: ["hmac", "token", "keypad"])
    func `sandbox-app chooses a PIN`(flow: String) async throws {
        let sandbox = try await Self.server.value
        let serial = "SELECT pin_serial FROM cardholder WHERE unique_id = 'bob'"
        let before = try await sandbox.installation.sql(serial)
        let result = try await app(["define", "--cardholder", "bob", "--flow", flow]).succeeded()
        #expect(result.stdout == "bob has a new PIN: fetch it to see it\n")
        #expect(try await sandbox.installation.sql(serial) != before)
    }

    private func app(_ arguments: [String]) async throws -> CommandResult {
        let sandbox = try await Self.server.value
        let app = URL(filePath: CardCompanionBinary.path).deletingLastPathComponent().appending(path: "sandbox-app")
        return try await TestCommand.run(
            app.path, arguments + ["--url", sandbox.server.url, "--sandbox", sandbox.folder])
    }

    @Test func `first-pin.sh fetches a PIN with curl, openssl and jq, and confirms it`() async throws {
        let sandbox = try await Self.server.value
        let image = TestFolder.shared.unused("pin.png")
        let script = Self.root.appending(path: "examples/first-pin.sh").path
        let result = try await TestCommand.run(
            "/bin/sh", [script, sandbox.server.url, sandbox.folder, "carol", image]
        ).succeeded()
        #expect(result.stdout.contains("confirmed that it was shown"))
        #expect(try Data(contentsOf: URL(filePath: image)).starts(with: Self.pngSignature))
    }

    @Test func `the server's log contains commands to copy`() async throws {
        let sandbox = try await Self.server.value
        let commands = ["--cardholder alice --image pin.png", "sh examples/first-pin.sh \(sandbox.server.url)"]
        // It prints them when it already listens.
        try await eventually("the log has both commands") { commands.allSatisfy(sandbox.server.log.contains) }
    }

    @Test func `a second run of the sandbox command keeps the keys`() async throws {
        let sandbox = try await Self.server.value
        let key = try Data(contentsOf: URL(filePath: "\(sandbox.folder)/hmac.hex"))
        _ = try await sandbox.installation.runSandbox(["create"]).succeeded()
        #expect(try Data(contentsOf: URL(filePath: "\(sandbox.folder)/hmac.hex")) == key)
    }

    @Test func `bank.sh calls every back-end operation successfully`() async throws {
        let sandbox = try await Self.server.value
        let result = try await TestCommand.run(
            "/bin/sh", [Self.example("bank.sh"), sandbox.server.url, sandbox.folder]
        ).succeeded()
        #expect(result.stdout.contains(#""committed":true"#))
        #expect(result.stdout.contains(/DELETE .*: 204/))
    }

    @Test(.enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
    func `bank.py calls every back-end operation successfully`() async throws {
        let sandbox = try await Self.server.value
        let result = try await example("bank.py", [sandbox.server.url, sandbox.folder]).succeeded()
        #expect(result.stdout.contains(#""committed":true"#))
    }

    @Test(.enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
    func `app.py fetches and defines a PIN, and receiver.py gets the events`() async throws {
        let sandbox = try await Self.server.value
        let receiver = try ReceiverProcess(Self.example("receiver.py"), of: sandbox.server)
        let address = try await receiver.line {
            $0.firstMatch(of: /waiting for events at (http\S+)/).map { String($0.1) }
        }
        _ = try await sandbox.installation.run([
            "webhook", "set", "--bank", "SANDBOX", "--allow-private", address,
        ]).succeeded()

        let image = TestFolder.shared.unused("pin.png")
        let result = try await example("app.py", [sandbox.server.url, sandbox.folder, "bob", image]).succeeded()
        #expect(result.stdout.contains("confirmed that it was shown"))
        #expect(result.stdout.contains("defined another PIN"))
        #expect(try Data(contentsOf: URL(filePath: image)).starts(with: Self.pngSignature))
        for type in ["pin.delivered", "pin.defined"] {
            _ = try await receiver.line { $0.contains("\(type) bob") ? $0 : nil }
        }
        #expect(!receiver.output.contains("refused"))
    }

    private static func example(_ name: String) -> String {
        root.appending(path: "examples/\(name)").path
    }

    private func example(_ name: String, _ arguments: [String]) async throws -> CommandResult {
        try await TestCommand.run(PythonOracle.interpreter, ["-B", Self.example(name)] + arguments)
    }
}
