/// A value that the first one who asks has made, and that all others wait for.
public actor Once<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var made: Task<Value, any Error>?

    /// A value that `make` makes.
    public init(_ make: @escaping @Sendable () async throws -> Value) {
        self.make = make
    }

    /// The value.
    public var value: Value {
        get async throws {
            if let made { return try await made.value }
            // Not a child of who asks first: its cancellation must not take the value from the others.
            let task = Task { [make] in try await make() }
            made = task
            return try await task.value
        }
    }
}
