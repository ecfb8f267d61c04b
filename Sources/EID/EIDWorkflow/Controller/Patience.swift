internal import Foundation

/// Watches how long the AusweisApp is silent.
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

    /// From now on, the AusweisApp may be silent for this long.
    func begin(_ seconds: Double) {
        self.seconds = seconds * factor
        deadline = ProcessInfo.processInfo.systemUptime + self.seconds
        begun?.yield()
    }

    /// From now on, the AusweisApp may be silent for any time.
    func forget() { deadline = nil }

    /// Waits until the AusweisApp was silent for too long.
    ///
    /// - Returns: how long it was allowed to be silent, in seconds.
    /// - Throws: `CancellationError` if the task is cancelled.
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
