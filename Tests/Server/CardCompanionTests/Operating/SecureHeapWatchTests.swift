import CardCompanion
import Logging
import SecureMemory
import Synchronization
import Testing

@Suite("Secure heap watch")
struct SecureHeapWatchTests {
    @Test("It warns when secrets did not fit into the secure heap")
    func warns() async throws {
        try #require(SecureHeap.initialize(byteCount: 1 << 20))
        let lines = RecordingLog.Lines()
        let watch = SecureHeapWatch(
            interval: .milliseconds(10), logger: Logger(label: "test") { _ in RecordingLog(lines: lines) })
        try await withThrowingTaskGroup { group in
            group.addTask { try await watch.run() }
            fillHeap()
            while lines.all.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(10)) }
            group.cancelAll()
        }
        #expect(lines.all.withLock { $0.allSatisfy { $0["secrets"] != nil && $0["since_start"] != nil } })
    }

    /// Fills the heap for a moment only: other tests of this process need it.
    private func fillHeap() {
        let before = SecureHeap.fallBackCount
        var secrets: [SharedSecret] = []
        while SecureHeap.fallBackCount == before, secrets.count < 100_000 {
            secrets.append(SharedSecret(SecretBytes(count: 4096) { _ in }))
        }
    }
}
