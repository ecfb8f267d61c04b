import Testing

@testable import CardCompanion

@Suite("Banks that are told")
struct ActiveBanksTests {
    @Test("A bank is told by one task at a time, and no more banks at once than there may be")
    func limit() {
        let banks = ActiveBanks(limit: 2)
        #expect(banks.begin("a"))
        #expect(!banks.begin("a"))
        #expect(banks.begin("b"))
        #expect(!banks.begin("c"))
        banks.end("a", hasFailed: false)
        #expect(banks.begin("c"))
        #expect(!banks.begin("a"))
    }

    @Test(
        "A bank that took nothing is left in peace for a while, the longer the oftener; one that took something is not")
    func rest() async throws {
        let banks = ActiveBanks(limit: 8)
        var pauses: [Duration] = []
        for _ in 0..<2 {
            #expect(banks.begin("slow"))
            banks.end("slow", hasFailed: true)
            let begin = ContinuousClock.now
            while !banks.begin("slow") { try await Task.sleep(for: .milliseconds(10)) }
            pauses.append(ContinuousClock.now - begin)
            banks.end("slow", hasFailed: true)
            let second = ContinuousClock.now
            while !banks.begin("slow") { try await Task.sleep(for: .milliseconds(10)) }
            pauses.append(ContinuousClock.now - second)
            banks.end("slow", hasFailed: false)
        }
        #expect(pauses[0] >= .milliseconds(950) && pauses[1] >= .milliseconds(1950))
        // Having taken something it begins anew.
        #expect(pauses[2] >= .milliseconds(950) && pauses[3] >= .milliseconds(1950))
        #expect(banks.begin("slow"))
    }

    @Test("A resting bank takes no place from the others")
    func restingTakesNoPlace() {
        let banks = ActiveBanks(limit: 1)
        #expect(banks.begin("slow"))
        banks.end("slow", hasFailed: true)
        #expect(!banks.begin("slow"))
        #expect(banks.begin("quick"))
    }
}
