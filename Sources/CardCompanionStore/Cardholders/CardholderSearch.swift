internal import PostgresLibPQ

/// Which cardholders an operator looks for.
package struct CardholderFilter: Sendable {
    /// Only uniqueIds that begin so; empty for all.
    package var prefix = ""
    package var status: CardholderStatus?
    /// Only cardholders who are locked.
    package var isLocked = false

    package init() {}
}

extension Store {
    /// Cardholders of a bank that a filter lets through, in the order of their uniqueIds, from the first one after `after`.
    package func cardholders(
        bankId: Identifier, _ filter: CardholderFilter, after: String?, limit: Int
    ) async throws(StoreError) -> [CardholderRecord] {
        try await statements.execute(
            SearchCardholders(bankId: bankId, filter: filter, after: after ?? "", limit: Int32(clamping: limit)))
    }
}

private struct SearchCardholders: PostgresStatement {
    typealias Row = CardholderRecord

    let bankId: Identifier
    let filter: CardholderFilter
    let after: String
    let limit: Int32

    // With the last character of Unicode after the prefix, the index finds its end.
    static let sql = """
        \(CardholderRecord.selection)
        WHERE bank_id = $1 AND unique_id > $2::identifier AND unique_id >= $3::identifier
            AND unique_id < ($3 || chr(1114111))::identifier AND starts_with(unique_id, $3)
            AND ($4::text IS NULL OR holder.status = $4)
            AND (NOT $5 OR cardholder_locks(p_holder => holder, p_bank => bank) <> '{}')
        ORDER BY unique_id LIMIT $6
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, after, filter.prefix, filter.status, filter.isLocked, limit)
    }
}
