import ServerHarness
import Synchronization

/// Timestamps well inside the tolerance that repeat rarely, so that a cardholder's hashMacs do not repeat.
enum Stamps {
    private static let reachSeconds = 200
    private static let count = Mutex(0)

    static func next() -> Int {
        let count = count.withLock { count in
            count += 1
            return count
        }
        return TestBank.timestamp(count % (2 * reachSeconds) - reachSeconds)
    }
}
