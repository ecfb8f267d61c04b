import Foundation
import ServerHarness
import Testing

/// The systemd units in deploy/.
@Suite("systemd units")
struct UnitTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy")
    private static let units = ["card-companion.service", "card-companion-forward@.service"]

    /// `deploy/install-packages test` installs it.
    private static let canAnalyze = FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")

    /// The greatest exposure that systemd's judgement may give, times ten.
    private static let exposureLimit = 20

    @Test(
        "systemd judges that a unit exposes little", .enabled(if: canAnalyze, "needs systemd-analyze"), arguments: units
    )
    func exposure(unit: String) async throws {
        let result = try await TestCommand.run(
            "systemd-analyze",
            [
                "security", "--no-pager", "--offline=true", "--threshold=\(Self.exposureLimit)",
                Self.folder.appending(path: unit).path,
            ])
        #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
    }

    @Test(
        "Every line of a unit is one that systemd knows", .enabled(if: canAnalyze, "needs systemd-analyze"),
        arguments: units)
    func lines(unit: String) async throws {
        let result = try await TestCommand.run(
            "systemd-analyze", ["verify", "--man=no", Self.folder.appending(path: unit).path])
        for word in ["Unknown", "Failed to parse", "Invalid", "ignoring"] {
            #expect(!result.stderr.contains(word), "\(result.stderr)")
        }
    }
}
