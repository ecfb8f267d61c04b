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
        try await statements.execute(
            """
            INSERT INTO bank (bank_id, status, created_at, programme, settings, settings_digest, approved_settings)
            VALUES (\(id), 'ACTIVE', \(now, settings.programme, settings), sha256(convert_to(\(settings), 'UTF8')),
                \(approved))
            ON CONFLICT (bank_id) DO NOTHING
            """) == 1
    }

    /// Writes a bank's settings and status, if the bank still has the revision that was read.
    ///
    /// - Parameter approved: the settings as text, if two operators have approved them; nil leaves what was approved.
    /// - Returns: false if it has another revision.
    package func updateBank(
        id: Identifier, settings: BankSettings, status: Activity, approved: String? = nil, revision: Int64
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            UPDATE bank SET status = \(status), programme = \(settings.programme), settings = \(settings),
                settings_digest = sha256(convert_to(\(settings), 'UTF8')),
                approved_settings = coalesce(\(approved), approved_settings)
            WHERE bank_id = \(id) AND revision = \(revision)
            """) == 1
    }

    package func bank(id: Identifier) async throws(StoreError) -> BankRecord? {
        try await statements.firstRow(Self.bankQuery(id: id))
    }

    /// Whether there is such a bank. The role of a connector can ask only this.
    package func hasBank(id: Identifier) async throws(StoreError) -> Bool {
        try await statements.row("SELECT EXISTS (SELECT FROM bank WHERE bank_id = \(id))")
    }

    /// A bank, its keys and its certificates, in one round trip.
    ///
    /// The bank is read first: if the keys change in between, its revision is outdated, and requests detect that.
    package func bankWithKeys(id: Identifier) async throws(StoreError) -> BankWithKeys? {
        let (banks, hmacKeys, bankKeys, certificates, revocationLists) = try await statements.batch(
            PostgresRows<BankRecord>(Self.bankQuery(id: id)),
            PostgresRows<HMACKeyRecord>(Self.hmacKeysQuery(bankId: id)),
            PostgresRows<BankKeyRecord>(Self.bankKeysQuery(bankId: id)),
            PostgresRows<CertificateRecord>(Self.certificatesQuery(bankId: id)),
            PostgresRows<RevocationListContents>(Self.revocationListsQuery(bankId: id)))
        return banks.first.map { bank in
            BankWithKeys(
                bank: bank, hmacKeys: hmacKeys,
                definedPINKey: bankKeys.first { key in
                    bank.settings.definedPINKey.map { key.label.utf8.elementsEqual($0.utf8) } ?? false
                }, certificates: certificates, revocationLists: revocationLists,
                sealsResults: certificates.contains { $0.purpose == .identity })
        }
    }

    package func issuerBank(id: Identifier, now: Timestamp) async throws(StoreError) -> IssuerBank? {
        try await statements.execute(SelectIssuerBank(id: id, now: now)).first
    }

    /// The ids of all banks, in their order.
    package func bankIds() async throws(StoreError) -> [Identifier] {
        try await statements.rows("SELECT bank_id FROM bank ORDER BY bank_id")
    }

    /// All banks, by id.
    ///
    /// - Throws: ``StoreError/unreadable(reason:)`` if this program does not understand the settings of one.
    package func banks() async throws(StoreError) -> [BankRecord] {
        try await statements.rows("SELECT \(sql: BankRecord.columns) FROM bank ORDER BY bank_id")
    }

    /// Whether a bank still has the revision that was read.
    package func isCurrent(bankId: Identifier, revision: Int64) async throws(StoreError) -> Bool {
        let present: Int64? = try await statements.firstRow("SELECT revision FROM bank WHERE bank_id = \(bankId)")
        return present == revision
    }

    private static func bankQuery(id: Identifier) -> PostgresQuery {
        "SELECT \(sql: BankRecord.columns) FROM bank WHERE bank_id = \(id)"
    }
}

private struct SelectIssuerBank: PostgresStatement {
    typealias Row = IssuerBank

    let id: Identifier
    let now: Timestamp

    static let sql = "SELECT \(IssuerBank.columns(now: "$2")) FROM bank WHERE bank_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id, now)
    }
}

extension IssuerBank: PostgresRowDecodable {
    /// Of the table `bank`.
    ///
    /// - Parameter now: the statement's parameter that has the time.
    static func columns(now: String) -> String {
        "bank_id, revision, status, settings, requests_from, \(CallingBank.clientCertificates(now: now))"
    }

    convenience init(_ row: inout PostgresRow) throws(PostgresError) {
        let id: Identifier = try row.next()
        self.init(
            id: id, revision: try row.next(), status: try row.next(), settings: try BankSettings(&row, of: id),
            requestsFrom: try row.next(), clientCertificates: try row.next())
    }
}

extension CallingBank: PostgresRowDecodable {
    /// Of the table `bank`.
    ///
    /// - Parameter now: the statement's parameter that has the time.
    static func columns(now: String) -> String {
        "bank_id, revision, \(clientCertificates(now: now))"
    }

    fileprivate static func clientCertificates(now: String) -> String {
        """
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

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(id: try row.next(), revision: try row.next(), clientCertificates: try row.next())
    }
}

extension BankRecord: PostgresRowDecodable {
    static let columns: SQLText = "bank_id, status, settings, approved_settings, revision, created_at, requests_from"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        let id: Identifier = try row.next()
        self.init(
            id: id, status: try row.next(), settings: try BankSettings(&row, of: id), approvedSettings: try row.next(),
            revision: try row.next(), createdAt: try row.next(), requestsFrom: try row.next())
    }
}
