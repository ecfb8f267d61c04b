/// Waits until a condition is true.
///
/// - Throws: ``NeverHappened`` after `seconds`.
package func eventually(
    _ what: String, within seconds: Int = 90, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw NeverHappened(description: "never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(50))
    }
}

/// A test waited for something in vain.
package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
}
