internal import PostgresLibPQ

/// How a definition ended, in the order of the checks.
package enum DefinitionOutcome: String, StoredEnumeration {
    /// The bank has changed since the caller was authenticated. Nothing was written.
    case stale
    /// The choice had been refused before. The token is spent.
    case refused
    case transactionSpent = "transaction-spent"
    case hmacSpent = "hmac-spent"
    case noCardholder = "no-cardholder"
    case statusNotSatisfied = "status-not-satisfied"
    case noKeypad = "no-keypad"
    case badPIN = "bad-pin"
    case defined
}

extension Store {
    /// Does everything of a definition that must be atomic: spends its id, checks the cardholder, uses up the keypad, and
    /// replaces the PIN.
    package func definePIN(
        _ definition: AuthorizedDefinition, now: Timestamp
    ) async throws(StoreError) -> DefinitionOutcome {
        try await statements.executeForOneRow(DefinePIN(definition: definition, now: now))
    }
}

private struct DefinePIN: PostgresStatement {
    typealias Row = DefinitionOutcome

    let definition: AuthorizedDefinition
    let now: Timestamp

    static let sql = """
        SELECT define_pin(
            p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_transaction_digest => $5,
            p_transaction_expires_at => $6, p_hmac_digest => $7, p_hmac_expires_at => $8, p_choice => $9,
            p_keypad_id => $10, p_sealed_pin => $11, p_pin_for_bank => $12)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, definition.bankId, definition.bankRevision, definition.uniqueId)
        switch definition.proof {
        case .token(let transaction, let expiresAt):
            parameters.append(transaction.bytes, expiresAt, [UInt8]?.none, Timestamp?.none)
        case .hmac(let hmac, let expiresAt):
            parameters.append([UInt8]?.none, Timestamp?.none, hmac.bytes, expiresAt)
        }
        let (choice, keypadId, pin): (String, String?, AuthorizedDefinition.DefinedPIN?) =
            switch definition.choice {
            case .refused: ("refused", nil, nil)
            case .digits(let pin): ("digits", nil, pin)
            case .indexes(let keypadId, let pin): ("indexes", keypadId, pin)
            }
        parameters.append(choice, keypadId, pin?.sealed, pin?.forBank)
    }
}
