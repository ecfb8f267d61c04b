public import PostgresLibPQ

/// What a certificate's key is for.
public enum CertificatePurpose: String, StoredEnumeration, CaseIterable {
    /// The bank's back-end signs its tokens with it.
    case signature
    /// The server seals to it what the bank's back-end is to open.
    case encryption
    /// The bank's back-end shows it when it connects (mutual TLS).
    case client
}

/// A bank's certificate. It was validated when it was imported.
public struct CertificateRecord: Sendable {
    /// SignatureCertAlias.
    public let alias: String
    /// What its key is for.
    public let purpose: CertificatePurpose
    /// The certificate itself.
    public let der: [UInt8]
    /// SHA-256 of `der`.
    public let fingerprint: [UInt8]
    /// Whose it is (RFC 2253).
    public let subject: String
    /// The beginning of its validity.
    public let notBefore: Timestamp
    /// The end of its validity.
    public let notAfter: Timestamp
    /// Whether it verifies tokens that name no alias.
    public let isDefault: Bool
    /// Whether it serves.
    public let status: Activity
    /// When it was imported.
    public let createdAt: Timestamp

    /// A certificate to be kept.
    public init(
        alias: String, purpose: CertificatePurpose, der: [UInt8], fingerprint: [UInt8], subject: String,
        notBefore: Timestamp,
        notAfter: Timestamp, isDefault: Bool, status: Activity, createdAt: Timestamp
    ) {
        self.alias = alias
        self.purpose = purpose
        self.der = der
        self.fingerprint = fingerprint
        self.subject = subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isDefault = isDefault
        self.status = status
        self.createdAt = createdAt
    }
}

extension Store {
    /// Adds a certificate to a bank; a new default one takes the place of the old.
    ///
    /// - Returns: false where the bank has one of that alias already.
    public func insertCertificate(
        bankId: String, _ certificate: CertificateRecord
    ) async throws(PostgresError) -> Bool {
        let insert = InsertCertificate(bankId: bankId, certificate: certificate)
        guard certificate.isDefault else { return try await !client.execute(insert).isEmpty }
        let demote = DemoteDefaultCertificate(bankId: bankId, certificate: certificate)
        return try await !client.batch(demote, insert).1.isEmpty
    }

    /// A bank's certificates, by alias.
    public func certificates(bankId: String) async throws(PostgresError) -> [CertificateRecord] {
        try await client.execute(SelectCertificates(bankId: bankId))
    }

    /// Switches a certificate on or off.
    ///
    /// - Returns: false where there is none of that alias.
    public func setCertificate(
        bankId: String, alias: String, status: Activity
    ) async throws(PostgresError) -> Bool {
        try await !client.execute(UpdateCertificate(bankId: bankId, alias: alias, status: status)).isEmpty
    }
}

private struct InsertCertificate: PostgresStatement {
    typealias Row = String

    let bankId: String
    let certificate: CertificateRecord

    static let sql = """
        INSERT INTO certificate
            (bank_id, alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at,
            purpose)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (bank_id, alias) DO NOTHING
        RETURNING alias
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(certificate.alias)
        parameters.append(certificate.der)
        parameters.append(certificate.fingerprint)
        parameters.append(certificate.subject)
        parameters.append(certificate.notBefore)
        parameters.append(certificate.notAfter)
        parameters.append(certificate.isDefault)
        parameters.append(certificate.status.rawValue)
        parameters.append(certificate.createdAt)
        parameters.append(certificate.purpose.rawValue)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

/// Makes room for a new default; not where the new one's alias is taken and it will not come.
private struct DemoteDefaultCertificate: PostgresStatement {
    let bankId: String
    let certificate: CertificateRecord

    static let sql = """
        UPDATE certificate SET is_default = false
        WHERE bank_id = $1 AND is_default AND purpose = $3
            AND NOT EXISTS (SELECT FROM certificate WHERE bank_id = $1 AND alias = $2)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(certificate.alias)
        parameters.append(certificate.purpose.rawValue)
    }
}

struct SelectCertificates: PostgresStatement {
    let bankId: String

    static let sql = """
        SELECT alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at, purpose
        FROM certificate WHERE bank_id = $1 ORDER BY alias
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> CertificateRecord {
        CertificateRecord(
            alias: try row.decode(0, as: String.self),
            purpose: try row.decode(9),
            der: try row.decode(1, as: [UInt8].self),
            fingerprint: try row.decode(2, as: [UInt8].self),
            subject: try row.decode(3, as: String.self),
            notBefore: try row.decode(4, as: Timestamp.self),
            notAfter: try row.decode(5, as: Timestamp.self),
            isDefault: try row.decode(6, as: Bool.self),
            status: try row.decode(7),
            createdAt: try row.decode(8, as: Timestamp.self))
    }
}

private struct UpdateCertificate: PostgresStatement {
    typealias Row = String

    let bankId: String
    let alias: String
    let status: Activity

    static let sql = "UPDATE certificate SET status = $3 WHERE bank_id = $1 AND alias = $2 RETURNING alias"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(alias)
        parameters.append(status.rawValue)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}
