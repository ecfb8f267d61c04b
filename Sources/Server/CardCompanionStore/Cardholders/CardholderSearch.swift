package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Cardholders of a bank whose uniqueIds begin with a text, in their order, from the first one after `after`.
    package func cardholders(
        bankId: Identifier, prefix: String, after: String?, limit: Int
    ) async throws(StoreError) -> [CardholderRecord] {
        // With the last character of Unicode after the prefix, the index finds its end.
        try await statements.rows(
            """
            \(sql: CardholderRecord.selection)
            WHERE bank_id = \(bankId) AND unique_id > \(after ?? "")::identifier AND unique_id >= \(prefix)::identifier
                AND unique_id < (\(prefix) || chr(1114111))::identifier AND starts_with(unique_id, \(prefix))
            ORDER BY unique_id LIMIT \(limit)
            """)
    }
}
