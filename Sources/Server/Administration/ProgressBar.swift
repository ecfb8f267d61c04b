internal import Foundation
internal import Glibc

/// A progress bar on standard error, if that is a terminal.
package struct ProgressBar {
    private static let interval = Duration.milliseconds(100)
    private static let cells = 30

    private let total: Int?
    private let unit: String
    private let start = ContinuousClock.now
    private var lastDrawn: ContinuousClock.Instant?
    private let isShown: Bool

    /// - Parameters:
    ///   - total: how much there is to do, in the unit of ``update(done:count:)``; nil if it is not known.
    ///   - unit: what ``update(done:count:)`` counts.
    package init(total: Int?, unit: String = "lines") {
        self.total = total.map { max($0, 1) }
        self.unit = unit
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// - Parameters:
    ///   - done: how much of the total is done.
    ///   - count: how many units that is, for the rate.
    package mutating func update(done: Int, count: Int) {
        let now = ContinuousClock.now
        guard isShown, lastDrawn.map({ now - $0 >= Self.interval }) ?? true else { return }
        lastDrawn = now
        draw(done: done, count: count, now: now)
    }

    /// Removes the line.
    package func finish() {
        guard isShown, lastDrawn != nil else { return }
        StandardStream.raw("\r\u{1B}[K")
    }

    private func draw(done: Int, count: Int, now: ContinuousClock.Instant) {
        let seconds = max((now - start) / .seconds(1), 0.001)
        let rate = "\(count) \(unit), \(Int(Double(count) / seconds)) per second"
        guard let total else { return write(rate) }
        let share = min(Double(done) / Double(total), 1)
        let filled = Int(share * Double(Self.cells))
        let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: Self.cells - filled)
        let left = share > 0 ? seconds * (1 - share) / share : 0
        write(String(format: "[%@] %3.0f %%  %@, %.0f s left", bar, share * 100, rate, left))
    }

    private func write(_ line: String) {
        StandardStream.raw("\r\(line)\u{1B}[K")
    }
}
