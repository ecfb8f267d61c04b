import Cryptography
import Testing

@Suite("Random numbers")
struct SecureRandomTests {
    @Test("Numbers do not repeat, within a generator or among generators, and use all bits")
    func numbers() {
        var seen: Set<UInt64> = []
        var (all, none) = (UInt64.max, UInt64(0))
        for _ in 0..<4 {
            var random = SecureRandomNumbers()
            for _ in 0..<1_000 {
                let number = random.next()
                #expect(seen.insert(number).inserted)
                all &= number
                none |= number
            }
        }
        #expect(all == 0 && none == .max)
    }
}
