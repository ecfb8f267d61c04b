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
        let (banks, hmacKeys, bankKeys, certificates) = try await statements.batch(
            SelectBank(id: id), SelectHMACKeys(bankId: id), SelectBankKeys(bankId: id),
            SelectCertificates(bankId: id))
        return banks.first.map { bank in
            BankWithKeys(
                bank: bank, hmacKeys: hmacKeys,
                definedPINKey: bankKeys.first { $0.label == bank.settings.definedPINKey }, certificates: certificates,
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

private let bankColumns = "bank_id, status, revision, created_at, settings, approved_settings, requests_from"

private struct InsertBank: PostgresCommand {
    let id: Identifier
    let settings: BankSettings
    let approved: String?
    let now: Timestamp

    static let sql = """
        INSERT INTO bank (bank_id, status, created_at, programme, settings, settings_digest, approved_settings)
        VALUES ($1, 'ACTIVE', $2, $3, $4, sha256(convert_to($4, 'UTF8')), $5) ON CONFLICT (bank_id) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, now, settings.programme, settings, approved)
    }
}

private struct UpdateBank: PostgresCommand {
    let id: Identifier
    let settings: BankSettings
    let status: Activity
    let approved: String?
    let revision: Int64

    static let sql = """
        UPDATE bank SET status = $3, programme = $4, settings = $5, settings_digest = sha256(convert_to($5, 'UTF8')),
            approved_settings = coalesce($6, approved_settings)
        WHERE bank_id = $1 AND revision = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, revision, status, settings.programme, settings, approved)
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

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> IssuerBank {
        try IssuerBank(row, from: 0)
    }
}

extension IssuerBank {
    /// Of the table `bank`.
    ///
    /// - Parameter now: the statement's parameter that has the time.
    static func columns(now: String) -> String {
        """
        bank_id, revision, status, settings, requests_from,
        ARRAY(
            SELECT fingerprint FROM certificate LEFT JOIN revocation_list AS list USING (bank_id, issuer)
            WHERE bank_id = bank.bank_id AND purpose = 'client' AND status = 'ACTIVE'
                AND (list.next_update IS NULL OR list.next_update > \(now) AND NOT EXISTS (
                    SELECT FROM revoked_certificate AS revoked
                    WHERE (revoked.bank_id, revoked.issuer, revoked.serial)
                        = (certificate.bank_id, certificate.issuer, certificate.serial)))
        )
        """
    }

    /// - Parameter first: where ``columns(now:)`` begin in the row.
    init(_ row: borrowing PostgresRow, from first: Int) throws(PostgresError) {
        self.init(
            id: try row.decode(first), revision: try row.decode(first + 1), status: try row.decode(first + 2),
            settings: try row.decode(first + 3), requestsFrom: try row.decode(first + 4),
            clientCertificates: try row.decode(first + 5))
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

extension BankRecord: PostgresRowDecodable {
    /// In the order of `bankColumns`.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.decode(0), status: try row.decode(1), settings: try row.decode(4),
            approvedSettings: try row.decode(5), revision: try row.decode(2), createdAt: try row.decode(3),
            requestsFrom: try row.decode(6))
    }
}
