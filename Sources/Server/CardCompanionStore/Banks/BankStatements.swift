package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a bank.
    ///
    /// - Returns: false if there is already a bank with that id.
    ///
    /// - Parameter approved: the settings as text, if two operators have approved them.
    package func insertBank(
        id: Identifier, settings: BankSettings, approved: String? = nil, now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await statements.execute(InsertBank(id: id, settings: settings, approved: approved, now: now)) == 1
    }

    /// Writes a bank's settings and status, if the bank still has the revision that was read.
    ///
    /// - Parameter approved: the settings as text, if two operators have approved them; nil leaves what was approved.
    /// - Returns: false if it has another revision.
    package func updateBank(
        id: Identifier, settings: BankSettings, status: Activity, approved: String? = nil, revision: Int64
    ) async throws(StoreError) -> Bool {
        let statement = UpdateBank(
            id: id, settings: settings, status: status, approved: approved, revision: revision)
        return try await statements.execute(statement) == 1
    }

    package func bank(id: Identifier) async throws(StoreError) -> BankRecord? {
        try await statements.execute(SelectBank(id: id)).first
    }

    /// A bank, its keys and its certificates, in one round trip.
    ///
    /// The bank is read first: if the keys change in between, its revision is outdated, and requests detect that.
    package func bankWithKeys(id: Identifier) async throws(StoreError) -> BankWithKeys? {
        let (banks, hmacKeys, pinKeys, certificates) = try await statements.batch(
            SelectBank(id: id), SelectHMACKeys(bankId: id), SelectDefinedPINKey(bankId: id),
            SelectCertificates(bankId: id))
        return banks.first.map {
            BankWithKeys(
                bank: $0, hmacKeys: hmacKeys, definedPINKey: pinKeys.first, certificates: certificates,
                sealsResults: certificates.contains { $0.purpose == .identity })
        }
    }

    package func issuerBank(id: Identifier, now: Timestamp) async throws(StoreError) -> IssuerBank? {
        try await statements.execute(SelectIssuerBank(id: id, now: now)).first
    }

    /// All banks, by id.
    package func banks() async throws(StoreError) -> [BankRecord] {
        try await statements.execute(SelectBanks())
    }

    /// Whether a bank still has the revision that was read.
    package func isCurrent(bankId: Identifier, revision: Int64) async throws(StoreError) -> Bool {
        try await statements.execute(SelectBankRevision(id: bankId)).first == revision
    }
}

private let settingColumns = """
    name, programme, scheme, timestamp_tolerance_seconds, session_lifetime_seconds, retention, reminders,
    undelivered_lifetime_days, retry_limit, fetch_limit, pin_minimum_length, pin_maximum_length, code_alphabet,
    code_minimum_length, code_maximum_length, delivery_format, uniform_errors, sealed_values, check_unique_ids, definition,
    definitions_per_day, definition_resets_delivery, weak_pin_rules, listed_pins, defined_pins, image_style, hints, text_pins,
    defined_pin_key, pin_blocks, identity_check, identity_assurance, identity_lifetime_seconds
    """

private let bankColumns = "bank_id, status, revision, created_at, approved_settings, requests_from, \(settingColumns)"

private struct InsertBank: PostgresCommand {
    let id: Identifier
    let settings: BankSettings
    let approved: String?
    let now: Timestamp

    static let sql = """
        INSERT INTO bank (bank_id, status, created_at, approved_settings, \(settingColumns))
        VALUES ($1, 'ACTIVE', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
            $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36)
        ON CONFLICT (bank_id) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, now, approved)
        settings.bind(&parameters)
    }
}

private struct UpdateBank: PostgresCommand {
    let id: Identifier
    let settings: BankSettings
    let status: Activity
    let approved: String?
    let revision: Int64

    static let sql = """
        UPDATE bank SET status = $3, approved_settings = coalesce($4, approved_settings), (\(settingColumns)) =
            ($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27,
                $28, $29, $30, $31, $32, $33, $34, $35, $36, $37)
        WHERE bank_id = $1 AND revision = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, revision, status, approved)
        settings.bind(&parameters)
    }
}

private struct SelectBank: PostgresStatement {
    typealias Row = BankRecord

    let id: Identifier

    static let sql = "SELECT \(bankColumns) FROM bank WHERE bank_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }
}

private struct SelectBanks: PostgresStatement {
    typealias Row = BankRecord

    static let sql = "SELECT \(bankColumns) FROM bank ORDER BY bank_id"
}

private struct SelectIssuerBank: PostgresStatement {
    let id: Identifier
    let now: Timestamp

    static let sql = "SELECT \(IssuerBank.columns(now: "$2")) FROM bank WHERE bank_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> IssuerBank {
        try IssuerBank(row, from: 0)
    }
}

extension IssuerBank {
    /// Of the table `bank`.
    ///
    /// - Parameter now: the statement's parameter that has the time.
    static func columns(now: String) -> String {
        """
        bank_id, status, pin_minimum_length, pin_maximum_length, code_alphabet, code_minimum_length, code_maximum_length,
        sealed_values, check_unique_ids, pin_blocks,
        ARRAY(
            SELECT fingerprint FROM certificate LEFT JOIN revocation_list AS list USING (bank_id, issuer)
            WHERE bank_id = bank.bank_id AND purpose = 'client' AND status = 'ACTIVE'
                AND (list.next_update IS NULL OR list.next_update > \(now) AND NOT EXISTS (
                    SELECT FROM revoked_certificate AS revoked
                    WHERE (revoked.bank_id, revoked.issuer, revoked.serial)
                        = (certificate.bank_id, certificate.issuer, certificate.serial)))
        ), revision, requests_from
        """
    }

    /// - Parameter first: where ``columns(now:)`` begin in the row.
    init(_ row: borrowing PostgresRow, from first: Int) throws(PostgresError) {
        self.init(
            id: try row.decode(first), revision: try row.decode(first + 11), status: try row.decode(first + 1),
            pinLengths: try row.decode(first + 2)...row.decode(first + 3), codeAlphabet: try row.decode(first + 4),
            codeLengths: try row.decode(first + 5)...row.decode(first + 6), sealedValues: try row.decode(first + 7),
            checksUniqueIds: try row.decode(first + 8),
            pinBlocks: Set(try row.decode(first + 9, as: [String].self).compactMap(PINBlockKind.init(rawValue:))),
            requestsFrom: try row.decode(first + 12), clientCertificates: try row.decode(first + 10))
    }
}

private struct SelectBankRevision: PostgresStatement {
    typealias Row = Int64

    let id: Identifier

    static let sql = "SELECT revision FROM bank WHERE bank_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
    }
}

extension BankSettings {
    /// In the order of `settingColumns`.
    fileprivate func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            name, programme, scheme, Int32(clamping: timestampToleranceSeconds),
            Int32(clamping: sessionLifetimeSeconds), retention, reminders, Int32(clamping: undeliveredLifetimeDays),
            Int32(clamping: retryLimit), Int32(clamping: fetchLimit), Int32(clamping: pinMinimumLength),
            Int32(clamping: pinMaximumLength), codeAlphabet, Int32(clamping: codeMinimumLength),
            Int32(clamping: codeMaximumLength), deliveryFormat, uniformErrors, sealedValues, checksUniqueIds,
            definition,
            Int32(clamping: definitionsPerDay), definitionResetsDelivery,
            weakPINRules.map(\.rawValue).sorted(), listedPINs, definedPINs, imageStyle, hints.map(\.rawValue).sorted(),
            textPINs, definedPINKey, pinBlocks.map(\.rawValue).sorted(), identityCheck, identityAssurance,
            Int32(clamping: identityLifetimeSeconds))
    }

    fileprivate init(_ row: borrowing PostgresRow, from first: Int) throws(PostgresError) {
        self.init(name: try row.decode(first), programme: try row.decode(first + 1), scheme: try row.decode(first + 2))
        timestampToleranceSeconds = try row.decode(first + 3)
        sessionLifetimeSeconds = try row.decode(first + 4)
        retention = try row.decode(first + 5)
        reminders = try row.decode(first + 6)
        undeliveredLifetimeDays = try row.decode(first + 7)
        retryLimit = try row.decode(first + 8)
        fetchLimit = try row.decode(first + 9)
        pinMinimumLength = try row.decode(first + 10)
        pinMaximumLength = try row.decode(first + 11)
        codeAlphabet = try row.decode(first + 12)
        codeMinimumLength = try row.decode(first + 13)
        codeMaximumLength = try row.decode(first + 14)
        deliveryFormat = try row.decode(first + 15)
        uniformErrors = try row.decode(first + 16)
        sealedValues = try row.decode(first + 17)
        checksUniqueIds = try row.decode(first + 18)
        definition = try row.decode(first + 19)
        definitionsPerDay = try row.decode(first + 20)
        definitionResetsDelivery = try row.decode(first + 21)
        weakPINRules = Set(try row.decode(first + 22, as: [String].self).compactMap(WeakPINRule.init(rawValue:)))
        listedPINs = try row.decode(first + 23)
        definedPINs = try row.decode(first + 24)
        imageStyle = try row.decode(first + 25)
        hints = Set(try row.decode(first + 26, as: [String].self).compactMap(RequestHint.init(rawValue:)))
        textPINs = try row.decode(first + 27)
        definedPINKey = try row.decode(first + 28)
        pinBlocks = Set(try row.decode(first + 29, as: [String].self).compactMap(PINBlockKind.init(rawValue:)))
        identityCheck = try row.decode(first + 30)
        identityAssurance = try row.decode(first + 31)
        identityLifetimeSeconds = try row.decode(first + 32)
    }
}

extension BankRecord: PostgresRowDecodable {
    init(_ row: borrowing PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.decode(0), status: try row.decode(1), settings: try BankSettings(row, from: 6),
            approvedSettings: try row.decode(4), revision: try row.decode(2), createdAt: try row.decode(3),
            requestsFrom: try row.decode(5))
    }
}
