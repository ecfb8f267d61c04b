import Testing

@testable import PostgresLibPQ

@Suite struct PostgresErrorTests {
    private func error(_ state: SQLState, _ message: String) -> PostgresError {
        PostgresError(
            .server(state),
            server: ServerReport(
                sqlState: state, message: message, detail: "Key (a)=(secret) exists.", hint: "secret",
                table: "things", column: "a", constraint: "things_key", position: 7))
    }

    @Test(arguments: [SQLState.uniqueViolation, .invalidTextRepresentation, SQLState(rawValue: "P0001")])
    func `a message that can quote a value is not in the description`(state: SQLState) {
        let error = error(state, "invalid value \"secret\"")
        #expect(!error.description.contains("secret"))
        #expect(error.description.contains("things_key"))
        #expect(error.description.contains(state.rawValue))
        #expect(error.message == "invalid value \"secret\"")
    }

    @Test func `a message that names tables and states is in the description`() {
        let error = error(.undefinedTable, "relation \"x\" does not exist")
        #expect(
            error.description == """
                server(42P01), table things, column a, constraint things_key, position 7, \
                relation "x" does not exist
                """)
    }

    @Test func `isUnavailable is true for outages and overload only`() {
        for code: PostgresError.Code in [
            .connectionLost, .cannotConnect, .acquireTimeout, .tooManyWaiters, .shutDown, .statementTimeout,
            .server(.tooManyConnections), .server(.cannotConnectNow), .server(.readOnlySQLTransaction),
        ] { #expect(PostgresError(code).isUnavailable) }
        for code: PostgresError.Code in [
            .cancelled, .decoding, .server(.uniqueViolation), .server(.serializationFailure), .leaseEnded,
            .invalidConfiguration,
        ] { #expect(!PostgresError(code).isUnavailable) }
    }

    @Test func `isRetryable is true only if the statement had no effect`() {
        for code: PostgresError.Code in [
            .cannotConnect, .acquireTimeout, .tooManyWaiters, .server(.serializationFailure),
            .server(.deadlockDetected), .server(.lockNotAvailable),
        ] { #expect(PostgresError(code).isRetryable) }
        for code: PostgresError.Code in [.connectionLost, .cancelled, .server(.uniqueViolation), .shutDown] {
            #expect(!PostgresError(code).isRetryable)
        }
    }

    @Test func `the class of a SQLSTATE is its first two characters`() {
        #expect(SQLState.uniqueViolation.class == "23")
        #expect(SQLState(rawValue: "23505") == .uniqueViolation)
    }
}
