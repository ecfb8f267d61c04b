internal import Foundation

/// Watches how long the AusweisApp says nothing.
@MainActor
final class Patience {
    /// Tests wait less.
    private let factor: Double
    private var deadline: TimeInterval?
    private var seconds = 0.0
    private var begun: AsyncStream<Void>.Continuation?

    nonisolated init(factor: Double = 1) {
        self.factor = factor
    }

    /// From now on it may last so long.
    func begin(_ seconds: Double) {
        self.seconds = seconds * factor
        deadline = ProcessInfo.processInfo.systemUptime + self.seconds
        begun?.yield()
    }

    /// It may last as long as it likes.
    func forget() { deadline = nil }

    /// Waits until it has lasted too long.
    ///
    /// - Returns: how long it was allowed to last, in seconds.
    /// - Throws: `CancellationError` if nobody waits any longer.
    func end() async throws -> Double {
        let (beginnings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        begun = continuation
        if deadline != nil { continuation.yield() }
        for await _ in beginnings {
            while let deadline {
                let rest = deadline - ProcessInfo.processInfo.systemUptime
                guard rest > 0 else { return seconds }
                try await Task.sleep(nanoseconds: UInt64(rest * 1e9))
            }
        }
        throw CancellationError()
    }
}
