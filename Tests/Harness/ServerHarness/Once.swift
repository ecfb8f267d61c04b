/// A value that is made once, for the first caller. All other callers wait for it.
package actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var made: Task<Value, any Error>?

    /// - Parameter make: makes the value.
    package init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    package var value: Value {
        get async throws {
            if let made { return try await made.value }
            // Not a child task of the first caller: canceling that caller must not cancel the value for the others.
            let task = Task { [make] in try await make() }
            made = task
            return try await task.value
        }
    }
}
