internal import CardCompanionStore
internal import PostgresLibPQ

/// The store, the vault or a queue is out of reach or full: the same request may succeed later.
public struct ServiceUnavailable: Error, CustomStringConvertible {
    /// After how many seconds a client may try again.
    public let retryAfterSeconds: Int
    /// Why, for the log.
    public let description: String

    /// See the members.
    public init(_ reason: String, retryAfterSeconds: Int = 1) {
        description = reason
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// A caller has asked too often.
public struct TooManyRequests: Error {
    /// After how many seconds it may ask again.
    public let retryAfterSeconds: Int
}

extension Store {
    /// Runs one operation of the store, and tells a store that is out of reach from a fault.
    func reaching<Result>(
        _ operation: (Store) async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation(self)
        } catch let error as PostgresError where error.isUnavailable {
            throw ServiceUnavailable("the store is out of reach: \(error)")
        }
    }
}
