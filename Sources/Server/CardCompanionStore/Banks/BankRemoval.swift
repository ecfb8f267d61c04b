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
    case panBinding
    case pinExportCount

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
        case .panBinding: "pan_binding"
        case .pinExportCount: "pin_export_count"
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
        if table == .cardholder { return try await removeCardholders(bankId: bankId, limit: limit) }
        // Each statement checks the bank, because someone may have enabled it again.
        return try await statements.execute(
            """
            DELETE FROM \(sql: table.sql) WHERE bank_id = \(bankId) AND ctid = ANY (ARRAY(
                SELECT ctid FROM \(sql: table.sql) WHERE bank_id = \(bankId)
                    AND NOT EXISTS (SELECT FROM bank WHERE bank_id = \(bankId) AND status <> 'DISABLED')
                LIMIT \(limit)))
            """, function: "removeRows of \(table.name)")
    }

    /// The audit trail says which rows are gone.
    private func removeCardholders(bankId: Identifier, limit: Int) async throws(StoreError) -> Int {
        let work = AuditNote.ofWork
        return try await statements.row(
            """
            WITH due AS (
                SELECT unique_id FROM cardholder WHERE bank_id = \(bankId)
                    AND NOT EXISTS (SELECT FROM bank WHERE bank_id = \(bankId) AND status <> 'DISABLED')
                LIMIT \(limit) FOR UPDATE
            ), gone_pass AS (
                DELETE FROM identity_pass USING due
                WHERE identity_pass.bank_id = \(bankId) AND identity_pass.unique_id = due.unique_id
                RETURNING removed_pass(p_row => identity_pass) AS change
            ), gone AS (
                DELETE FROM cardholder USING due
                WHERE cardholder.bank_id = \(bankId) AND cardholder.unique_id = due.unique_id
                RETURNING changed_cardholder(p_before => cardholder, p_after => NULL) AS change
            )
            SELECT (SELECT count(*) FROM gone),
                CASE WHEN EXISTS (SELECT FROM gone) THEN append_audit(
                    p_now => clock_timestamp(), p_operation => \(work.operation),
                    p_outcome => \(AuditWords.word(for: "removeRows")), p_bank_id => \(bankId), p_subject => NULL,
                    p_actor => \(work.actor), p_detail => (SELECT count(*) FROM gone) || ' cardholders',
                    p_rows => (SELECT string_agg(change, '') FROM (
                        SELECT change FROM gone_pass UNION ALL SELECT change FROM gone) AS gone_row)) END
            """)
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
