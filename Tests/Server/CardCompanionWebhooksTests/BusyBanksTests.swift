import CardCompanionModel
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
    func rest() async throws {
        let banks = BusyBanks(limit: 8)
        var pauses: [Duration] = []
        for _ in 0..<2 {
            #expect(banks.begin("slow"))
            let begin = ContinuousClock.now
            banks.end("slow", hasFailed: true)
            while !banks.begin("slow") { try await Task.sleep(for: .milliseconds(10)) }
            pauses.append(ContinuousClock.now - begin)
            let second = ContinuousClock.now
            banks.end("slow", hasFailed: true)
            while !banks.begin("slow") { try await Task.sleep(for: .milliseconds(10)) }
            pauses.append(ContinuousClock.now - second)
            banks.end("slow", hasFailed: false)
        }
        #expect(pauses[0] >= .milliseconds(950) && pauses[1] >= .milliseconds(1950))
        // After a success the pauses start again with the shortest.
        #expect(pauses[2] >= .milliseconds(950) && pauses[3] >= .milliseconds(1950))
        #expect(banks.begin("slow"))
    }

    @Test("A pausing bank does not count against the limit")
    func restingTakesNoPlace() {
        let banks = BusyBanks(limit: 1)
        #expect(banks.begin("slow"))
        banks.end("slow", hasFailed: true)
        #expect(!banks.begin("slow"))
        #expect(banks.begin("quick"))
    }
}
