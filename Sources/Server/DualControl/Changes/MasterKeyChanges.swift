package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
internal import Foundation
internal import KeyVault
internal import PKCS11

/// `vault init`: the master key, and a recovery key if files are named for its components.
package struct MakeRecoveryKey: Change {
    package static let command = "vault init"
    package static let writesInventory = true

    let componentFiles: [String]
    let replacesOld: Bool

    package init(componentFiles: [String], replacesOld: Bool) {
        self.componentFiles = componentFiles
        self.replacesOld = replacesOld
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { nil }

    package func details(in installation: Installation) async throws -> [String] {
        componentFiles.isEmpty
            ? ["a master key, if there is none"]
            : [
                "a new recovery key, whose components are written to \(componentFiles.joined(separator: ", "))",
                replacesOld ? "the present recovery key no longer opens anything" : "there is no recovery key yet",
            ]
    }

    /// Without files the command only makes what is missing.
    package func needsApproval(in installation: Installation) async throws -> Bool { !componentFiles.isEmpty }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let report = try await installation.withDataKeys { dataKeys in
            let masterKey = try await dataKeys.initialize()
            guard !componentFiles.isEmpty else {
                try await dataKeys.wrapForRecovery()
                return Report(masterKey: masterKey, recoveryKey: nil)
            }
            let recoveryKey = try await dataKeys.makeRecoveryKey(
                componentCount: componentFiles.count, replacesOld: replacesOld
            ) { components in
                try write(components)
            }
            return Report(masterKey: masterKey, recoveryKey: recoveryKey)
        }
        let recovery = report.recoveryKey.map {
            "\nrecovery key \($0): give each file to its custodian, and leave no copy of it here"
        }
        return Shown(text: "master key \(report.masterKey)\(recovery ?? "")", json: report)
    }

    private struct Report: Encodable {
        let masterKey: String
        let recoveryKey: String?
    }

    /// Writes all files, or none.
    private func write(_ components: [RecoveryComponent]) throws {
        var written: [String] = []
        do {
            for (component, file) in zip(components, componentFiles) {
                try SecretFile.write(component.text, to: file)
                written.append(file)
            }
        } catch {
            for file in written { try? FileManager.default.removeItem(atPath: file) }
            throw error
        }
    }
}

/// `vault rewrap`.
package struct RewrapDataKeys: Change {
    package static let command = "vault rewrap"
    package static let writesInventory = true

    /// Where the present master key is: a file, or a token.
    let file: String?
    let module: String?
    let token: String?
    let pinFile: String?
    let keepsOld: Bool

    package init(file: String?, module: String?, token: String?, pinFile: String?, keepsOld: Bool) {
        self.file = file
        self.module = module
        self.token = token
        self.pinFile = pinFile
        self.keepsOld = keepsOld
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { file ?? token }
    package var modulePath: String? { module }

    package func details(in installation: Installation) async throws -> [String] {
        [
            "all data keys are wrapped by the vault in your settings, \(installation.vaults.name)",
            "the present vault is \(subject ?? "")\(module.map { ", with the module \($0)" } ?? "")",
            keepsOld ? "the present vault stays in use" : "the present vault is then no longer used",
        ]
    }

    /// Those whom the present vault knows, too: the new one knows none yet.
    package func operators(in installation: Installation) async throws -> OperatorRoster? {
        let present = try await installation.operators(of: presentVault(of: installation))
        let new = try await installation.operators(of: installation.vaults.vault())
        guard let roster = [present, new].compactMap(\.self).max(by: { $0.sequence < $1.sequence }) else {
            try await installation.store.requireNoApprovals()
            return nil
        }
        return roster
    }

    /// As the present vault opens it: the new one opens nothing yet.
    package func inventory(in installation: Installation) async throws -> Inventory? {
        try await installation.withVault(presentVault(of: installation)) { present in
            let dataKeys = installation.dataKeys(of: present)
            return try await dataKeys.inventory.newest(try await dataKeys.opened())
        }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let masterKey = try await installation.withVault(presentVault(of: installation)) { old in
            try await installation.withDataKeys { dataKeys in
                try await dataKeys.rewrap(from: installation.dataKeys(of: old), keepsOld: keepsOld)
            }
        }
        return Shown(
            text: "all data keys are wrapped with master key \(masterKey)"
                + (keepsOld ? "" : "; restart the servers with this vault, one after the other"),
            json: ["masterKey": masterKey])
    }

    private func presentVault(of installation: Installation) -> any Vault {
        guard let module, let token else { return FileVault(path: file ?? "") }
        return installation.vaults.token(Token.Address(modulePath: module, label: token), pinFile: pinFile)
    }
}

/// `vault rotate`.
package struct RotateMasterKey: Change {
    package static let command = "vault rotate"
    package static let writesInventory = true

    package init() {}

    package var bankId: Identifier? { nil }
    package var subject: String? { nil }

    package func details(in installation: Installation) async throws -> [String] { ["a new master key on the token"] }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let masterKey = try await installation.withDataKeys { try await $0.rotateMasterKey() }
        return Shown(text: "new master key \(masterKey)", json: ["masterKey": masterKey])
    }
}

/// `vault recover`.
package struct RecoverDataKeys: Change {
    package static let command = "vault recover"
    package static let writesInventory = true

    let componentFiles: [String]

    package init(componentFiles: [String]) {
        self.componentFiles = componentFiles
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { nil }

    package func details(in installation: Installation) async throws -> [String] {
        ["the data keys are recovered with \(componentFiles.joined(separator: ", "))"]
    }

    /// Nothing opens it before the data keys are recovered.
    package func inventory(in installation: Installation) async throws -> Inventory? { nil }

    /// A new vault knows none: the custodians decide alone.
    package func operators(in installation: Installation) async throws -> OperatorRoster? {
        try await installation.operators(of: installation.vaults.vault())
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let components = try componentFiles.map {
            try RecoveryComponent(text: try SecretFile.read($0, byteLimit: RecoveryComponent.textByteLimit))
        }
        let result = try await installation.withDataKeys { try await $0.recover(with: components) }
        if !result.lost.isEmpty {
            let ids = result.lost.map { "\($0)" }.joined(separator: ", ")
            installation.note(
                "warning: the data keys \(ids) were not wrapped with the recovery key: they are not recovered")
        }
        if try await operators(in: installation) == nil {
            installation.note(
                "warning: this vault has no operators. If there were any, name them again with 'card-companion vault init "
                    + "--first-operator', and run 'card-companion operator dual-control on'")
        }
        return Shown(
            text: "recovered \(result.count) data keys: they are wrapped with master key \(result.masterKeyId)",
            json: Report(masterKey: result.masterKeyId, dataKeys: result.count, lost: result.lost))
    }

    private struct Report: Encodable {
        let masterKey: String
        let dataKeys: Int
        let lost: [Int32]
    }
}
