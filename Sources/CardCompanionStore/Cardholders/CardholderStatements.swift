internal import PostgresLibPQ

/// How the writing of a cardholder ended.
package enum WriteOutcome: Sendable, Equatable {
    case created(version: Int64)
    case replaced(version: Int64)
    /// The cardholder is already as the change wants it.
    case unchanged(version: Int64)
    /// There is no such cardholder, and the change cannot create one.
    case absent
    case preconditionFailed
}

/// How the deletion of a cardholder ended.
package enum DeleteOutcome: String, StoredEnumeration {
    case deleted
    case absent
    case preconditionFailed = "precondition-failed"
}

/// What may be shown of a cardholder: nothing secret, sealed or not.
package struct CardholderRecord: Sendable {
    package let uniqueId: Identifier
    package let status: CardholderStatus
    package let channels: [Channel]
    package let hasAuthenticationCode: Bool
    /// How many wrong codes in a row.
    package let authenticationFailures: Int
    package let hasPIN: Bool
    /// When an unconfirmed PIN is erased.
    package let pinExpiresAt: Timestamp?
    /// When a delivery of this PIN was last confirmed.
    package let deliveredAt: Timestamp?
    /// How many fetches since the last confirmed delivery.
    package let unconfirmedFetches: Int
    /// Empty if the cardholder is not locked.
    package let locks: [CardholderLock]
    package let hasFreeField: Bool
    /// Grows with every change by the bank or an operator.
    package let version: Int64
    package let createdAt: Timestamp
    /// When the bank or an operator last changed the cardholder.
    package let updatedAt: Timestamp
}

extension Store {
    package func writeCardholder(
        bankId: Identifier, uniqueId: Identifier, _ change: CardholderChange,
        if precondition: VersionPrecondition = .none,
        now: Timestamp
    ) async throws(StoreError) -> WriteOutcome {
        try await statements.executeForOneRow(
            WriteCardholder(
                bankId: bankId, uniqueId: uniqueId, change: change, precondition: precondition, now: now))
    }

    /// Changes a cardholder, and reads them after the change, in one transaction.
    package func changeCardholder(
        bankId: Identifier, uniqueId: Identifier, _ change: CardholderChange, if precondition: VersionPrecondition,
        now: Timestamp
    ) async throws(StoreError) -> (outcome: WriteOutcome, cardholder: CardholderRecord?) {
        let write = WriteCardholder(
            bankId: bankId, uniqueId: uniqueId, change: change, precondition: precondition, now: now)
        let (outcomes, records) = try await statements.batch(
            write, SelectCardholder(bankId: bankId, uniqueId: uniqueId))
        guard let outcome = outcomes.first else { throw .refused(reason: "write_cardholder returned no row") }
        return (outcome, records.first)
    }

    /// Erases a cardholder and everything that is stored about them.
    package func deleteCardholder(
        bankId: Identifier, uniqueId: Identifier, if precondition: VersionPrecondition
    ) async throws(StoreError) -> DeleteOutcome {
        try await statements.executeForOneRow(
            DeleteCardholder(bankId: bankId, uniqueId: uniqueId, precondition: precondition))
    }

    package func cardholder(
        bankId: Identifier, uniqueId: Identifier
    ) async throws(StoreError) -> CardholderRecord? {
        try await statements.execute(SelectCardholder(bankId: bankId, uniqueId: uniqueId)).first
    }
}

private struct WriteCardholder: PostgresStatement {
    let bankId: Identifier
    let uniqueId: Identifier
    let change: CardholderChange
    let precondition: VersionPrecondition
    let now: Timestamp

    static let sql = """
        SELECT outcome, version FROM write_cardholder(
            p_now => $1, p_bank_id => $2, p_unique_id => $3, p_may_create => $4, p_status => $5, p_channels => $6,
            p_sets_code => $7, p_code_mac => $8, p_sets_pin => $9, p_sealed_pin => $10, p_sets_free_field => $11,
            p_sealed_free_field => $12, p_unlocks => $13, p_provision_mac => $14, p_if_version => $15,
            p_must_exist => $16, p_must_not_exist => $17)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, bankId, uniqueId, change.provisionMAC != nil, change.status, change.channels?.map(\.rawValue),
            change.codeMAC.isChanged, change.codeMAC.value, change.sealedPIN.isChanged, change.sealedPIN.value,
            change.sealedFreeField.isChanged, change.sealedFreeField.value, change.unlocks, change.provisionMAC,
            precondition.version, precondition == .exists, precondition == .isAbsent)
    }

    private enum Label: String, StoredEnumeration {
        case created, replaced, unchanged, absent
        case preconditionFailed = "precondition-failed"
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> WriteOutcome {
        switch try row.decode(0, as: Label.self) {
        case .created: .created(version: try row.decode(1))
        case .replaced: .replaced(version: try row.decode(1))
        case .unchanged: .unchanged(version: try row.decode(1))
        case .absent: .absent
        case .preconditionFailed: .preconditionFailed
        }
    }
}

private struct DeleteCardholder: PostgresStatement {
    typealias Row = DeleteOutcome

    let bankId: Identifier
    let uniqueId: Identifier
    let precondition: VersionPrecondition

    static let sql = """
        SELECT delete_cardholder(
            p_bank_id => $1, p_unique_id => $2, p_if_version => $3, p_must_not_exist => $4)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, uniqueId, precondition.version, precondition == .isAbsent)
    }
}

private struct SelectCardholder: PostgresStatement {
    let bankId: Identifier
    let uniqueId: Identifier

    static let sql = """
        SELECT unique_id, holder.status, channels, code_mac IS NOT NULL, authentication_failures,
            sealed_pin IS NOT NULL, pin_expires_at, delivered_at, unconfirmed_fetches, sealed_free_field IS NOT NULL,
            version, holder.created_at, updated_at, cardholder_locks(p_holder => holder, p_bank => bank)
        FROM cardholder AS holder JOIN bank USING (bank_id) WHERE bank_id = $1 AND unique_id = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, uniqueId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> CardholderRecord {
        CardholderRecord(
            uniqueId: try row.decode(0), status: try row.decode(1),
            channels: try row.decode(2, as: [String].self).compactMap(Channel.init(rawValue:)),
            hasAuthenticationCode: try row.decode(3), authenticationFailures: try row.decode(4),
            hasPIN: try row.decode(5), pinExpiresAt: try row.decode(6), deliveredAt: try row.decode(7),
            unconfirmedFetches: try row.decode(8),
            locks: try row.decode(13, as: [String].self).compactMap(CardholderLock.init(rawValue:)),
            hasFreeField: try row.decode(9), version: try row.decode(10), createdAt: try row.decode(11),
            updatedAt: try row.decode(12))
    }
}
