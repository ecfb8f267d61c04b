package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// What the call with this key did; nil if there was none. The functions that serve such calls keep it, in the
    /// transaction of the change.
    package func idempotentAnswer(
        bankId: Identifier, key: String, now: Timestamp
    ) async throws(StoreError) -> IdempotentAnswer? {
        try await statements.execute(SelectIdempotentAnswer(bankId: bankId, key: key, now: now)).first
    }
}

private struct SelectIdempotentAnswer: PostgresStatement {
    let bankId: Identifier
    let key: String
    let now: Timestamp

    static let sql = """
        SELECT request_mac, answer, outcome, version, pin FROM idempotent_answer
        WHERE bank_id = $1 AND idempotency_key = $2 AND expires_at > $3
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, key, now)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> IdempotentAnswer {
        let (mac, answer): ([UInt8], String?) = (try row.next(), try row.next())
        if let answer { return IdempotentAnswer(mac: mac, result: .exported(answer)) }
        let written = WrittenCardholder(effect: try row.next(), version: try row.next(), pin: try row.next())
        return IdempotentAnswer(mac: mac, result: .written(written))
    }
}
