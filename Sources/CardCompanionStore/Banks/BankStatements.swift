public import PostgresLibPQ

/// A bank as it is kept.
public struct BankRecord: Sendable, Equatable {
    /// The bank's name in requests: bankId, IdBEL.
    public let id: String
    /// Whether its requests are served.
    public let status: Activity
    /// What the operator has set.
    public var settings: BankSettings
    /// Grows with every change of the bank, its keys or its certificates.
    public let revision: Int64
    /// When it was made.
    public let createdAt: Timestamp
}

extension Store {
    /// Adds a bank.
    ///
    /// - Returns: false where there is one of that id already.
    public func insertBank(
        id: String, settings: BankSettings, now: Timestamp
    ) async throws(PostgresError) -> Bool {
        try await !client.execute(InsertBank(id: id, settings: settings, now: now)).isEmpty
    }

    /// Writes a bank's settings and status, if it still is at the revision that they were read at.
    ///
    /// - Returns: false where it is not.
    public func updateBank(
        id: String, settings: BankSettings, status: Activity, revision: Int64
    ) async throws(PostgresError) -> Bool {
        let statement = UpdateBank(id: id, settings: settings, status: status, revision: revision)
        return try await !client.execute(statement).isEmpty
    }

    /// The bank of that id.
    public func bank(id: String) async throws(PostgresError) -> BankRecord? {
        try await client.execute(SelectBank(id: id)).first
    }

    /// The bank of that id, its keys and its certificates, in one round trip.
    ///
    /// The bank is read first: what changes in between has a later revision, so that the bank's shows as outdated.
    public func bankWithKeys(
        id: String
    ) async throws(PostgresError) -> (BankRecord, [HMACKeyRecord], [CertificateRecord])? {
        let (banks, keys, certificates) = try await client.batch(
            SelectBank(id: id), SelectHMACKeys(bankId: id), SelectCertificates(bankId: id))
        return banks.first.map { ($0, keys, certificates) }
    }

    /// All banks, by id.
    public func banks() async throws(PostgresError) -> [BankRecord] {
        try await client.execute(SelectBanks())
    }

    /// Whether a bank is still at the revision that it was read at.
    public func isCurrent(bankId: String, revision: Int64) async throws(PostgresError) -> Bool {
        try await client.execute(SelectBankRevision(id: bankId)).first == revision
    }
}

private let settingColumns = """
    name, programme, scheme, timestamp_tolerance_seconds, session_lifetime_seconds, retention, reminders,
    undelivered_lifetime_days, retry_limit, fetch_limit, pin_minimum_length, pin_maximum_length, code_alphabet,
    code_minimum_length, code_maximum_length, delivery_format, uniform_errors, definition, definitions_per_day,
    definition_resets_delivery, keypads_per_minute, weak_pin_rules, listed_pins
    """

private struct InsertBank: PostgresStatement {
    typealias Row = String

    let id: String
    let settings: BankSettings
    let now: Timestamp

    static let sql = """
        INSERT INTO bank (id, status, created_at, \(settingColumns))
        VALUES ($1, 'ACTIVE', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            $22, $23, $24, $25)
        ON CONFLICT (id) DO NOTHING
        RETURNING id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
        parameters.append(now)
        settings.bind(&parameters)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private struct UpdateBank: PostgresStatement {
    typealias Row = String

    let id: String
    let settings: BankSettings
    let status: Activity
    let revision: Int64

    static let sql = """
        UPDATE bank SET status = $3, (\(settingColumns)) =
            ($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26)
        WHERE id = $1 AND revision = $2
        RETURNING id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
        parameters.append(revision)
        parameters.append(status.rawValue)
        settings.bind(&parameters)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private struct SelectBank: PostgresStatement {
    let id: String

    static let sql = "SELECT id, status, revision, created_at, \(settingColumns) FROM bank WHERE id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> BankRecord {
        try BankRecord(row)
    }
}

private struct SelectBanks: PostgresStatement {
    static let sql = "SELECT id, status, revision, created_at, \(settingColumns) FROM bank ORDER BY id"

    func bind(_ parameters: inout PostgresParameters) {}

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> BankRecord {
        try BankRecord(row)
    }
}

private struct SelectBankRevision: PostgresStatement {
    let id: String

    static let sql = "SELECT revision FROM bank WHERE id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Int64 {
        try row.decode(0, as: Int64.self)
    }
}

extension BankSettings {
    /// In the order of `settingColumns`.
    fileprivate func bind(_ parameters: inout PostgresParameters) {
        parameters.append(name)
        parameters.append(programme)
        parameters.append(scheme.rawValue)
        parameters.append(Int32(clamping: timestampToleranceSeconds))
        parameters.append(Int32(clamping: sessionLifetimeSeconds))
        parameters.append(retention.rawValue)
        parameters.append(reminders)
        parameters.append(Int32(clamping: undeliveredLifetimeDays))
        parameters.append(Int32(clamping: retryLimit))
        parameters.append(Int32(clamping: fetchLimit))
        parameters.append(Int32(clamping: pinMinimumLength))
        parameters.append(Int32(clamping: pinMaximumLength))
        parameters.append(codeAlphabet.rawValue)
        parameters.append(Int32(clamping: codeMinimumLength))
        parameters.append(Int32(clamping: codeMaximumLength))
        parameters.append(deliveryFormat.rawValue)
        parameters.append(uniformErrors)
        parameters.append(definition)
        parameters.append(Int32(clamping: definitionsPerDay))
        parameters.append(definitionResetsDelivery)
        parameters.append(Int32(clamping: keypadsPerMinute))
        parameters.append(weakPINRules.map(\.rawValue).sorted())
        parameters.append(listedPINs)
    }

    fileprivate init(_ row: borrowing PostgresRow, from first: Int) throws(PostgresError) {
        name = try row.decode(first, as: String.self)
        programme = try row.decode(first + 1, as: String.self)
        scheme = try row.decode(first + 2)
        timestampToleranceSeconds = Int(try row.decode(first + 3, as: Int32.self))
        sessionLifetimeSeconds = Int(try row.decode(first + 4, as: Int32.self))
        retention = try row.decode(first + 5)
        reminders = try row.decode(first + 6, as: Bool.self)
        undeliveredLifetimeDays = Int(try row.decode(first + 7, as: Int32.self))
        retryLimit = Int(try row.decode(first + 8, as: Int32.self))
        fetchLimit = Int(try row.decode(first + 9, as: Int32.self))
        pinMinimumLength = Int(try row.decode(first + 10, as: Int32.self))
        pinMaximumLength = Int(try row.decode(first + 11, as: Int32.self))
        codeAlphabet = try row.decode(first + 12)
        codeMinimumLength = Int(try row.decode(first + 13, as: Int32.self))
        codeMaximumLength = Int(try row.decode(first + 14, as: Int32.self))
        deliveryFormat = try row.decode(first + 15)
        uniformErrors = try row.decode(first + 16, as: Bool.self)
        definition = try row.decode(first + 17, as: Bool.self)
        definitionsPerDay = Int(try row.decode(first + 18, as: Int32.self))
        definitionResetsDelivery = try row.decode(first + 19, as: Bool.self)
        keypadsPerMinute = Int(try row.decode(first + 20, as: Int32.self))
        weakPINRules = Set(try row.decode(first + 21, as: [String].self).compactMap(WeakPINRule.init(rawValue:)))
        listedPINs = try row.decode(first + 22, as: [String].self)
    }
}

extension BankRecord {
    fileprivate init(_ row: borrowing PostgresRow) throws(PostgresError) {
        id = try row.decode(0, as: String.self)
        status = try row.decode(1)
        revision = try row.decode(2, as: Int64.self)
        createdAt = try row.decode(3, as: Timestamp.self)
        settings = try BankSettings(row, from: 4)
    }
}
