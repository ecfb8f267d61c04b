import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The way of README.md from nothing to a bank of one's own: examples/own-bank.sh.
@Suite("A bank of one's own", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct OwnBankTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func run(_ folder: String, environment: [String: String]) async throws -> CommandResult {
        try await TestCommand.run(
            "sh", [Self.root.appending(path: "examples/own-bank.sh").path, folder, CardCompanionBinary.path],
            environment: environment.merging(["PYTHON": PythonOracle.interpreter]) { $1 })
    }

    @Test("The script makes the keys, adds the bank, and fetches a PIN")
    func script() async throws {
        let installation = try await TestInstallation(isNew: true)
        let folder = TestFolder.shared.unused("own-bank")
        // As the owner of the schema, who may migrate.
        let environment = ["DATABASE_URL": installation.ownerURL, "HTTP_PORT": "0"]
        let result = try await run(folder, environment: environment).succeeded()
        #expect(
            result.stdout.contains("apps can fetch PINs with an authentication code, and with a token"), "\(result)")
        #expect(result.stdout.contains("and confirmed that it was shown"), "\(result)")
        let image = try Data(contentsOf: URL(filePath: "\(folder)/pin.png"))
        #expect(image.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect(
            try await installation.sql("SELECT count(*) FROM event WHERE bank_id = 'MYBANK' AND type = 'pin.delivered'")
                == ["1"])
        let again = try await run(folder, environment: environment)
        #expect(again.status == 73 && again.stderr.contains("name a folder that does not exist yet"))
    }

    @Test("README.md has the commands of the script, in their order")
    func readme() throws {
        let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
        let script = try String(contentsOf: Self.root.appending(path: "examples/own-bank.sh"), encoding: .utf8)
        let commands = script.split(separator: "\n").filter { $0.hasPrefix("companion ") }
            .map { "card-" + $0 }
        #expect(commands.count == 7)
        var rest = readme[...]
        for command in commands {
            let place = try #require(
                rest.firstRange(of: "    \(command)"), "README.md lacks, or has too early: \(command)")
            rest = rest[place.upperBound...]
        }
    }
}
