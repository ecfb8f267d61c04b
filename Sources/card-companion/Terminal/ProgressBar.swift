import Foundation

/// A line on standard error that tells how far long work has come; nothing where nobody looks.
struct ProgressBar {
    private static let interval = Duration.milliseconds(100)
    private static let cells = 30

    private let total: Int
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private let isShown: Bool

    /// - Parameter total: how much there is to do, in the unit that ``update(done:count:)`` counts in.
    init(total: Int) {
        self.total = max(total, 1)
        isShown = Terminal.isInteractive
    }

    /// - Parameters:
    ///   - done: how much of the total is done.
    ///   - count: how many things that is, for the rate.
    mutating func update(done: Int, count: Int) {
        let now = ContinuousClock.now
        guard isShown, lastDrawn.map({ now - $0 >= Self.interval }) ?? true else { return }
        lastDrawn = now
        draw(done: done, count: count, now: now)
    }

    /// Removes the line.
    func finish() {
        guard isShown, lastDrawn != nil else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }

    private func draw(done: Int, count: Int, now: ContinuousClock.Instant) {
        let share = min(Double(done) / Double(total), 1)
        let filled = Int(share * Double(Self.cells))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.cells - filled)
        let seconds = max((now - start) / .seconds(1), 0.001)
        let left = share > 0 ? seconds * (1 - share) / share : 0
        let line = String(
            format: "\r[%@] %3.0f %%  %d lines, %.0f a second, %.0f s left\u{1B}[K", bar, share * 100, count,
            Double(count) / seconds, left)
        FileHandle.standardError.write(Data(line.utf8))
    }
}
