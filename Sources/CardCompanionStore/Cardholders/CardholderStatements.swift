public import PostgresLibPQ

/// Whether a cardholder may use the service.
public enum CardholderStatus: String, StoredEnumeration, CaseIterable {
    case active = "ACTIVE"
    case suspended = "SUSPENDED"
    case closed = "CLOSED"
}

/// A cardholder as a bank provisions them, with what is secret sealed.
public struct SealedCardholder: Sendable {
    /// The bank's name for the cardholder: uniqueId, IdPorteur.
    public var uniqueId: String
    /// Whether they may use the service.
    public var status: CardholderStatus
    /// On which channels.
    public var channels: [Channel]
    /// The authentication code's key id and MAC; nil where there is no code.
    public var codeMAC: [UInt8]?
    /// The PIN; nil where there is none.
    public var sealedPIN: [UInt8]?
    /// The bank's text to the cardholder; nil where there is none.
    public var sealedFreeField: [UInt8]?

    /// See the members.
    public init(
        uniqueId: String, status: CardholderStatus, channels: [Channel], codeMAC: [UInt8]?, sealedPIN: [UInt8]?,
        sealedFreeField: [UInt8]?
    ) {
        self.uniqueId = uniqueId
        self.status = status
        self.channels = channels
        self.codeMAC = codeMAC
        self.sealedPIN = sealedPIN
        self.sealedFreeField = sealedFreeField
    }
}

/// What may be shown of a cardholder: nothing that is secret, sealed or not.
public struct CardholderRecord: Sendable {
    /// The bank's name for the cardholder.
    public let uniqueId: String
    /// Whether they may use the service.
    public let status: CardholderStatus
    /// On which channels.
    public let channels: [Channel]
    /// Whether there is an authentication code.
    public let hasAuthenticationCode: Bool
    /// How many wrong codes came in a row.
    public let authenticationFailures: Int
    /// Whether there is a PIN.
    public let hasPIN: Bool
    /// When a PIN that was never confirmed is erased.
    public let pinExpiresAt: Timestamp?
    /// When a delivery of this PIN was last confirmed.
    public let deliveredAt: Timestamp?
    /// How many fetches came since the last confirmed delivery.
    public let unconfirmedFetches: Int
    /// Whether there is a free field.
    public let hasFreeField: Bool
    /// When the bank first provisioned them.
    public let createdAt: Timestamp
    /// When bank or operator last changed them.
    public let updatedAt: Timestamp
}

extension Store {
    /// Creates or replaces cardholders, all or none.
    ///
    /// - Parameter cardholders: each uniqueId once.
    /// - Returns: the ids of those that are new
    public func putCardholders(
        _ cardholders: [SealedCardholder], bankId: String, now: Timestamp
    ) async throws(PostgresError) -> Set<String> {
        let put = PutCardholders(cardholders: cardholders, bankId: bankId, now: now)
        return Set(try await client.execute(put).filter(\.isNew).map(\.uniqueId))
    }

    /// What may be shown of a cardholder.
    public func cardholder(
        bankId: String, uniqueId: String
    ) async throws(PostgresError) -> CardholderRecord? {
        try await client.execute(SelectCardholder(bankId: bankId, uniqueId: uniqueId)).first
    }

    /// Lets a cardholder try again whom wrong codes or unconfirmed fetches have locked out.
    ///
    /// - Returns: false where there is no such cardholder.
    public func unlockCardholder(
        bankId: String, uniqueId: String, now: Timestamp
    ) async throws(PostgresError) -> Bool {
        try await !client.execute(UnlockCardholder(bankId: bankId, uniqueId: uniqueId, now: now)).isEmpty
    }

    /// Sets a cardholder's status.
    ///
    /// - Returns: false where there is no such cardholder.
    public func setCardholder(
        bankId: String, uniqueId: String, status: CardholderStatus, now: Timestamp
    ) async throws(PostgresError) -> Bool {
        let statement = SetCardholderStatus(bankId: bankId, uniqueId: uniqueId, status: status, now: now)
        return try await !client.execute(statement).isEmpty
    }
}

/// One statement for any number of cardholders: an array a column. An empty array element stands for null.
private struct PutCardholders: PostgresStatement {
    let cardholders: [SealedCardholder]
    let bankId: String
    let now: Timestamp

    static let sql = """
        INSERT INTO cardholder AS old
            (bank_id, unique_id, status, channels, code_mac, sealed_free_field, sealed_pin, pin_serial, pin_expires_at,
            created_at, updated_at)
        SELECT bank.id, new.unique_id, new.status, string_to_array(new.channels, ','), nullif(new.code_mac, ''),
            nullif(new.sealed_free_field, ''), nullif(new.sealed_pin, ''), (new.sealed_pin <> '')::integer,
            CASE WHEN new.sealed_pin <> '' THEN $2 + make_interval(days => bank.undelivered_lifetime_days) END, $2, $2
        FROM bank, unnest($3::text[], $4::text[], $5::text[], $6::bytea[], $7::bytea[], $8::bytea[])
            AS new (unique_id, status, channels, code_mac, sealed_pin, sealed_free_field)
        WHERE bank.id = $1
        -- Every statement locks rows in one order, so that two at once cannot wait for each other.
        ORDER BY new.unique_id
        ON CONFLICT (bank_id, unique_id) DO UPDATE SET
            status = excluded.status,
            channels = excluded.channels,
            code_mac = excluded.code_mac,
            authentication_failures = 0,
            sealed_free_field = excluded.sealed_free_field,
            sealed_pin = excluded.sealed_pin,
            pin_serial = old.pin_serial + excluded.pin_serial,
            pin_expires_at = excluded.pin_expires_at,
            delivered_at = NULL,
            unconfirmed_fetches = 0,
            version = old.version + 1,
            updated_at = excluded.updated_at
        RETURNING unique_id, xmax = 0
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(now)
        parameters.append(cardholders.map(\.uniqueId))
        parameters.append(cardholders.map(\.status.rawValue))
        parameters.append(cardholders.map { $0.channels.map(\.rawValue).joined(separator: ",") })
        parameters.append(cardholders.map { $0.codeMAC ?? [] })
        parameters.append(cardholders.map { $0.sealedPIN ?? [] })
        parameters.append(cardholders.map { $0.sealedFreeField ?? [] })
    }

    struct Row: Sendable {
        let uniqueId: String
        let isNew: Bool
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Row {
        Row(uniqueId: try row.decode(0, as: String.self), isNew: try row.decode(1, as: Bool.self))
    }
}

private struct SelectCardholder: PostgresStatement {
    let bankId: String
    let uniqueId: String

    static let sql = """
        SELECT unique_id, status, channels, code_mac IS NOT NULL, authentication_failures, sealed_pin IS NOT NULL,
            pin_expires_at, delivered_at, unconfirmed_fetches, sealed_free_field IS NOT NULL, created_at, updated_at
        FROM cardholder WHERE bank_id = $1 AND unique_id = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> CardholderRecord {
        CardholderRecord(
            uniqueId: try row.decode(0, as: String.self),
            status: try row.decode(1),
            channels: try row.decode(2, as: [String].self).compactMap(Channel.init(rawValue:)),
            hasAuthenticationCode: try row.decode(3, as: Bool.self),
            authenticationFailures: Int(try row.decode(4, as: Int32.self)),
            hasPIN: try row.decode(5, as: Bool.self),
            pinExpiresAt: try row.decode(6, as: Timestamp?.self),
            deliveredAt: try row.decode(7, as: Timestamp?.self),
            unconfirmedFetches: Int(try row.decode(8, as: Int32.self)),
            hasFreeField: try row.decode(9, as: Bool.self),
            createdAt: try row.decode(10, as: Timestamp.self),
            updatedAt: try row.decode(11, as: Timestamp.self))
    }
}

private struct UnlockCardholder: PostgresStatement {
    typealias Row = String

    let bankId: String
    let uniqueId: String
    let now: Timestamp

    static let sql = """
        UPDATE cardholder
        SET authentication_failures = 0, unconfirmed_fetches = 0, version = version + 1, updated_at = $3
        WHERE bank_id = $1 AND unique_id = $2
        RETURNING unique_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
        parameters.append(now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private struct SetCardholderStatus: PostgresStatement {
    typealias Row = String

    let bankId: String
    let uniqueId: String
    let status: CardholderStatus
    let now: Timestamp

    static let sql = """
        UPDATE cardholder SET status = $3, version = version + 1, updated_at = $4
        WHERE bank_id = $1 AND unique_id = $2
        RETURNING unique_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
        parameters.append(status.rawValue)
        parameters.append(now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}
