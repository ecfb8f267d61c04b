package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Begins an import, unless one of the same label is under way. An expired one is erased first.
    package func beginKeyImport(
        _ keyImport: KeyImportRecord, bankId: Identifier, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.batch(
            PostgresQuery(
                """
                DELETE FROM key_import WHERE bank_id = \(bankId) AND label = \(keyImport.label) AND expires_at <= \(now)
                """),
            PostgresQuery(
                """
                INSERT INTO key_import (bank_id, \(sql: KeyImportRecord.columns))
                VALUES (\(bankId, keyImport.label, keyImport.usage, keyImport.algorithm, keyImport.direction),
                    \(keyImport.componentCount, keyImport.begunBy, keyImport.expiresAt))
                ON CONFLICT DO NOTHING
                """))
    }

    /// The import with that label and its components, if it has not expired.
    package func keyImport(
        bankId: Identifier, label: String, now: Timestamp
    ) async throws(StoreError) -> (KeyImportRecord, [KeyComponentRecord])? {
        let (imports, components) = try await statements.batch(
            PostgresRows<KeyImportRecord>(
                """
                SELECT \(sql: KeyImportRecord.columns) FROM key_import
                WHERE bank_id = \(bankId) AND label = \(label) AND expires_at > \(now)
                """),
            PostgresRows<KeyComponentRecord>(
                """
                SELECT number, sealed_component, entered_by FROM key_component
                WHERE bank_id = \(bankId) AND label = \(label) ORDER BY number
                """))
        return imports.first.map { ($0, components) }
    }

    /// Adds a component.
    ///
    /// - Returns: false if the import was removed, or someone else took this number first.
    package func insertKeyComponent(
        _ component: KeyComponentRecord, bankId: Identifier, label: String
    ) async throws(StoreError) -> Bool {
        try await statements.execute(
            """
            INSERT INTO key_component (bank_id, label, number, sealed_component, entered_by)
            SELECT bank_id, label, \(component.number, component.sealedComponent, component.enteredBy) FROM key_import
            WHERE bank_id = \(bankId) AND label = \(label)
            ON CONFLICT DO NOTHING
            """) == 1
    }

    /// A bank's imports that have not expired.
    package func pendingKeys(bankId: Identifier, now: Timestamp) async throws(StoreError) -> [PendingKey] {
        try await statements.rows(
            """
            SELECT \(sql: KeyImportRecord.columns), ARRAY(
                SELECT entered_by FROM key_component
                WHERE key_component.bank_id = key_import.bank_id AND key_component.label = key_import.label
                ORDER BY number
            )
            FROM key_import WHERE bank_id = \(bankId) AND expires_at > \(now) ORDER BY label
            """)
    }

    /// Gives up an import, and erases its components.
    ///
    /// - Returns: false if there is none with that label.
    package func deleteKeyImport(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        try await statements.execute("DELETE FROM key_import WHERE bank_id = \(bankId) AND label = \(label)") == 1
    }
}

extension KeyImportRecord: PostgresRowDecodable {
    static let columns: SQLText = "label, usage, algorithm, direction, component_count, begun_by, expires_at"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            label: try row.next(), usage: try row.next(), algorithm: try row.next(),
            direction: try row.next(), componentCount: try row.next(), begunBy: try row.next(),
            expiresAt: try row.next())
    }
}

extension KeyComponentRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(number: try row.next(), sealedComponent: try row.next(), enteredBy: try row.next())
    }
}

extension PendingKey: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(keyImport: try row.next(), custodians: try row.next())
    }
}
