package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// How many versions of the installation's inventory are kept.
    package static let inventoryVersions: Int64 = 500
    /// How many versions of a bank's inventory are kept.
    package static let bankInventoryVersions: Int64 = 10

    /// The newest version of the installation's inventory; nil if there is none.
    package func newestInventory() async throws(StoreError) -> InventoryRecord? {
        try await statements.firstRow(
            "SELECT \(sql: InventoryRecord.columns) FROM inventory ORDER BY version DESC LIMIT 1")
    }

    /// The versions after a number, in their order.
    package func inventories(after version: Int64) async throws(StoreError) -> [InventoryRecord] {
        try await statements.rows(
            """
            SELECT \(sql: InventoryRecord.columns) FROM inventory WHERE version > \(version)
            ORDER BY version LIMIT \(Self.inventoryVersions)
            """)
    }

    package func bankInventory(bankId: Identifier, version: Int64) async throws(StoreError) -> BankInventoryRecord? {
        try await statements.firstRow(
            """
            SELECT bank_id, version, contents FROM bank_inventory WHERE bank_id = \(bankId) AND version = \(version)
            """)
    }

    /// Adds a version of the inventory that goes with no other write.
    ///
    /// - Throws: ``StoreError/conflict(reason:)`` if another command was faster.
    package func insertInventory(_ next: NewInventory) async throws(StoreError) {
        try await statements.execute(next.insertion)
    }
}

extension Store {
    /// Writes the inventory's next version now, if a change has one that no write has taken along yet.
    ///
    /// - Throws: as ``insertInventory(_:)``.
    package func insertPendingInventory() async throws(StoreError) {
        if let next = PendingInventory.current?.take() { try await insertInventory(next) }
    }
}

extension NewInventory {
    /// Fails if there is a version of that number, so that the transaction has no effect.
    var insertion: PostgresQuery {
        """
        WITH installation AS (
            INSERT INTO inventory (version, contents, mac, written_at)
            VALUES (\(installation.version, installation.contents, installation.mac), clock_timestamp())
        ), bank AS (
            INSERT INTO bank_inventory (bank_id, version, contents)
            SELECT * FROM unnest(\(banks.map(\.bankId.text), banks.map(\.version), banks.map(\.contents)))
            ON CONFLICT (bank_id, version) DO UPDATE SET contents = excluded.contents
        ), old AS (
            DELETE FROM inventory WHERE version <= \(installation.version - Store.inventoryVersions)
        )
        DELETE FROM bank_inventory USING unnest(\(banks.map(\.bankId.text), banks.map(\.version)))
            AS new (bank_id, version)
        WHERE bank_inventory.bank_id = new.bank_id
            AND bank_inventory.version <= new.version - \(Store.bankInventoryVersions)
        """
    }
}

extension InventoryRecord: PostgresRowDecodable {
    static let columns: SQLText = "version, contents, mac"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(version: try row.next(), contents: try row.next(), mac: try row.next())
    }
}

extension BankInventoryRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(bankId: try row.next(), version: try row.next(), contents: try row.next())
    }
}
