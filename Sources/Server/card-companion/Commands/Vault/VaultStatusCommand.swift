import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

extension VaultCommand {
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Shows master keys and data keys, and how far the servers are with sealing values again.",
            discussion: """
                It reads only the database, and needs neither the vault nor a PIN.

                EXAMPLE
                  card-companion vault status
                """)

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let report = try await Installation.run(options) { installation in
                let now = installation.clock.now()
                return VaultReport(
                    try await .read(from: installation.store), try await installation.store.resealing(),
                    servers: try await installation.store.serverVaults(seenSince: ServerVaults.limit(now)), now: now)
            }
            try Terminal.show(report.text, json: report, asJSON: output.json)
        }
    }
}

/// The state of the vault, for people and for scripts.
private struct VaultReport: Encodable {
    let masterKeys: [MasterKey]
    let keys: [DataKey]
    let columns: [Column]
    let warnings: [String]

    init(
        _ keys: WrappedDataKeys, _ resealing: [ResealingRecord], servers: [ServerVaultRecord], now: Timestamp
    ) {
        masterKeys = keys.masterKeys.map { MasterKey($0, keys, servers) }
        self.keys = keys.records.map { DataKey($0, keys, now: now) }
        columns = DataKeyPurpose.sealing.flatMap { purpose in
            KeyedColumn.all(of: purpose).compactMap { Column($0, of: purpose, keys.records, resealing, now: now) }
        }
        warnings = keys.warnings(now: now)
    }

    var text: String {
        let masterKeyTable = TextTable.text(
            ["MASTER KEY", "KIND", "NAME", "STATUS", "WRAPPED", "SERVERS"],
            masterKeys.map { [$0.id, $0.kind, $0.name, $0.status, "\($0.wrapped)", "\($0.servers)"] })
        let keyTable = TextTable.text(
            ["KEY", "PURPOSE", "STATUS", "FROM", "SEALED", "MASTER KEYS"],
            keys.map { ["\($0.id)", $0.purpose, $0.status, $0.activeFrom, "\($0.uses)", "\($0.masterKeys.count)"] })
        return
            ([masterKeyTable, "", keyTable] + columns.map { "\($0.column): \($0.text)" }
            + warnings.map { "warning: \($0)" }).joined(separator: "\n")
    }

    struct MasterKey: Encodable {
        let id: String
        /// `file`, `token` or `recovery`.
        let kind: String
        let name: String
        /// `active` or `replaced`.
        let status: String
        /// How many data keys it has wrapped.
        let wrapped: Int
        /// How many running servers use it.
        let servers: Int

        init(_ key: MasterKeyRecord, _ keys: WrappedDataKeys, _ servers: [ServerVaultRecord]) {
            id = key.id
            kind = key.kind.rawValue
            name = key.name
            status = key.status.rawValue.lowercased()
            wrapped = keys.live.count - keys.missing(under: key.id).count
            self.servers = servers.filter { $0.masterKeyId == key.id }.count
        }
    }

    struct DataKey: Encodable {
        let id: Int32
        let purpose: String
        /// `pending`, `active`, `decrypt-only`, `disabled`, `compromised` or `destroyed`.
        let status: String
        let activeFrom: String
        let uses: Int64
        /// The master keys that have wrapped it.
        let masterKeys: [String]

        init(_ key: DataKeyRecord, _ keys: WrappedDataKeys, now: Timestamp) {
            id = key.id
            purpose = key.purpose.rawValue
            activeFrom = key.activeFrom.text
            uses = key.uses
            masterKeys = keys.masterKeyIds(of: key.id)
            let activeId = keys.records.active(key.purpose, now)?.id ?? 0
            status =
                switch key.state {
                case .usable: key.id == activeId ? "active" : key.id > activeId ? "pending" : "decrypt-only"
                case .disabled, .compromised, .destroyed: key.state.rawValue.lowercased()
                }
        }
    }

    struct Column: Encodable {
        let column: String
        let dataKey: Int32
        /// `waiting`, `under way` or `finished`.
        let status: String
        let afterBankId: String?
        let afterRow: String?

        var text: String {
            guard let afterBankId, let afterRow else { return "\(status) (data key \(dataKey))" }
            return
                "\(status) (data key \(dataKey)), done up to \(afterRow)\(afterBankId.isEmpty ? "" : " of bank \(afterBankId)")"
        }

        /// Nil if there was no rotation.
        init?(
            _ column: KeyedColumn, of purpose: DataKeyPurpose, _ keys: [DataKeyRecord], _ resealing: [ResealingRecord],
            now: Timestamp
        ) {
            guard let key = keys.active(purpose, now), key.replaces != nil else { return nil }
            self.column = column.rawValue
            dataKey = key.id
            let record = resealing.first { $0.column == column && $0.dataKeyId == key.id }
            status = record.map { $0.isFinished ? "finished" : "under way" } ?? "waiting"
            let isUnderWay = record.map { !$0.isFinished && $0.after != .start } ?? false
            afterBankId = isUnderWay ? record?.after.bankId : nil
            afterRow = isUnderWay ? record?.after.rowId : nil
        }
    }
}

extension WrappedDataKeys {
    /// What an operator should do about the keys.
    func warnings(now: Timestamp) -> [String] {
        var warnings: [String] = []
        if !atRisk.isEmpty {
            let ids = atRisk.map { "\($0.id)" }.joined(separator: ", ")
            warnings.append(
                "if its master key is lost, the data keys \(ids) are lost, and with them all secrets: run 'card-companion "
                    + "vault init --recovery-component-file', or add a second vault with 'card-companion vault rewrap --keep'"
            )
        }
        for key in records
        where key.id == records.active(key.purpose, now)?.id
            && now.seconds - key.activeFrom.seconds >= DataKeys.cryptoperiodSeconds
        {
            warnings.append(
                "data key \(key.id) has been used for longer than its cryptoperiod: run 'card-companion vault rotate-data-key'"
            )
        }
        return warnings
    }
}
