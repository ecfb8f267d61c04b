import CardCompanionModel
import Testing

@testable import CardCompanion

@Suite("Shares of banks in what is served at once")
struct BankSharesTests {
    private let greedy: Identifier = "GREEDY"
    private let other: Identifier = "OTHER"
    private let third: Identifier = "THIRD"

    /// Takes places while there is room.
    private func fill(
        _ shares: inout BankShares, of bank: Identifier, inFlight: inout Int, limit: Int
    ) {
        while inFlight < limit, shares.hasRoom(for: bank, inFlight: inFlight + 1, limit: limit) {
            shares.take(for: bank)
            inFlight += 1
        }
    }

    @Test("A bank that is alone leaves room for another one")
    func alone() {
        var (shares, inFlight) = (BankShares(), 0)
        fill(&shares, of: greedy, inFlight: &inFlight, limit: 100)
        #expect(inFlight == BankShares.excessPercent)
    }

    @Test("What a bank has taken beyond its share goes to others as it becomes free, until all have their share")
    func others() {
        var (shares, inFlight) = (BankShares(), 0)
        fill(&shares, of: greedy, inFlight: &inFlight, limit: 90)
        #expect(inFlight == 54)
        fill(&shares, of: other, inFlight: &inFlight, limit: 90)
        #expect(inFlight == 84, "the other bank has its share, a third: one more can come")
        #expect(!shares.hasRoom(for: greedy, inFlight: inFlight + 1, limit: 90))
        for _ in 0..<25 {
            shares.release(of: greedy)
            inFlight -= 1
        }
        #expect(!shares.hasRoom(for: other, inFlight: 61, limit: 90), "it has its share")
        #expect(shares.hasRoom(for: greedy, inFlight: 61, limit: 90), "it has a place less than its share")
        #expect(shares.hasRoom(for: third, inFlight: 61, limit: 90))
    }

    @Test("A bank without requests under way takes no part in the shares of the others")
    func gone() {
        var shares = BankShares()
        for _ in 0..<40 { shares.take(for: greedy) }
        shares.take(for: other)
        #expect(!shares.hasRoom(for: greedy, inFlight: 61, limit: 100), "its share is a third")
        shares.release(of: other)
        #expect(shares.hasRoom(for: greedy, inFlight: 61, limit: 100), "its share is a half")
    }

    @Test("However small the limit is, each bank can have a request served")
    func least() {
        var shares = BankShares()
        shares.take(for: greedy)
        #expect(shares.hasRoom(for: other, inFlight: 2, limit: 2))
        #expect(!shares.hasRoom(for: greedy, inFlight: 2, limit: 2))
    }
}
