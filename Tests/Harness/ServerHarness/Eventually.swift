/// Waits until a condition is true. Between two looks it waits four times as long as the last one took, and 50 ms to 2 s: other
/// tests need the processor too.
///
/// - Throws: ``NeverHappened`` after `seconds`, but not before it has looked five times: a look can wait for other tests.
package func eventually(
    _ what: String, within seconds: Int = 90, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    for looks in 1... {
        let start = ContinuousClock.now
        if try await condition() { return }
        guard ContinuousClock.now < deadline || looks < 5 else {
            throw NeverHappened(description: "never happened: \(what)")
        }
        try await Task.sleep(for: min(.seconds(2), max(.milliseconds(50), start.duration(to: .now) * 4)))
    }
}

/// A test waited for something in vain.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
}
