internal import Foundation

/// A value behind a lock. (`Mutex` needs iOS 18.)
final class Locked<Value: Sendable>: @unchecked Sendable {
    // Only 'withLock' reads and writes the value.
    private var value: Value
    private let lock = NSLock()

    init(_ value: Value) {
        self.value = value
    }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
