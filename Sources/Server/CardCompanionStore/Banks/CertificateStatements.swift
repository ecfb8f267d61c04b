package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a certificate to a bank. A new default one replaces the old default.
    ///
    /// - Returns: false if the bank already has a certificate with that alias.
    package func insertCertificate(
        bankId: Identifier, _ certificate: CertificateRecord
    ) async throws(StoreError) -> Bool {
        let insert: PostgresQuery = """
            INSERT INTO certificate (
                bank_id, alias, purpose, der, fingerprint, subject, issuer, serial, not_before, not_after, is_default,
                status, created_at)
            VALUES (\(bankId, certificate.alias, certificate.purpose, certificate.der, certificate.fingerprint),
                \(certificate.subject, certificate.issuer, certificate.serial, certificate.notBefore),
                \(certificate.notAfter, certificate.isDefault, certificate.status, certificate.createdAt))
            ON CONFLICT (bank_id, alias) DO NOTHING
            """
        guard certificate.isDefault else { return try await statements.execute(insert) == 1 }
        // There can be only one default. Does nothing if the new alias is taken, because then nothing is inserted.
        let demote: PostgresQuery = """
            UPDATE certificate SET is_default = false
            WHERE bank_id = \(bankId) AND is_default AND purpose = \(certificate.purpose)
                AND NOT EXISTS (SELECT FROM certificate WHERE bank_id = \(bankId) AND alias = \(certificate.alias))
            """
        return try await statements.batch(demote, insert).1 == 1
    }

    /// Makes an active certificate the default of its use. It replaces the present default.
    ///
    /// - Returns: false if the bank has no active certificate with that alias, or if its use has no default (client).
    package func setDefaultCertificate(bankId: Identifier, alias: String) async throws(StoreError) -> Bool {
        let (_, promoted) = try await statements.batch(
            PostgresQuery(
                """
                UPDATE certificate SET is_default = false FROM certificate AS new
                WHERE certificate.bank_id = \(bankId) AND certificate.is_default AND certificate.alias <> new.alias
                    AND new.bank_id = \(bankId) AND new.alias = \(alias) AND new.purpose = certificate.purpose
                    AND new.status = 'ACTIVE'
                """),
            PostgresQuery(
                """
                UPDATE certificate SET is_default = true
                WHERE bank_id = \(bankId) AND alias = \(alias) AND status = 'ACTIVE' AND purpose <> 'client'
                """))
        return promoted == 1
    }

    /// A bank's certificates, by alias.
    package func certificates(bankId: Identifier) async throws(StoreError) -> [CertificateRecord] {
        try await statements.rows(Self.certificatesQuery(bankId: bankId))
    }

    static func certificatesQuery(bankId: Identifier) -> PostgresQuery {
        """
        SELECT alias, purpose, der, fingerprint, subject, issuer, serial, not_before, not_after, is_default, status,
            created_at, next_update,
            EXISTS (
                SELECT FROM revoked_certificate AS revoked WHERE revoked.bank_id = \(bankId)
                    AND (revoked.issuer, revoked.serial) = (certificate.issuer, certificate.serial)
            )
        FROM certificate LEFT JOIN revocation_list USING (bank_id, issuer) WHERE bank_id = \(bankId) ORDER BY alias
        """
    }

    /// Enables or disables a certificate.
    ///
    /// - Returns: false if the bank has no certificate with that alias.
    package func setCertificate(
        bankId: Identifier, alias: String, status: Activity
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            "UPDATE certificate SET status = \(status) WHERE bank_id = \(bankId) AND alias = \(alias)") == 1
    }
}

extension CertificateRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            alias: try row.next(), purpose: try row.next(), der: try row.next(), fingerprint: try row.next(),
            subject: try row.next(), issuer: try row.next(), serial: try row.next(), notBefore: try row.next(),
            notAfter: try row.next(), isDefault: try row.next(), status: try row.next(), createdAt: try row.next(),
            revocation: try row.next())
    }
}
