import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import KeyVault

/// `key import-hmac`.
struct ImportHMACKey: Change {
    static let command = "key import-hmac"

    let bank: Identifier
    let label: String
    let usage: HMACKeyUsage
    let kcv: String
    /// As the database has it.
    let sealedKey: [UInt8]

    var bankId: Identifier? { bank }
    var subject: String? { label }

    private func key(_ keyring: Keyring) throws -> HMACKeyImport {
        try HMACKeyImport(sealed: sealedKey, for: bank, label: label, keyring: keyring)
    }

    func details(in installation: Installation) async throws -> [String] {
        let kcv = try await installation.withKeyring { try key($0).kcv }
        return ["HMAC key '\(label)' for \(usage.purpose), KCV \(kcv)"]
    }

    func objects(in installation: Installation) async throws -> [ApprovedObject] {
        try await installation.withKeyring { [try key($0).object(bankId: bank, label: label, usage: usage)] }
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let outcome = try await installation.withKeyring { keyring in
            try await key(keyring).add(
                to: bank, label: label, usage: usage, in: installation.store, keyring: keyring,
                now: installation.clock.now())
        }
        try outcome.requireAdded(label)
        return Shown(
            text: "imported key '\(label)' of bank '\(bank)' for \(usage.purpose), KCV \(kcv)",
            json: ["bank": bank.text, "label": label, "usage": usage.rawValue, "kcv": kcv])
    }
}

/// `key import` of a key block.
struct ImportKeyBlock: Change {
    static let command = "key import"

    let bank: Identifier
    /// Nil: the KCV becomes the label.
    let label: String?
    let usage: BankKeyUsage
    let block: String
    let under: String

    var bankId: Identifier? { bank }
    var subject: String? { label }

    private func withKey<Result>(
        in installation: Installation, _ body: (ImportedKey, _ label: String, Keyring) async throws -> Result
    ) async throws -> Result {
        _ = try await installation.bank(bank)
        let parsed = try KeyBlockImport(block, usage: usage)
        return try await installation.withKeyring { keyring in
            let key = try await parsed.key(under: under, of: bank, in: installation.store, keyring: keyring)
            return try await body(key, label ?? key.kcv, keyring)
        }
    }

    func details(in installation: Installation) async throws -> [String] {
        try await withKey(in: installation) { key, label, _ in
            ["key '\(label)' for \(usage.rawValue), under '\(under)', KCV \(key.kcv)"]
        }
    }

    func objects(in installation: Installation) async throws -> [ApprovedObject] {
        try await withKey(in: installation) { key, label, _ in [key.object(bankId: bank, label: label)] }
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await withKey(in: installation) { key, label, keyring in
            let outcome = try await key.add(
                to: bank, label: label, in: installation.store, keyring: keyring, now: installation.clock.now())
            try outcome.requireAdded(label)
            return Shown(
                text: "imported key '\(label)' of bank '\(bank)' for \(usage.rawValue), KCV \(key.kcv)",
                json: ["bank": bank.text, "label": label, "usage": usage.rawValue, "kcv": key.kcv])
        }
    }
}

/// `key confirm`.
struct ConfirmKey: Change {
    static let command = "key confirm"

    let bank: Identifier
    let label: String
    let kcv: String

    var bankId: Identifier? { bank }
    var subject: String? { label }

    private func withCeremony<Result>(
        in installation: Installation, _ body: (KeyCeremony) async throws -> Result
    ) async throws -> Result {
        _ = try await installation.bank(bank)
        return try await installation.withKeyring { keyring in
            try await body(
                KeyCeremony(
                    bankId: bank, label: label, store: installation.store, keyring: keyring,
                    now: installation.clock.now()))
        }
    }

    func details(in installation: Installation) async throws -> [String] {
        let key = try await withCeremony(in: installation) { try await $0.key(kcv: kcv) }
        return ["key '\(label)' for \(key.kind.usage.rawValue) with KCV \(key.kcv); all its components are entered"]
    }

    func objects(in installation: Installation) async throws -> [ApprovedObject] {
        try await withCeremony(in: installation) { [try await $0.key(kcv: kcv).object(bankId: bank, label: label)] }
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let key = try await withCeremony(in: installation) {
            try await $0.confirm(kcv: kcv, by: OperatingSystemUser.name)
        }
        return Shown(
            text: "key '\(label)' of bank '\(bank)' is ACTIVE for \(key.kind.usage.rawValue), KCV \(key.kcv)",
            json: ["bank": bank.text, "label": label, "usage": key.kind.usage.rawValue, "kcv": key.kcv])
    }
}
