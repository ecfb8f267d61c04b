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
    /// A MAC of the text that they were provisioned from: the same again changes nothing.
    public var provisionMAC: [UInt8]

    /// See the members.
    public init(
        uniqueId: String, status: CardholderStatus, channels: [Channel], codeMAC: [UInt8]?, sealedPIN: [UInt8]?,
        sealedFreeField: [UInt8]?, provisionMAC: [UInt8]
    ) {
        self.uniqueId = uniqueId
        self.status = status
        self.channels = channels
        self.codeMAC = codeMAC
        self.sealedPIN = sealedPIN
        self.sealedFreeField = sealedFreeField
        self.provisionMAC = provisionMAC
    }
}

/// What a change asks of the cardholder's version: If-Match and If-None-Match (RFC 9110 section 13).
public enum VersionPrecondition: Sendable, Equatable {
    case none
    /// If-Match: *
    case exists
    /// If-None-Match: *
    case isAbsent
    /// If-Match
    case version(Int64)

    var version: Int64? {
        if case .version(let version) = self { version } else { nil }
    }

    /// Whether a cardholder at that version is as the change asks.
    public func isMet(by version: Int64) -> Bool {
        switch self {
        case .none, .exists: true
        case .isAbsent: false
        case .version(let asked): asked == version
        }
    }
}

/// How the creating or replacing of a cardholder went.
public enum PutOutcome: Sendable, Equatable {
    case created(version: Int64)
    case replaced(version: Int64)
    case preconditionFailed
}

/// Changes to a cardholder; what is nil stays.
public struct CardholderPatch: Sendable {
    /// A new free field, sealed, or none.
    public struct FreeField: Sendable {
        /// Nil removes it.
        public let sealed: [UInt8]?

        /// See the member.
        public init(sealed: [UInt8]?) {
            self.sealed = sealed
        }
    }

    /// Whether they may use the service.
    public var status: CardholderStatus?
    /// On which channels.
    public var channels: [Channel]?
    /// The bank's text to the cardholder.
    public var freeField: FreeField?
    /// Lets them try again whom wrong codes or unconfirmed fetches have locked out.
    public var unlocks = false

    /// A patch that changes nothing.
    public init() {}

    /// Whether it changes nothing.
    public var isEmpty: Bool { status == nil && channels == nil && freeField == nil && !unlocks }
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
    /// Grows with every change that bank or operator make.
    public let version: Int64
    /// When the bank first provisioned them.
    public let createdAt: Timestamp
    /// When bank or operator last changed them.
    public let updatedAt: Timestamp
}

extension Store {
    /// Creates or replaces a cardholder.
    public func putCardholder(
        _ cardholder: SealedCardholder, bankId: String, if precondition: VersionPrecondition, now: Timestamp
    ) async throws(PostgresError) -> PutOutcome {
        try await client.executeForOneRow(
            PutCardholder(cardholder: cardholder, bankId: bankId, precondition: precondition, now: now))
    }

    /// Changes parts of a cardholder.
    ///
    /// - Returns: nil where there is no such cardholder at such a version.
    public func patchCardholder(
        bankId: String, uniqueId: String, _ patch: CardholderPatch, if precondition: VersionPrecondition, now: Timestamp
    ) async throws(PostgresError) -> CardholderRecord? {
        let statement = PatchCardholder(
            bankId: bankId, uniqueId: uniqueId, patch: patch, precondition: precondition, now: now)
        return try await client.execute(statement).first
    }

    /// Erases a cardholder and all that was kept of them.
    ///
    /// - Returns: false where there is no such cardholder at such a version.
    public func deleteCardholder(
        bankId: String, uniqueId: String, if precondition: VersionPrecondition
    ) async throws(PostgresError) -> Bool {
        let statement = DeleteCardholder(bankId: bankId, uniqueId: uniqueId, precondition: precondition)
        return try await !client.execute(statement).isEmpty
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

private struct PutCardholder: PostgresStatement {
    let cardholder: SealedCardholder
    let bankId: String
    let precondition: VersionPrecondition
    let now: Timestamp

    static let sql = """
        SELECT outcome, version FROM put_cardholder($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(bankId)
        parameters.append(cardholder.uniqueId)
        parameters.append(cardholder.status.rawValue)
        parameters.append(cardholder.channels.map(\.rawValue))
        parameters.append(cardholder.codeMAC)
        parameters.append(cardholder.sealedPIN)
        parameters.append(cardholder.sealedFreeField)
        parameters.append(cardholder.provisionMAC)
        parameters.append(precondition.version)
        parameters.append(precondition == .exists)
        parameters.append(precondition == .isAbsent)
    }

    private enum Label: String, StoredEnumeration {
        case created, replaced
        case preconditionFailed = "precondition-failed"
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> PutOutcome {
        switch try row.decode(0, as: Label.self) {
        case .created: .created(version: try row.decode(1, as: Int64.self))
        case .replaced: .replaced(version: try row.decode(1, as: Int64.self))
        case .preconditionFailed: .preconditionFailed
        }
    }
}

private struct PatchCardholder: PostgresStatement {
    let bankId: String
    let uniqueId: String
    let patch: CardholderPatch
    let precondition: VersionPrecondition
    let now: Timestamp

    static let sql = """
        UPDATE cardholder SET
            status = coalesce($4, status),
            channels = coalesce($5::text[], channels),
            sealed_free_field = CASE WHEN $6 THEN $7 ELSE sealed_free_field END,
            authentication_failures = CASE WHEN $8 THEN 0 ELSE authentication_failures END,
            unconfirmed_fetches = CASE WHEN $8 THEN 0 ELSE unconfirmed_fetches END,
            -- What they were provisioned from is not what they are any more.
            provision_mac = NULL,
            version = nextval('cardholder_version'),
            updated_at = $9
        WHERE bank_id = $1 AND unique_id = $2 AND version = coalesce($3, version)
        RETURNING \(cardholderColumns)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
        parameters.append(precondition.version)
        parameters.append(patch.status?.rawValue)
        if let channels = patch.channels {
            parameters.append(channels.map(\.rawValue))
        } else {
            parameters.append(String?.none)
        }
        parameters.append(patch.freeField != nil)
        parameters.append(patch.freeField?.sealed)
        parameters.append(patch.unlocks)
        parameters.append(now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> CardholderRecord {
        try CardholderRecord(row)
    }
}

private struct DeleteCardholder: PostgresStatement {
    typealias Row = String

    let bankId: String
    let uniqueId: String
    let precondition: VersionPrecondition

    static let sql = """
        DELETE FROM cardholder WHERE bank_id = $1 AND unique_id = $2 AND version = coalesce($3, version)
        RETURNING unique_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
        parameters.append(precondition.version)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private let cardholderColumns = """
    unique_id, status, channels, code_mac IS NOT NULL, authentication_failures, sealed_pin IS NOT NULL, pin_expires_at,
    delivered_at, unconfirmed_fetches, sealed_free_field IS NOT NULL, version, created_at, updated_at
    """

private struct SelectCardholder: PostgresStatement {
    let bankId: String
    let uniqueId: String

    static let sql = "SELECT \(cardholderColumns) FROM cardholder WHERE bank_id = $1 AND unique_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(uniqueId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> CardholderRecord {
        try CardholderRecord(row)
    }
}

extension CardholderRecord {
    /// In the order of `cardholderColumns`.
    fileprivate init(_ row: borrowing PostgresRow) throws(PostgresError) {
        uniqueId = try row.decode(0, as: String.self)
        status = try row.decode(1)
        channels = try row.decode(2, as: [String].self).compactMap(Channel.init(rawValue:))
        hasAuthenticationCode = try row.decode(3, as: Bool.self)
        authenticationFailures = Int(try row.decode(4, as: Int32.self))
        hasPIN = try row.decode(5, as: Bool.self)
        pinExpiresAt = try row.decode(6, as: Timestamp?.self)
        deliveredAt = try row.decode(7, as: Timestamp?.self)
        unconfirmedFetches = Int(try row.decode(8, as: Int32.self))
        hasFreeField = try row.decode(9, as: Bool.self)
        version = try row.decode(10, as: Int64.self)
        createdAt = try row.decode(11, as: Timestamp.self)
        updatedAt = try row.decode(12, as: Timestamp.self)
    }
}

private struct UnlockCardholder: PostgresStatement {
    typealias Row = String

    let bankId: String
    let uniqueId: String
    let now: Timestamp

    static let sql = """
        UPDATE cardholder
        SET authentication_failures = 0, unconfirmed_fetches = 0, version = nextval('cardholder_version'), updated_at = $3
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
        -- As with a bank's own change: what they were provisioned from is not what they are any more.
        UPDATE cardholder SET status = $3, provision_mac = NULL, version = nextval('cardholder_version'), updated_at = $4
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
