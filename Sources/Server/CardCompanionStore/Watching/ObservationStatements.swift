package import CardCompanionModel
internal import PostgresLibPQ

/// What the database says about the installation as a whole, for those who watch it.
package struct Observation: Sendable {
    /// The events that a bank has not received yet.
    package struct Backlog: Sendable, Equatable {
        package let bankId: Identifier
        /// How many wait.
        package let pending: Int
        /// Since when the oldest one waits; nil if none does.
        package let oldestSince: Timestamp?
        /// How many were given up.
        package let parked: Int
    }

    /// When a bank needs another certificate.
    package struct CertificateExpiry: Sendable, Equatable {
        package let bankId: Identifier
        package let use: CertificatePurpose
        /// When the first of the valid, active certificates expires. If none is valid, when the last one expired.
        package let notAfter: Timestamp
    }

    /// When a bank needs another revocation list.
    package struct ListExpiry: Sendable, Equatable {
        package let bankId: Identifier
        /// When the first of its lists expires, or has expired.
        package let nextUpdate: Timestamp
    }

    /// The age of what a bank trusts.
    package struct TrustListAge: Sendable, Equatable {
        /// Nil: all banks that have no list of their own.
        package let bankId: Identifier?
        package let signedAt: Timestamp
    }

    /// How many values the newest data key of a purpose has sealed.
    package struct DataKeyUses: Sendable, Equatable {
        package let purpose: DataKeyPurpose
        package let uses: Int64
    }

    /// Of the banks that have any.
    package let backlogs: [Backlog]
    /// Of the banks that are active.
    package let certificates: [CertificateExpiry]
    package let revocationLists: [ListExpiry]
    package let trustLists: [TrustListAge]
    package let dataKeys: [DataKeyUses]
    /// When the newest seal of the audit trail was made; nil if there is none.
    package let lastSealAt: Timestamp?
    package let schemaVersion: Int
}

extension Store {
    /// Looks at the installation, in one round trip. It reads every event that waits for a bank, so it is not for requests.
    package func observe(now: Timestamp) async throws(StoreError) -> Observation {
        let (backlogs, certificates, lists, trust, keys, seal, schema) = try await statements.batch(
            SelectBacklogs(), SelectCertificateExpiries(now: now), SelectListExpiries(), SelectTrustListAges(),
            SelectDataKeyUses(), SelectLastSealTime(), SelectSchemaVersion())
        return Observation(
            backlogs: backlogs, certificates: certificates, revocationLists: lists, trustLists: trust, dataKeys: keys,
            lastSealAt: seal.first, schemaVersion: schema.first ?? 0)
    }
}

private struct SelectBacklogs: PostgresStatement {
    // Each part reads an index of its own: most rows were delivered.
    static let sql = """
        SELECT bank_id, sum(pending)::bigint, min(oldest), sum(parked)::bigint FROM (
            SELECT bank_id, count(*) AS pending, min(pending_since) AS oldest, 0 AS parked
            FROM webhook_delivery WHERE status = 'PENDING' GROUP BY bank_id
            UNION ALL
            SELECT bank_id, 0, NULL, count(*) FROM webhook_delivery WHERE status = 'PARKED' GROUP BY bank_id
        ) AS parts GROUP BY bank_id
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Observation.Backlog {
        Observation.Backlog(
            bankId: try row.decode(0), pending: try row.decode(1), oldestSince: try row.decode(2),
            parked: try row.decode(3))
    }
}

private struct SelectCertificateExpiries: PostgresStatement {
    let now: Timestamp

    static let sql = """
        SELECT bank_id, purpose, coalesce(min(not_after) FILTER (WHERE not_after > $1), max(not_after))
        FROM certificate JOIN bank USING (bank_id)
        WHERE certificate.status = 'ACTIVE' AND bank.status = 'ACTIVE'
        GROUP BY bank_id, purpose
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Observation.CertificateExpiry {
        Observation.CertificateExpiry(
            bankId: try row.decode(0), use: try row.decode(1), notAfter: try row.decode(2))
    }
}

private struct SelectListExpiries: PostgresStatement {
    static let sql = """
        SELECT bank_id, min(next_update) FROM revocation_list JOIN bank USING (bank_id)
        WHERE bank.status = 'ACTIVE' GROUP BY bank_id
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Observation.ListExpiry {
        Observation.ListExpiry(bankId: try row.decode(0), nextUpdate: try row.decode(1))
    }
}

private struct SelectTrustListAges: PostgresStatement {
    static let sql = "SELECT scope, signed_at FROM trust_list"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Observation.TrustListAge {
        Observation.TrustListAge(bankId: Identifier(try row.decode(0, as: String.self)), signedAt: try row.decode(1))
    }
}

private struct SelectDataKeyUses: PostgresStatement {
    static let sql = "SELECT DISTINCT ON (purpose) purpose, uses FROM data_key ORDER BY purpose, id DESC"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Observation.DataKeyUses {
        Observation.DataKeyUses(purpose: try row.decode(0), uses: try row.decode(1))
    }
}

private struct SelectLastSealTime: PostgresStatement {
    typealias Row = Timestamp

    static let sql = "SELECT sealed_at FROM audit_seal ORDER BY number DESC LIMIT 1"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Timestamp {
        try row.decode(0)
    }
}

private struct SelectSchemaVersion: PostgresStatement {
    typealias Row = Int

    static let sql = "SELECT schema_version FROM schema_state"

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int {
        try row.decode(0)
    }
}
