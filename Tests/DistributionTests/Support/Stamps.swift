import ServerHarness
import Synchronization

/// Timestamps inside the window of which no two are equal, so that hashMacs of one cardholder are not equal either.
enum Stamps {
    private static let count = Mutex(0)

    static func next() -> Int {
        let count = count.withLock { count in
            count += 1
            return count
        }
        return TestBank.timestamp() - 250 + count % 500
    }
}
