package import CardCompanionModel
internal import PostgresLibPQ

/// The tables whose rows belong to a bank without a foreign key, in the order in which they are emptied.
package enum BankTable: String, CaseIterable, Sendable {
    case webhookDelivery = "webhook_delivery"
    case definedPIN = "defined_pin"
    case event
    case eventFeed = "event_feed"
    case deliverySession = "delivery_session"
    case pinExpiry = "pin_expiry"
    case idempotentAnswer = "idempotent_answer"
    case importLine = "import_line"
    case cardholder
    case spentProof = "spent_proof"
    case spentTransaction = "spent_transaction"
}

extension Store {
    /// Removes rows of a bank that is disabled or does not exist.
    ///
    /// - Returns: how many; fewer than `limit` if there are no more.
    package func removeRows(
        of table: BankTable, bankId: Identifier, limit: Int
    ) async throws(StoreError) -> Int {
        let limit = Int32(clamping: limit)
        return switch table {
        case .webhookDelivery: try await remove(RemoveRows<WebhookDeliveries>(bankId: bankId, limit: limit))
        case .definedPIN: try await remove(RemoveRows<DefinedPINs>(bankId: bankId, limit: limit))
        case .event: try await remove(RemoveRows<Events>(bankId: bankId, limit: limit))
        case .eventFeed: try await remove(RemoveRows<EventFeeds>(bankId: bankId, limit: limit))
        case .deliverySession: try await remove(RemoveRows<DeliverySessions>(bankId: bankId, limit: limit))
        case .pinExpiry: try await remove(RemoveRows<PINExpiries>(bankId: bankId, limit: limit))
        case .idempotentAnswer: try await remove(RemoveRows<IdempotentAnswers>(bankId: bankId, limit: limit))
        case .importLine: try await remove(RemoveRows<ImportLines>(bankId: bankId, limit: limit))
        case .cardholder: try await remove(RemoveRows<Cardholders>(bankId: bankId, limit: limit))
        case .spentProof: try await remove(RemoveRows<SpentProofs>(bankId: bankId, limit: limit))
        case .spentTransaction: try await remove(RemoveRows<SpentTransactions>(bankId: bankId, limit: limit))
        }
    }

    private func remove(_ removal: some PostgresCommand) async throws(StoreError) -> Int {
        try await statements.execute(removal)
    }

    /// Removes a bank with its settings, keys, certificates and webhook, if it is disabled.
    ///
    /// - Returns: false if it does not exist, or is not disabled.
    package func removeBank(id: Identifier) async throws(StoreError) -> Bool {
        try await statements.execute(RemoveBank(id: id)) == 1
    }
}

private protocol OwnedRows: Sendable { static var table: BankTable { get } }
private enum WebhookDeliveries: OwnedRows { static let table = BankTable.webhookDelivery }
private enum DefinedPINs: OwnedRows { static let table = BankTable.definedPIN }
private enum Events: OwnedRows { static let table = BankTable.event }
private enum EventFeeds: OwnedRows { static let table = BankTable.eventFeed }
private enum DeliverySessions: OwnedRows { static let table = BankTable.deliverySession }
private enum PINExpiries: OwnedRows { static let table = BankTable.pinExpiry }
private enum IdempotentAnswers: OwnedRows { static let table = BankTable.idempotentAnswer }
private enum ImportLines: OwnedRows { static let table = BankTable.importLine }
private enum Cardholders: OwnedRows { static let table = BankTable.cardholder }
private enum SpentProofs: OwnedRows { static let table = BankTable.spentProof }
private enum SpentTransactions: OwnedRows { static let table = BankTable.spentTransaction }

/// Each statement checks the bank, because someone may have enabled it again.
private struct RemoveRows<Rows: OwnedRows>: PostgresCommand {
    let bankId: Identifier
    let limit: Int32

    static var sql: String {
        """
        DELETE FROM \(Rows.table.rawValue) WHERE bank_id = $1 AND ctid = ANY (ARRAY(
            SELECT ctid FROM \(Rows.table.rawValue)
            WHERE bank_id = $1 AND NOT EXISTS (SELECT FROM bank WHERE bank_id = $1 AND status <> 'DISABLED') LIMIT $2))
        """
    }

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, limit)
    }
}

private struct RemoveBank: PostgresCommand {
    let id: Identifier

    static let sql = """
        WITH removed AS (
            DELETE FROM bank WHERE bank_id = $1 AND status = 'DISABLED' RETURNING bank_id
        ), lists AS (
            DELETE FROM trust_revocation_list USING removed WHERE scope = bank_id
        ), list AS (
            DELETE FROM trust_list USING removed WHERE scope = bank_id
        )
        SELECT FROM removed
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }
}
