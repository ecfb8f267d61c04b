import Foundation
import ServerHarness
import Testing

@Suite("Threads of imports")
struct ImportThreadTests {
    @Test("The lines of an import are checked beside the event loops, which serve other connections")
    func threads() async throws {
        let backend = try await Service.shared.value.makeBackendWithServer()
        let lines = try (0..<1_500).map { number in
            try TestCardholder("h\(number)").line(sealedTo: backend.key, of: backend.bank.id)
        }
        let before = try usedTicks(by: backend.server.processID)
        #expect(try await backend.importLines(lines.joined(separator: "\n")).isCommitted)
        let after = try usedTicks(by: backend.server.processID)
        #expect(after.others - before.others > after.eventLoops - before.eventLoops)
    }

    /// The CPU time that a process's threads have used, in clock ticks (proc(5)). NIO names its threads.
    private func usedTicks(by process: Int32) throws -> (eventLoops: Int, others: Int) {
        var (eventLoops, others) = (0, 0)
        let folder = "/proc/\(process)/task"
        for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
            guard let text = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { continue }
            let ticks = text[end...].split(separator: " ")[12...13].compactMap { Int($0) }.reduce(0, +)
            if text.contains("(NIO-") { eventLoops += ticks } else { others += ticks }
        }
        return (eventLoops, others)
    }
}
