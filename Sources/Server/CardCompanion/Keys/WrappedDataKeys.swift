package import CardCompanionModel
package import CardCompanionStore
internal import KeyVault

/// All data keys of a database, with their wrappings and the master keys that made them, as read at one time.
package struct WrappedDataKeys: Sendable {
    /// How many wrappings each data key must have, so that the loss of one master key loses nothing.
    package static let wrappingsPerKey = 2

    /// In the order in which they were added.
    package let records: [DataKeyRecord]
    /// The oldest first.
    package let masterKeys: [MasterKeyRecord]
    private let wrappings: [Int32: [String: [UInt8]]]

    package static func read(from store: Store) async throws(StoreError) -> WrappedDataKeys {
        // Keys are read before wrappings: in the other order, a key that was added in between would have none.
        let records = try await store.dataKeys()
        return WrappedDataKeys(
            records, try await store.dataKeyWrappings(), masterKeys: try await store.masterKeys())
    }

    init(_ records: [DataKeyRecord], _ wrappings: [DataKeyWrapping], masterKeys: [MasterKeyRecord]) {
        self.init(
            records, masterKeys,
            wrappings.reduce(into: [:]) { $0[$1.dataKeyId, default: [:]][$1.masterKeyId] = $1.wrappedKey })
    }

    private init(
        _ records: [DataKeyRecord], _ masterKeys: [MasterKeyRecord], _ wrappings: [Int32: [String: [UInt8]]]
    ) {
        self.records = records
        self.masterKeys = masterKeys
        self.wrappings = wrappings
    }

    /// The keys that count, with the states that count.
    func counted(by inventory: Inventory) -> WrappedDataKeys {
        WrappedDataKeys(inventory.counted(records), inventory.counted(masterKeys), wrappings)
    }

    /// The data keys that are not destroyed.
    package var live: [DataKeyRecord] { records.filter { $0.state != .destroyed } }

    /// The data keys that servers load.
    var loaded: [DataKeyRecord] { live.filter { $0.state != .disabled } }

    /// Whether there is a key of each purpose.
    package var isComplete: Bool {
        DataKeyPurpose.allCases.allSatisfy { purpose in records.contains { $0.purpose == purpose } }
    }

    /// The recovery key of the installation, if it has one.
    package var recovery: MasterKeyRecord? { masterKeys.last { $0.kind == .recovery && $0.status == .active } }

    func wrapping(of dataKeyId: Int32, under masterKeyId: String) -> [UInt8]? {
        wrappings[dataKeyId]?[masterKeyId]
    }

    /// The master keys of a kind of vault: active ones first, and the newest first.
    func masterKeys(of kind: VaultKind) -> [MasterKeyRecord] {
        let keys = masterKeys.filter { $0.kind.rawValue == kind.rawValue }.reversed()
        return keys.filter { $0.status == .active } + keys.filter { $0.status == .replaced }
    }

    func wraps(_ keys: [DataKeyRecord], under masterKeyId: String) -> Bool {
        keys.allSatisfy { wrapping(of: $0.id, under: masterKeyId) != nil }
    }

    /// The data keys that a master key has not wrapped.
    package func missing(under masterKeyId: String) -> [DataKeyRecord] {
        live.filter { wrapping(of: $0.id, under: masterKeyId) == nil }
    }

    /// The master keys that have wrapped a data key.
    package func masterKeyIds(of dataKeyId: Int32) -> [String] {
        masterKeys.map(\.id).filter { wrapping(of: dataKeyId, under: $0) != nil }
    }

    /// The data keys that are lost if one master key is lost.
    package var atRisk: [DataKeyRecord] {
        let replaced = Set(masterKeys.filter { $0.status == .replaced }.map(\.id))
        return live.filter { key in
            masterKeyIds(of: key.id).filter { !replaced.contains($0) }.count < Self.wrappingsPerKey
        }
    }
}
