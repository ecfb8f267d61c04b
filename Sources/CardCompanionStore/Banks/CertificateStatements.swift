internal import PostgresLibPQ

/// What a certificate's key is for.
package enum CertificatePurpose: String, StoredEnumeration, CaseIterable {
    /// The bank's back-end signs its tokens with it.
    case signature
    /// The server seals to it what the bank's back-end is to open.
    case encryption
    /// The bank's back-end shows it when it connects (mutual TLS).
    case client
}

/// A bank's certificate. It was validated when it was imported.
package struct CertificateRecord: Sendable {
    /// SignatureCertAlias.
    package let alias: String
    /// What its key is for.
    package let purpose: CertificatePurpose
    /// The certificate itself.
    package let der: [UInt8]
    /// SHA-256 of `der`.
    package let fingerprint: [UInt8]
    /// Whose it is (RFC 2253).
    package let subject: String
    /// The beginning of its validity.
    package let notBefore: Timestamp
    /// The end of its validity.
    package let notAfter: Timestamp
    /// Whether it verifies tokens that name no alias.
    package let isDefault: Bool
    /// Whether it serves.
    package let status: Activity
    /// When it was imported.
    package let createdAt: Timestamp

    /// A certificate to be kept.
    package init(
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
    package func insertCertificate(
        bankId: Identifier, _ certificate: CertificateRecord
    ) async throws(StoreError) -> Bool {
        let insert = InsertCertificate(bankId: bankId, certificate: certificate)
        guard certificate.isDefault else { return try await statements.execute(insert) == 1 }
        let demote = DemoteDefaultCertificate(bankId: bankId, certificate: certificate)
        return try await statements.batch(demote, insert).1 == 1
    }

    /// A bank's certificates, by alias.
    package func certificates(bankId: Identifier) async throws(StoreError) -> [CertificateRecord] {
        try await statements.execute(SelectCertificates(bankId: bankId))
    }

    /// Switches a certificate on or off.
    ///
    /// - Returns: false where there is none of that alias.
    package func setCertificate(
        bankId: Identifier, alias: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(UpdateCertificate(bankId: bankId, alias: alias, status: status)) == 1
    }
}

private struct InsertCertificate: PostgresCommand {
    let bankId: Identifier
    let certificate: CertificateRecord

    static let sql = """
        INSERT INTO certificate
            (bank_id, alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at,
            purpose)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (bank_id, alias) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            bankId, certificate.alias, certificate.der, certificate.fingerprint, certificate.subject,
            certificate.notBefore, certificate.notAfter, certificate.isDefault, certificate.status,
            certificate.createdAt, certificate.purpose)
    }
}

/// Makes room for a new default; not where the new one's alias is taken and it will not come.
private struct DemoteDefaultCertificate: PostgresCommand {
    let bankId: Identifier
    let certificate: CertificateRecord

    static let sql = """
        UPDATE certificate SET is_default = false
        WHERE bank_id = $1 AND is_default AND purpose = $3
            AND NOT EXISTS (SELECT FROM certificate WHERE bank_id = $1 AND alias = $2)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, certificate.alias, certificate.purpose)
    }
}

struct SelectCertificates: PostgresStatement {
    let bankId: Identifier

    static let sql = """
        SELECT alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at, purpose
        FROM certificate WHERE bank_id = $1 ORDER BY alias
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> CertificateRecord {
        CertificateRecord(
            alias: try row.decode(0),
            purpose: try row.decode(9),
            der: try row.decode(1),
            fingerprint: try row.decode(2),
            subject: try row.decode(3),
            notBefore: try row.decode(4),
            notAfter: try row.decode(5),
            isDefault: try row.decode(6),
            status: try row.decode(7),
            createdAt: try row.decode(8))
    }
}

private struct UpdateCertificate: PostgresCommand {
    let bankId: Identifier
    let alias: String
    let status: Activity

    static let sql = "UPDATE certificate SET status = $3 WHERE bank_id = $1 AND alias = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, alias, status)
    }
}
