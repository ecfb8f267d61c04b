import CardCompanionModel
import Synchronization
import Testing

@testable import CardCompanionWebhooks

@Suite("Active webhook deliveries")
struct BusyBanksTests {
    @Test("Each bank has at most one delivery task, and the number of active banks is limited")
    func limit() {
        let banks = BusyBanks(limit: 2)
        #expect(banks.begin("a"))
        #expect(!banks.begin("a"))
        #expect(banks.begin("b"))
        #expect(!banks.begin("c"))
        banks.end("a", hasFailed: false)
        #expect(banks.begin("c"))
        #expect(!banks.begin("a"))
    }

    @Test(
        "After failed deliveries a bank pauses, longer each time; after a success it does not pause")
    func rest() throws {
        let time = Mutex(ContinuousClock.now)
        let banks = BusyBanks(limit: 8) { time.withLock(\.self) }
        /// How long the bank is skipped after a failure.
        func pause() -> Duration {
            banks.end("slow", hasFailed: true)
            let begin = time.withLock(\.self)
            while !banks.begin("slow") { time.withLock { $0 += .milliseconds(10) } }
            return begin.duration(to: time.withLock(\.self))
        }
        #expect(banks.begin("slow"))
        for _ in 0..<2 {
            let pauses = [pause(), pause()]
            #expect(pauses[0] >= .milliseconds(950) && pauses[0] < .milliseconds(1_900))
            #expect(pauses[1] >= .milliseconds(1_950))
            // After a success the pauses start again with the shortest.
            banks.end("slow", hasFailed: false)
            #expect(banks.begin("slow"))
        }
    }

    @Test("A pausing bank does not count against the limit")
    func restingTakesNoPlace() {
        let now = ContinuousClock.now
        let banks = BusyBanks(limit: 1) { now }
        #expect(banks.begin("slow"))
        banks.end("slow", hasFailed: true)
        #expect(!banks.begin("slow"))
        #expect(banks.begin("quick"))
    }
}
