import CardCompanion
import CardCompanionModel
import CardCompanionStore
import Foundation
import KeyVault
import Logging
import ServerHarness
import Testing

/// Versions of the inventory, written in this process on a real database.
@Suite("Writing the inventory")
struct InventoryWritingTests {
    /// Programs that share a database and a vault.
    private struct Fixture: Sendable {
        let installation: TestInstallation
        let store: Store
        let bank: Identifier

        /// A program that has just started.
        func program() -> DataKeys {
            let vault = FileVault(path: "\(installation.dataDirectory)/vault.key")
            let clock = WallClock { Timestamp(seconds: Int64(Date().timeIntervalSince1970)) }
            let inventory = InventoryKeeper(store: store, clock: clock, marks: [vault], logger: Logger(label: "tests"))
            return DataKeys(store: store, clock: clock, vault: vault, inventory: inventory)
        }

        /// Names of the bank's entries that tests add.
        func names() async throws -> [String] {
            let program = program()
            _ = try await program.inventory.newest(try await program.opened())
            return try await program.inventory.part(of: bank)?.entries(of: .issuerKey).map(\.name) ?? []
        }

        func adding(_ name: String) -> InventoryChange {
            var change = InventoryChange()
            change.set(.issuerKey, name, of: bank, to: "ab12")
            return change
        }
    }

    private static func run(_ body: @Sendable @escaping (Fixture) async throws -> Void) async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank()
        let id = try #require(Identifier(bank.id))
        try await LocalStore.run(at: installation.databaseURL, connections: 4) { store in
            try await body(Fixture(installation: installation, store: store, bank: id))
        }
    }

    @Test("Of programs that change it at once, each one's change is in the end there, and versions have no gap")
    func together() async throws {
        try await Self.run { fixture in
            let before = try #require(try await fixture.store.newestInventory()).version
            // The last one begins again this often.
            let names = (10..<70).map { "key-\($0)" }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for name in names {
                    group.addTask {
                        let program = fixture.program()
                        try await program.inventory.changing(fixture.adding(name), with: try await program.opened()) {
                            try await fixture.store.addUses(0, ofDataKey: 1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await fixture.names() == names)
            let newest = try #require(try await fixture.store.newestInventory())
            #expect(newest.version == before + Int64(names.count))
        }
    }

    private struct Refused: Error {}

    @Test("A change that fails leaves nothing in the inventory, before its first write and after it")
    func failed() async throws {
        try await Self.run { fixture in
            for writes in [false, true] {
                let program = fixture.program()
                await #expect(throws: Refused.self) {
                    try await program.inventory.changing(fixture.adding("new"), with: try await program.opened()) {
                        if writes { try await fixture.store.addUses(0, ofDataKey: 1) }
                        throw Refused()
                    }
                }
                let names = try await fixture.names()
                #expect(names.isEmpty)
            }
        }
    }

    @Test("A change and its version are one transaction: without the version there is no change")
    func oneTransaction() async throws {
        try await Self.run { fixture in
            let (slow, fast) = (fixture.program(), fixture.program())
            let keyring = try await slow.opened()
            try await fixture.installation.sql("UPDATE data_key SET uses = 0")
            var attempts = 0
            try await slow.inventory.changing(fixture.adding("slow"), with: keyring) {
                attempts += 1
                if attempts == 1 {
                    let other = try await fast.opened()
                    try await fast.inventory.changing(fixture.adding("fast"), with: other) {}
                }
                try await fixture.store.addUses(1, ofDataKey: 1)
            }
            #expect(attempts == 2)
            #expect(try await fixture.installation.sql("SELECT uses FROM data_key WHERE id = 1") == ["1"])
            #expect(try await fixture.names() == ["fast", "slow"])
        }
    }

    @Test("A program does not take an older version than the one that the vault knows, and one without a mark does")
    func mark() async throws {
        try await Self.run { fixture in
            try await fixture.installation.sql("CREATE TABLE kept AS TABLE inventory")
            let program = fixture.program()
            let keyring = try await program.opened()
            try await program.inventory.changing(fixture.adding("new"), with: keyring) {}
            try await fixture.installation.sql("TRUNCATE inventory; INSERT INTO inventory TABLE kept")
            await #expect(throws: InventoryFault.self) { _ = try await fixture.program().opened() }
            let known = try #require(try await program.inventory.present(keyring))
            #expect(try await program.inventory.part(of: fixture.bank)?[.issuerKey, "new"] != nil)
            #expect(try await program.inventory.keptMark() == known.mark)
            try FileManager.default.removeItem(atPath: "\(fixture.installation.dataDirectory)/vault.key.inventory-mark")
            _ = try await fixture.program().opened()
            #expect(try await fixture.names() == [])
        }
    }
}
