public import PostgresLibPQ

/// A keypad as it is kept.
public struct KeypadRecord: Sendable {
    /// keypadId.
    public let id: String
    /// Which digit stands at each place, sealed.
    public let sealedLayout: [UInt8]

    /// A keypad to be kept.
    public init(id: String, sealedLayout: [UInt8]) {
        self.id = id
        self.sealedLayout = sealedLayout
    }
}

/// How the asking for a keypad went.
public enum KeypadOutcome: Sendable {
    /// The bank has changed since it was read; nothing was written.
    case stale
    case noCardholder
    case statusNotSatisfied
    /// The cardholder has asked too often.
    case tooMany(retryAfterSeconds: Int)
    /// It is kept; so many live ones had to go for it.
    case made(displaced: Int)
}

extension Store {
    /// Keeps a keypad for a cardholder, and of the older ones the newest, so that there are `kept` at the most.
    public func makeKeypad(
        _ keypad: KeypadRecord, bankId: String, bankRevision: Int64, uniqueId: String, expiresAt: Timestamp, kept: Int,
        now: Timestamp
    ) async throws(PostgresError) -> KeypadOutcome {
        try await client.executeForOneRow(
            MakeKeypad(
                keypad: keypad, bankId: bankId, bankRevision: bankRevision, uniqueId: uniqueId, expiresAt: expiresAt,
                kept: Int32(clamping: kept), now: now))
    }

    /// The live keypad of that id, or the cardholder's newest where `id` is nil.
    public func keypad(
        id: String?, bankId: String, uniqueId: String, now: Timestamp
    ) async throws(PostgresError) -> KeypadRecord? {
        try await client.execute(SelectKeypad(id: id, bankId: bankId, uniqueId: uniqueId, now: now)).first
    }
}

private struct MakeKeypad: PostgresStatement {
    let keypad: KeypadRecord
    let bankId: String
    let bankRevision: Int64
    let uniqueId: String
    let expiresAt: Timestamp
    let kept: Int32
    let now: Timestamp

    static let sql = """
        SELECT outcome, retry_after, displaced FROM make_keypad($1, $2, $3, $4, $5, $6, $7, $8)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(bankId)
        parameters.append(bankRevision)
        parameters.append(uniqueId)
        parameters.append(keypad.id)
        parameters.append(keypad.sealedLayout)
        parameters.append(expiresAt)
        parameters.append(kept)
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
        case .tooMany: .tooMany(retryAfterSeconds: Int(try row.decode(1, as: Int32.self)))
        case .made: .made(displaced: Int(try row.decode(2, as: Int32.self)))
        }
    }
}

private struct SelectKeypad: PostgresStatement {
    let id: String?
    let bankId: String
    let uniqueId: String
    let now: Timestamp

    static let sql = """
        SELECT id, sealed_layout FROM keypad
        WHERE bank_id = $1 AND unique_id = $2 AND expires_at > $3 AND id = coalesce($4, id)
        ORDER BY made_at DESC, id LIMIT 1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
        parameters.append(now)
        parameters.append(id)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> KeypadRecord {
        KeypadRecord(id: try row.decode(0, as: String.self), sealedLayout: try row.decode(1, as: [UInt8].self))
    }
}
