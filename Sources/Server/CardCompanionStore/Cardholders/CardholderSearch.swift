package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Cardholders of a bank whose uniqueIds begin with a text, in their order, from the first one after `after`.
    package func cardholders(
        bankId: Identifier, prefix: String, after: String?, limit: Int
    ) async throws(StoreError) -> [CardholderRecord] {
        try await statements.execute(
            SearchCardholders(bankId: bankId, prefix: prefix, after: after ?? "", limit: Int32(clamping: limit)))
    }
}

private struct SearchCardholders: PostgresStatement {
    typealias Row = CardholderRecord

    let bankId: Identifier
    let prefix: String
    let after: String
    let limit: Int32

    // With the last character of Unicode after the prefix, the index finds its end.
    static let sql = """
        \(CardholderRecord.selection)
        WHERE bank_id = $1 AND unique_id > $2::identifier AND unique_id >= $3::identifier
            AND unique_id < ($3 || chr(1114111))::identifier AND starts_with(unique_id, $3)
        ORDER BY unique_id LIMIT $4
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, after, prefix, limit)
    }
}
