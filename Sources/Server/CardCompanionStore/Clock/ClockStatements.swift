package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// The time by the database's clock.
    package func clock() async throws(StoreError) -> Timestamp {
        try await statements.executeForOneRow(SelectClock())
    }
}

private struct SelectClock: PostgresStatement {
    typealias Row = Timestamp

    static let sql = "SELECT clock_timestamp()"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Timestamp {
        try row.decode(0)
    }
}
