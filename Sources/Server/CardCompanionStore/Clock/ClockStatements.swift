package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// The time by the database's clock.
    package func clock() async throws(StoreError) -> Timestamp {
        try await statements.row("SELECT clock_timestamp()")
    }
}
