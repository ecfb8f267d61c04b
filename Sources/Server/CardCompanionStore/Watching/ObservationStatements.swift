package import CardCompanionModel
internal import PostgresLibPQ

/// What the database says about the installation as a whole, for those who watch it.
package struct Observation: Sendable {
    /// What a bank has not received yet: events, or defined PINs that its host does not have.
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
    /// Of the banks that have any: defined PINs that wait for the bank's connector. Those that the host has are not counted.
    package let forwards: [Backlog]
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
        let (backlogs, forwards, certificates, lists, trust, keys, seal, schema) = try await statements.batch(
            // Each part reads an index of its own: most rows were delivered.
            PostgresRows<Observation.Backlog>(
                """
                SELECT bank_id, sum(pending)::bigint, min(oldest), sum(parked)::bigint FROM (
                    SELECT bank_id, count(*) AS pending, min(pending_since) AS oldest, 0 AS parked
                    FROM webhook_delivery WHERE status = 'PENDING' GROUP BY bank_id
                    UNION ALL
                    SELECT bank_id, 0, NULL, count(*) FROM webhook_delivery WHERE status = 'PARKED' GROUP BY bank_id
                ) AS parts GROUP BY bank_id
                """),
            PostgresRows<Observation.Backlog>(
                """
                SELECT bank_id, count(*), min(defined_at), 0::bigint
                FROM forwarded_pin JOIN chosen_pin USING (bank_id, unique_id, event_id)
                WHERE next_attempt_at IS NOT NULL AND state = 'pending' GROUP BY bank_id
                """),
            PostgresRows<Observation.CertificateExpiry>(
                """
                SELECT bank_id, purpose, coalesce(min(not_after) FILTER (WHERE not_after > \(now)), max(not_after))
                FROM certificate JOIN bank USING (bank_id)
                WHERE certificate.status = 'ACTIVE' AND bank.status = 'ACTIVE'
                GROUP BY bank_id, purpose
                """),
            PostgresRows<Observation.ListExpiry>(
                """
                SELECT bank_id, min(next_update) FROM revocation_list JOIN bank USING (bank_id)
                WHERE bank.status = 'ACTIVE' GROUP BY bank_id
                """),
            PostgresRows<Observation.TrustListAge>("SELECT scope, signed_at FROM trust_list"),
            PostgresRows<Observation.DataKeyUses>(
                "SELECT DISTINCT ON (purpose) purpose, uses FROM data_key ORDER BY purpose, id DESC"),
            PostgresRows<Timestamp>("SELECT sealed_at FROM audit_seal ORDER BY number DESC LIMIT 1"),
            PostgresRows<Int>("SELECT schema_version FROM schema_state"))
        return Observation(
            backlogs: backlogs, forwards: forwards, certificates: certificates, revocationLists: lists,
            trustLists: trust, dataKeys: keys, lastSealAt: seal.first, schemaVersion: schema.first ?? 0)
    }
}

extension Observation.Backlog: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: try row.next(), pending: try row.next(), oldestSince: try row.next(), parked: try row.next())
    }
}

extension Observation.CertificateExpiry: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: try row.next(), use: try row.next(), notAfter: try row.next())
    }
}

extension Observation.ListExpiry: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: try row.next(), nextUpdate: try row.next())
    }
}

extension Observation.TrustListAge: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: Identifier(try row.next(as: String.self)), signedAt: try row.next())
    }
}

extension Observation.DataKeyUses: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            purpose: try row.next(), uses: try row.next())
    }
}
