internal import CardCompanionModel
internal import Cryptography

// The keys of the installation in the inventory. Their rows are what servers open; whether a key counts, and for what, is here.

extension Inventory {
    /// What the inventory says of a data key: `pins/USABLE/1764089234`.
    struct DataKeyEntry: Sendable, Equatable {
        let purpose: DataKeyPurpose
        let state: DataKeyState
        let activeFrom: Timestamp

        init(_ record: DataKeyRecord) {
            self.init(purpose: record.purpose, state: record.state, activeFrom: record.activeFrom)
        }

        init(purpose: DataKeyPurpose, state: DataKeyState, activeFrom: Timestamp) {
            self.purpose = purpose
            self.state = state
            self.activeFrom = activeFrom
        }

        init?(_ value: String) {
            let parts = value.split(separator: "/").map(String.init)
            guard parts.count == 3, let purpose = DataKeyPurpose(rawValue: parts[0]),
                let state = DataKeyState(rawValue: parts[1]), let time = Int64(parts[2])
            else { return nil }
            self.init(purpose: purpose, state: state, activeFrom: Timestamp(microseconds: time))
        }

        var value: String { "\(purpose.rawValue)/\(state.rawValue)/\(activeFrom.microseconds)" }
    }

    func dataKey(_ id: Int32) -> DataKeyEntry? { self[.dataKey, "\(id)"].flatMap { DataKeyEntry($0.value) } }

    /// Whether a data key can have made the MAC of a later version: it is usable, or newer than all keys here.
    func allowsDataKey(_ id: Int32) -> Bool {
        if let key = dataKey(id) { return key.state == .usable }
        return entries(of: .dataKey).allSatisfy { Int32($0.name).map { $0 < id } ?? false }
    }

    /// The data keys that count, with the state and the start that count.
    func counted(_ records: [DataKeyRecord]) -> [DataKeyRecord] {
        records.compactMap { record in
            dataKey(record.id).flatMap { entry in
                entry.purpose == record.purpose ? record.with(state: entry.state, activeFrom: entry.activeFrom) : nil
            }
        }
    }

    /// The master keys, with the status that counts. Of recovery keys, only the present one is active. A key of a vault that the
    /// inventory does not have yet is being made: without the key in the vault, its row opens nothing.
    func counted(_ records: [MasterKeyRecord]) -> [MasterKeyRecord] {
        records.map { record in
            if record.kind == .recovery {
                record.with(status: self[.recoveryKey, record.id] == nil ? .replaced : .active)
            } else {
                record.with(
                    status: self[.masterKey, record.id].flatMap { MasterKeyStatus(rawValue: $0.value) } ?? record.status
                )
            }
        }
    }

    /// The server's keys that count, with the status that counts: of each kind the active one first.
    func counted(_ records: [ServerKeyRecord]) -> [ServerKeyRecord] {
        let counted = records.compactMap { record in
            self[.serverKey, record.keyId].flatMap { ServerKeyState($0.value) }.flatMap { state in
                state.kind == record.kind ? record.with(status: state.status, retiredAt: state.retiredAt) : nil
            }
        }
        let ordered = counted.enumerated().sorted { one, other in
            guard one.element.kind == other.element.kind else { return one.offset < other.offset }
            let isFirst = (one: one.element.status == .active, other: other.element.status == .active)
            return isFirst.one == isFirst.other ? one.offset < other.offset : isFirst.one
        }
        return ordered.map(\.element)
    }

    /// What the inventory says of a server's key: `EC/ACTIVE/-`, or `EC/RETIRED/1764089234000000`.
    struct ServerKeyState: Sendable, Equatable {
        let kind: ServerKeyKind
        let status: ServerKeyStatus
        let retiredAt: Timestamp?

        init(_ record: ServerKeyRecord) {
            self.init(kind: record.kind, status: record.status, retiredAt: record.retiredAt)
        }

        init(kind: ServerKeyKind, status: ServerKeyStatus, retiredAt: Timestamp? = nil) {
            self.kind = kind
            self.status = status
            self.retiredAt = retiredAt
        }

        init?(_ value: String) {
            let parts = value.split(separator: "/").map(String.init)
            guard parts.count == 3, let kind = ServerKeyKind(rawValue: parts[0]),
                let status = ServerKeyStatus(rawValue: parts[1])
            else { return nil }
            self.init(kind: kind, status: status, retiredAt: Int64(parts[2]).map(Timestamp.init(microseconds:)))
        }

        var value: String { "\(kind.rawValue)/\(status.rawValue)/\(retiredAt.map { "\($0.microseconds)" } ?? "-")" }
    }
}

extension Inventory {
    /// The keys whose rows are not as the inventory has them: those that somebody has added or changed.
    func changedKeys(
        _ dataKeys: [DataKeyRecord], _ masterKeys: [MasterKeyRecord], _ serverKeys: [ServerKeyRecord]
    ) -> [String] {
        let changedDataKeys = dataKeys.filter { dataKey($0.id) != DataKeyEntry($0) }.map { "data key \($0.id)" }
        let changedMasterKeys = zip(masterKeys, counted(masterKeys)).filter { $0.status != $1.status }.map {
            "\($0.0.kind == .recovery ? "recovery" : "master") key \($0.0.id)"
        }
        let changedServerKeys = serverKeys.filter { record in
            self[.serverKey, record.keyId].flatMap { ServerKeyState($0.value) } != ServerKeyState(record)
        }.map { "server key \($0.keyId)" }
        return changedDataKeys + changedMasterKeys + changedServerKeys
    }
}

extension InventoryChange {
    mutating func set(_ id: Int32, _ entry: Inventory.DataKeyEntry) {
        set(.dataKey, "\(id)", of: nil, to: entry.value)
    }

    mutating func set(_ keyId: String, _ state: Inventory.ServerKeyState) {
        set(.serverKey, keyId, of: nil, to: state.value)
    }

    mutating func setMasterKey(_ id: String, _ status: MasterKeyStatus) {
        set(.masterKey, id, of: nil, to: status.rawValue)
    }

    /// A recovery key, in the place of another one.
    mutating func setRecoveryKey(_ id: String, replacing old: String?) {
        if let old { remove(.recoveryKey, old, of: nil) }
        set(.recoveryKey, id, of: nil, to: "ACTIVE")
    }
}
