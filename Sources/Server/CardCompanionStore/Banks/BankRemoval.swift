package import CardCompanionModel
internal import PostgresLibPQ

/// The tables whose rows belong to a bank without a foreign key, in the order in which they are emptied.
package enum BankTable: CaseIterable, Sendable {
    case webhookDelivery
    case definedPIN
    case event
    case eventFeed
    case deliverySession
    case pinExpiry
    case idempotentAnswer
    case importLine
    case cardholder
    case spentProof
    case spentTransaction

    /// The table's name.
    package var name: String { "\(sql)" }

    fileprivate var sql: SQLText {
        switch self {
        case .webhookDelivery: "webhook_delivery"
        case .definedPIN: "defined_pin"
        case .event: "event"
        case .eventFeed: "event_feed"
        case .deliverySession: "delivery_session"
        case .pinExpiry: "pin_expiry"
        case .idempotentAnswer: "idempotent_answer"
        case .importLine: "import_line"
        case .cardholder: "cardholder"
        case .spentProof: "spent_proof"
        case .spentTransaction: "spent_transaction"
        }
    }
}

extension Store {
    /// Removes rows of a bank that is disabled or does not exist.
    ///
    /// - Returns: how many; fewer than `limit` if there are no more.
    package func removeRows(
        of table: BankTable, bankId: Identifier, limit: Int
    ) async throws(StoreError) -> Int {
        // Each statement checks the bank, because someone may have enabled it again.
        try await statements.execute(
            """
            DELETE FROM \(sql: table.sql) WHERE bank_id = \(bankId) AND ctid = ANY (ARRAY(
                SELECT ctid FROM \(sql: table.sql) WHERE bank_id = \(bankId)
                    AND NOT EXISTS (SELECT FROM bank WHERE bank_id = \(bankId) AND status <> 'DISABLED')
                LIMIT \(limit)))
            """, function: "removeRows of \(table.name)")
    }

    /// Removes a bank with its settings, keys, certificates and webhook, if it is disabled.
    ///
    /// - Returns: false if it does not exist, or is not disabled.
    package func removeBank(id: Identifier) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            WITH removed AS (
                DELETE FROM bank WHERE bank_id = \(id) AND status = 'DISABLED' RETURNING bank_id
            ), lists AS (
                DELETE FROM trust_revocation_list USING removed WHERE scope = bank_id
            ), list AS (
                DELETE FROM trust_list USING removed WHERE scope = bank_id
            ), inventory AS (
                DELETE FROM bank_inventory USING removed WHERE bank_inventory.bank_id = removed.bank_id
            )
            SELECT FROM removed
            """) == 1
    }
}
