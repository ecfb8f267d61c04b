import Logging
import Synchronization
import Testing

@testable import CardCompanion

@Suite("Rare warnings")
struct RareWarningTests {
    @Test("A warning is logged at once, then at most once a minute, with the number of reasons since the last one")
    func minute() {
        let lines = RecordingLog.Lines()
        let warning = RareWarning("Too many", Logger(label: "test") { _ in RecordingLog(lines: lines) })
        let start = ContinuousClock.now
        for second in [0, 0, 59, 60, 61, 119, 120, 500] {
            warning.warn(["second": "\(second)"], at: start + .seconds(second))
        }
        #expect(
            lines.all.withLock { $0 } == [
                ["second": "0", "refused": "1"], ["second": "60", "refused": "3"], ["second": "120", "refused": "3"],
                ["second": "500", "refused": "1"],
            ])
    }
}
