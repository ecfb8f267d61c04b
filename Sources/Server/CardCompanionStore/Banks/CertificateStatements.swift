package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a certificate to a bank. A new default one replaces the old default.
    ///
    /// - Returns: false if the bank already has a certificate with that alias.
    package func insertCertificate(
        bankId: Identifier, _ certificate: CertificateRecord
    ) async throws(StoreError) -> Bool {
        let insert = InsertCertificate(bankId: bankId, certificate: certificate)
        guard certificate.isDefault else { return try await statements.execute(insert) == 1 }
        let demote = DemoteDefaultCertificate(bankId: bankId, certificate: certificate)
        return try await statements.batch(demote, insert).1 == 1
    }

    /// Makes an active certificate the default of its use. It replaces the present default.
    ///
    /// - Returns: false if the bank has no active certificate with that alias, or if its use has no default (client).
    package func setDefaultCertificate(bankId: Identifier, alias: String) async throws(StoreError) -> Bool {
        let (_, promoted) = try await statements.batch(
            DemoteOtherCertificates(bankId: bankId, alias: alias), PromoteCertificate(bankId: bankId, alias: alias))
        return promoted == 1
    }

    /// A bank's certificates, by alias.
    package func certificates(bankId: Identifier) async throws(StoreError) -> [CertificateRecord] {
        try await statements.execute(SelectCertificates(bankId: bankId))
    }

    /// Enables or disables a certificate.
    ///
    /// - Returns: false if the bank has no certificate with that alias.
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
            purpose, issuer, serial)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (bank_id, alias) DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            bankId, certificate.alias, certificate.der, certificate.fingerprint, certificate.subject,
            certificate.notBefore, certificate.notAfter, certificate.isDefault, certificate.status,
            certificate.createdAt, certificate.purpose, certificate.issuer, certificate.serial)
    }
}

/// There can be only one default. Does nothing if the new alias is taken, because then nothing is inserted.
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

private struct DemoteOtherCertificates: PostgresCommand {
    let bankId: Identifier
    let alias: String

    static let sql = """
        UPDATE certificate SET is_default = false FROM certificate AS new
        WHERE certificate.bank_id = $1 AND certificate.is_default AND certificate.alias <> new.alias
            AND new.bank_id = $1 AND new.alias = $2 AND new.purpose = certificate.purpose AND new.status = 'ACTIVE'
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, alias)
    }
}

private struct PromoteCertificate: PostgresCommand {
    let bankId: Identifier
    let alias: String

    static let sql = """
        UPDATE certificate SET is_default = true
        WHERE bank_id = $1 AND alias = $2 AND status = 'ACTIVE' AND purpose <> 'client'
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, alias)
    }
}

struct SelectCertificates: PostgresStatement {
    let bankId: Identifier

    static let sql = """
        SELECT alias, der, fingerprint, subject, not_before, not_after, is_default, status, created_at, purpose,
            issuer, serial, next_update,
            EXISTS (
                SELECT FROM revoked_certificate AS revoked
                WHERE revoked.bank_id = $1 AND (revoked.issuer, revoked.serial) = (certificate.issuer, certificate.serial)
            )
        FROM certificate LEFT JOIN revocation_list USING (bank_id, issuer) WHERE bank_id = $1 ORDER BY alias
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> CertificateRecord {
        CertificateRecord(
            alias: try row.decode(0),
            purpose: try row.decode(9),
            der: try row.decode(1),
            fingerprint: try row.decode(2),
            subject: try row.decode(3),
            issuer: try row.decode(10),
            serial: try row.decode(11),
            notBefore: try row.decode(4),
            notAfter: try row.decode(5),
            isDefault: try row.decode(6),
            status: try row.decode(7),
            createdAt: try row.decode(8),
            revocation: Revocation(listEnds: try row.decode(12), isListed: try row.decode(13)))
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
