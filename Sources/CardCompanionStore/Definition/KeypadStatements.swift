internal import PostgresLibPQ

/// A stored keypad.
package struct KeypadRecord: Sendable {
    /// keypadId.
    package let id: String
    /// The digit at each place, sealed.
    package let sealedLayout: [UInt8]

    package init(id: String, sealedLayout: [UInt8]) {
        self.id = id
        self.sealedLayout = sealedLayout
    }
}

/// How a request for a keypad ended.
package enum KeypadOutcome: Sendable {
    /// The bank has changed since it was read. Nothing was written.
    case stale
    case noCardholder
    case statusNotSatisfied
    /// The cardholder has reached the limit per minute.
    case tooMany(retryAfterSeconds: Int)
    /// The keypad is stored. `displaced` keypads were deleted although they had not expired.
    case made(displaced: Int)
}

extension Store {
    /// Stores a keypad for a cardholder, and keeps the newest `kept` of them.
    package func makeKeypad(
        _ keypad: KeypadRecord, bankId: Identifier, bankRevision: Int64, uniqueId: Identifier, expiresAt: Timestamp,
        kept: Int, now: Timestamp
    ) async throws(StoreError) -> KeypadOutcome {
        try await statements.executeForOneRow(
            MakeKeypad(
                keypad: keypad, bankId: bankId, bankRevision: bankRevision, uniqueId: uniqueId, expiresAt: expiresAt,
                kept: Int32(clamping: kept), now: now))
    }

    /// The cardholder's keypad of that id, or the newest one if `id` is nil; nil if it has expired.
    package func keypad(
        id: String?, bankId: Identifier, uniqueId: Identifier, now: Timestamp
    ) async throws(StoreError) -> KeypadRecord? {
        try await statements.execute(SelectKeypad(id: id, bankId: bankId, uniqueId: uniqueId, now: now)).first
    }
}

private struct MakeKeypad: PostgresStatement {
    let keypad: KeypadRecord
    let bankId: Identifier
    let bankRevision: Int64
    let uniqueId: Identifier
    let expiresAt: Timestamp
    let kept: Int32
    let now: Timestamp

    static let sql = """
        SELECT outcome, retry_after, displaced FROM make_keypad(
            p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_keypad_id => $5,
            p_sealed_layout => $6, p_expires_at => $7, p_kept => $8)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, bankId, bankRevision, uniqueId, keypad.id, keypad.sealedLayout, expiresAt, kept)
    }

    private enum Label: String, StoredEnumeration {
        case stale
        case noCardholder = "no-cardholder"
        case statusNotSatisfied = "status-not-satisfied"
        case tooMany = "too-many"
        case made
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> KeypadOutcome {
        switch try row.decode(0, as: Label.self) {
        case .stale: .stale
        case .noCardholder: .noCardholder
        case .statusNotSatisfied: .statusNotSatisfied
        case .tooMany: .tooMany(retryAfterSeconds: try row.decode(1))
        case .made: .made(displaced: try row.decode(2))
        }
    }
}

private struct SelectKeypad: PostgresStatement {
    let id: String?
    let bankId: Identifier
    let uniqueId: Identifier
    let now: Timestamp

    static let sql = """
        SELECT keypad_id, sealed_layout FROM keypad
        WHERE bank_id = $1 AND unique_id = $2 AND expires_at > $3 AND keypad_id = coalesce($4, keypad_id)
        ORDER BY made_at DESC, keypad_id LIMIT 1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, uniqueId, now, id)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> KeypadRecord {
        KeypadRecord(id: try row.decode(0), sealedLayout: try row.decode(1))
    }
}
