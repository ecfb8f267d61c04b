import CardCompanionModel
import Testing

@testable import CardCompanion

@Suite("Limits of look-ups and of a cardholder's requests")
struct LookUpLimitTests {
    private static let rate = TokenBucket.Rate(perSecond: 1, burst: 5)

    @Test("What is found costs nothing; what is not found is looked up only so often")
    func vain() async throws {
        let start = ContinuousClock.now
        let limit = LookUpLimit(Self.rate)
        for _ in 0..<100 { #expect(try await limit.find("names") { 1 } == 1) }
        var count = 0
        for _ in 0..<100 {
            do {
                let found: Int? = try await limit.find("names") {
                    count += 1
                    return nil
                }
                #expect(found == nil)
            } catch let refused as RefusedCaller {
                #expect("\(refused.reason)".contains("names"))
            }
        }
        // Every second has given one more.
        #expect(5...5 + (ContinuousClock.now - start).components.seconds ~= Int64(count))
    }

    @Test("Known document clients are found when unknown ones have used up the limit, until they are gone")
    func knownClients() async throws {
        let clients = KnownClients(lookUps: Self.rate)
        #expect(try await clients.find("known") { 1 } == 1)
        while true {
            do { _ = try await clients.find("made-up") { Int?.none } } catch is RefusedCaller { break }
        }
        for _ in 0..<100 { #expect(try await clients.find("known") { 1 } == 1) }
        #expect(try await clients.find("known") { Int?.none } == nil)
        await #expect(throws: RefusedCaller.self) {
            while true { _ = try await clients.find("known") { Int?.none } }
        }
    }

    @Test("A server remembers a number of document clients, and none that does not exist")
    func rememberedClients() async throws {
        let clients = KnownClients(lookUps: .init(perSecond: 1, burst: 1_000_000))
        for number in 0...KnownClients.capacity { _ = try await clients.find("client \(number)") { 1 } }
        #expect(clients.count == 1)
        for number in 0..<100 { _ = try await clients.find("made-up \(number)") { Int?.none } }
        #expect(clients.count == 1)
    }

    @Test("A gate lets a few requests of a cardholder through at once, and others' requests too")
    func gate() async throws {
        let gate = CardholderGate(limit: 2)
        let (one, other) = (place("one"), place("other"))
        try await gate.pass(one) {
            try await gate.pass(one) {
                await #expect(throws: TooManyRequests.self) { try await gate.pass(one) {} }
                try await gate.pass(other) {}
                try await gate.pass(.session("one")) {}
                try await gate.pass(nil) {}
            }
            try await gate.pass(one) {}
        }
    }

    @Test("A request that fails leaves its place")
    func failed() async throws {
        let gate = CardholderGate(limit: 1)
        for _ in 0..<3 {
            await #expect(throws: CancellationError.self) {
                try await gate.pass(place("one")) { throw CancellationError() }
            }
        }
        try await gate.pass(place("one")) {}
    }

    private func place(_ uniqueId: Identifier) -> CardholderGate.Place {
        .cardholder(bankId: "bank", uniqueId: uniqueId)
    }
}
