import Foundation
import ServerHarness
import Testing

/// The program of the sandbox's bank, without a connector: the tests give it its lines.
///
/// One after the other, because there is one file of the host.
@Suite("The sandbox's host", .serialized)
struct HostTests {
    private static let sandbox = Once { try await HostSandbox() }

    @Test("The host answers the same line in the same way, and asks the server once")
    func sameLine() async throws {
        let sandbox = try await Self.sandbox.value
        let event = try await sandbox.definition(of: "alice")
        let about: [String: JSON] = ["uniqueId": "alice", "event": .string(event)]
        func answers(_ states: String...) async throws -> [[String: JSON]] {
            try await sandbox.answers(states.map { about.merging(["state": .string($0), "attempt": 1]) { $1 } }).answers
        }
        let sent = about.merging(["state": "sent", "afterSeconds": 3]) { $1 }
        let effective = about.merging(["state": "effective"]) { $1 }
        #expect(try await answers("pending", "pending") == [sent, sent])
        #expect(try await answers("pending", "sent", "sent") == [sent, effective, effective])
        #expect(try await answers("pending") == [effective])
        #expect(
            try await sandbox.installation.sql(
                "SELECT data->>'idempotencyKey' FROM event WHERE type = 'pin.exported' AND unique_id = 'alice'")
                == ["pvv-\(event)"])
        let mode = try FileManager.default.attributesOfItem(atPath: "\(sandbox.folder)/host.json")[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test("If the host dies before it has kept the answer, it sends the same call again, and gets the same answer")
    func lostAnswer() async throws {
        let sandbox = try await Self.sandbox.value
        let event = try await sandbox.definition(of: "bob")
        let line: [String: JSON] = ["uniqueId": "bob", "event": .string(event), "state": "pending"]
        _ = try await sandbox.answers([line])
        let file = "\(sandbox.folder)/host.json"
        var cards = try JSON(parsing: try String(contentsOfFile: file, encoding: .utf8)).object ?? [:]
        let kept = try #require(cards["bob"]?.object)
        cards["bob"] = ["call": try #require(kept["call"])]
        try JSON.object(cards).text.write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try await sandbox.answers([line]).answers.map { $0["state"] } == ["sent"])
        #expect(try JSON(parsing: try String(contentsOfFile: file, encoding: .utf8)).object?["bob"] == .object(kept))
        #expect(
            try await sandbox.installation.sql(
                "SELECT count(*) FROM event WHERE type = 'pin.exported' AND unique_id = 'bob'") == ["1"])
    }

    @Test("What cannot succeed has failed, with the reason; if the server does not answer, the host asks again")
    func refused() async throws {
        let sandbox = try await Self.sandbox.value
        let event: JSON = "AAAAAAAAAAAAAAAAAAAAAA"
        let failed = try await sandbox.answers([
            ["uniqueId": "no/body", "event": event, "state": "pending"],
            ["uniqueId": "carol", "event": event, "state": "pending"],
        ]).answers
        #expect(failed.map { $0["state"] } == ["failed", "failed"])
        for (answer, beginning) in zip(failed, ["404 no-cardholder: ", "422 no-defined-pin: "]) {
            #expect(answer["reason"]?.string?.hasPrefix(beginning) == true, "\(answer)")
        }
        let late = try await sandbox.answers(
            [["uniqueId": "dora", "event": event, "state": "pending"]], url: "http://127.0.0.1:1")
        #expect(late.answers.map { $0["state"] } == ["pending"] && late.answers.first?["afterSeconds"] == 5)
        #expect(late.log.contains("the server does not answer"))
    }

    @Test("A sandbox without a host is completed")
    func completed() async throws {
        let installation = try await TestInstallation()
        try await installation.runSandbox(["create"]).succeeded()
        let file = "\(installation.dataDirectory)/sandbox/pvk.hex"
        let key = try String(contentsOfFile: file, encoding: .utf8)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(key.wholeMatch(of: /[0-9a-f]{32}/) != nil && mode as? Int == 0o600)
        try FileManager.default.removeItem(atPath: file)
        for _ in 1...2 { try await installation.runSandbox(["create"]).succeeded() }
        #expect(try String(contentsOfFile: file, encoding: .utf8) != key)
        #expect(
            try await installation.sql("SELECT count(*) FROM bank_key WHERE usage = 'visa-pvv' AND status = 'ACTIVE'")
                == ["2"])
    }
}

/// A sandbox whose server runs no connector.
private struct HostSandbox: Sendable {
    let installation: TestInstallation
    private let server: TestServer

    init() async throws {
        installation = try await TestInstallation()
        try await installation.runSandbox(["create"]).succeeded()
        server = try await installation.startServer()
    }

    var folder: String { "\(installation.dataDirectory)/sandbox" }

    /// Lets a cardholder choose a PIN.
    ///
    /// - Returns: the id of the event `pin.defined`.
    func definition(of uniqueId: String) async throws -> String {
        let app = URL(filePath: CardCompanionBinary.path).deletingLastPathComponent().appending(path: "sandbox-app")
        try await TestCommand.run(
            app.path, ["define", "--cardholder", uniqueId, "--url", server.url, "--sandbox", folder]
        ).succeeded()
        return try #require(
            try await installation.sql(
                "SELECT public_id FROM event WHERE type = 'pin.defined' AND unique_id = '\(uniqueId)'"
            ).first)
    }

    /// Runs the host, gives it lines, and ends its input.
    func answers(_ lines: [[String: JSON]], url: String? = nil) async throws -> (answers: [[String: JSON]], log: String)
    {
        let result = try await TestCommand.run(
            CardCompanionBinary.sandboxPath, ["host", "--url", url ?? server.url, "--sandbox", folder],
            stdin: lines.map { JSON.object($0).text }.joined(separator: "\n")
        ).succeeded()
        let answers = try result.stdout.split(separator: "\n").map { try JSON(parsing: String($0)).object ?? [:] }
        return (answers, result.stderr)
    }
}
