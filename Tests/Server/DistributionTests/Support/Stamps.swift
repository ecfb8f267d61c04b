import ServerHarness
import Synchronization

/// Timestamps well inside the tolerance that repeat rarely, so that a cardholder's hashMacs do not repeat.
///
/// None is near the time of the call, which is what a request without a timestamp of its own has.
enum Stamps {
    private static let aheadSeconds = 60..<200
    private static let count = Mutex(0)

    static func next() -> Int {
        let count = count.withLock { count in
            count += 1
            return count
        }
        return TestBank.timestamp(aheadSeconds.lowerBound + count % aheadSeconds.count)
    }
}
