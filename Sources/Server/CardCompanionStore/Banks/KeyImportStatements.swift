package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Begins an import, unless one of the same label is under way. An expired one is erased first.
    package func beginKeyImport(
        _ keyImport: KeyImportRecord, bankId: Identifier, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.batch(
            DeleteExpiredImport(bankId: bankId, label: keyImport.label, now: now),
            InsertKeyImport(bankId: bankId, keyImport: keyImport))
    }

    /// The import with that label and its components, if it has not expired.
    package func keyImport(
        bankId: Identifier, label: String, now: Timestamp
    ) async throws(StoreError) -> (KeyImportRecord, [KeyComponentRecord])? {
        let (imports, components) = try await statements.batch(
            SelectKeyImport(bankId: bankId, label: label, now: now), SelectComponents(bankId: bankId, label: label))
        return imports.first.map { ($0, components) }
    }

    /// Adds a component.
    ///
    /// - Returns: false if the import was removed, or someone else took this number first.
    package func insertKeyComponent(
        _ component: KeyComponentRecord, bankId: Identifier, label: String
    ) async throws(StoreError) -> Bool {
        try await statements.execute(InsertComponent(bankId: bankId, label: label, component: component)) == 1
    }

    /// A bank's imports that have not expired.
    package func pendingKeys(bankId: Identifier, now: Timestamp) async throws(StoreError) -> [PendingKey] {
        try await statements.execute(SelectPendingKeys(bankId: bankId, now: now))
    }

    /// Gives up an import, and erases its components.
    ///
    /// - Returns: false if there is none with that label.
    package func deleteKeyImport(bankId: Identifier, label: String) async throws(StoreError) -> Bool {
        try await statements.execute(DeleteKeyImport(bankId: bankId, label: label)) == 1
    }
}

private struct DeleteExpiredImport: PostgresCommand {
    let bankId: Identifier
    let label: String
    let now: Timestamp

    static let sql = "DELETE FROM key_import WHERE bank_id = $1 AND label = $2 AND expires_at <= $3"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label, now)
    }
}

private struct InsertKeyImport: PostgresCommand {
    let bankId: Identifier
    let keyImport: KeyImportRecord

    static let sql = """
        INSERT INTO key_import (bank_id, label, usage, algorithm, direction, component_count, begun_by, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            bankId, keyImport.label, keyImport.usage, keyImport.algorithm, keyImport.direction,
            Int32(clamping: keyImport.componentCount), keyImport.begunBy, keyImport.expiresAt)
    }
}

private let keyImportColumns = "label, usage, algorithm, direction, component_count, begun_by, expires_at"

private struct SelectKeyImport: PostgresStatement {
    typealias Row = KeyImportRecord

    let bankId: Identifier
    let label: String
    let now: Timestamp

    static let sql = """
        SELECT \(keyImportColumns) FROM key_import WHERE bank_id = $1 AND label = $2 AND expires_at > $3
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label, now)
    }
}

extension KeyImportRecord: PostgresRowDecodable {
    /// In the order of `keyImportColumns`.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            label: try row.decode(0), usage: try row.decode(1), algorithm: try row.decode(2),
            direction: try row.decode(3), componentCount: try row.decode(4), begunBy: try row.decode(5),
            expiresAt: try row.decode(6))
    }
}

private struct SelectComponents: PostgresStatement {
    let bankId: Identifier
    let label: String

    static let sql = """
        SELECT number, sealed_component FROM key_component WHERE bank_id = $1 AND label = $2 ORDER BY number
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> KeyComponentRecord {
        KeyComponentRecord(number: try row.decode(0), sealedComponent: try row.decode(1))
    }
}

private struct InsertComponent: PostgresCommand {
    let bankId: Identifier
    let label: String
    let component: KeyComponentRecord

    static let sql = """
        INSERT INTO key_component (bank_id, label, number, sealed_component)
        SELECT bank_id, label, $3, $4 FROM key_import WHERE bank_id = $1 AND label = $2
        ON CONFLICT DO NOTHING
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label, Int32(clamping: component.number), component.sealedComponent)
    }
}

private struct SelectPendingKeys: PostgresStatement {
    let bankId: Identifier
    let now: Timestamp

    static let sql = """
        SELECT \(keyImportColumns), (
            SELECT count(*) FROM key_component
            WHERE key_component.bank_id = key_import.bank_id AND key_component.label = key_import.label
        )
        FROM key_import WHERE bank_id = $1 AND expires_at > $2 ORDER BY label
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, now)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> PendingKey {
        PendingKey(keyImport: try KeyImportRecord(&row), entered: try row.decode(7))
    }
}

private struct DeleteKeyImport: PostgresCommand {
    let bankId: Identifier
    let label: String

    static let sql = "DELETE FROM key_import WHERE bank_id = $1 AND label = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, label)
    }
}
