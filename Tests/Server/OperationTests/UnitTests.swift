import Foundation
import ServerHarness
import Testing

/// The systemd unit in deploy/.
@Suite("systemd unit")
struct UnitTests {
    private static let unit = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "deploy/card-companion.service").path

    /// `deploy/install-packages test` installs it.
    private static let canAnalyze = FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")

    /// The greatest exposure that systemd's judgement may give, times ten.
    private static let exposureLimit = 20

    @Test("systemd judges that the unit exposes little", .enabled(if: canAnalyze, "needs systemd-analyze"))
    func exposure() async throws {
        let result = try await TestCommand.run(
            "systemd-analyze",
            ["security", "--no-pager", "--offline=true", "--threshold=\(Self.exposureLimit)", Self.unit])
        #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
    }

    @Test("Every line of the unit is one that systemd knows", .enabled(if: canAnalyze, "needs systemd-analyze"))
    func lines() async throws {
        let result = try await TestCommand.run("systemd-analyze", ["verify", "--man=no", Self.unit])
        for word in ["Unknown", "Failed to parse", "Invalid", "ignoring"] {
            #expect(!result.stderr.contains(word), "\(result.stderr)")
        }
    }
}
