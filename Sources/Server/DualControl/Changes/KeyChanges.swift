package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

/// `key import-hmac`.
package struct ImportHMACKey: Change {
    package static let command = "key import-hmac"

    let bank: Identifier
    let label: String
    let usage: HMACKeyUsage
    let kcv: String
    /// As the database has it.
    let sealedKey: [UInt8]

    package init(bank: Identifier, label: String, usage: HMACKeyUsage, kcv: String, sealedKey: [UInt8]) {
        self.bank = bank
        self.label = label
        self.usage = usage
        self.kcv = kcv
        self.sealedKey = sealedKey
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { label }

    package func effect(at now: Timestamp) -> [String] { ["\(usage.rawValue), KCV \(kcv)"] }

    private func key(_ keyring: Keyring) throws -> HMACKeyImport {
        try HMACKeyImport(sealed: sealedKey, for: bank, label: label, keyring: keyring)
    }

    package func details(in installation: Installation) async throws -> [String] {
        let kcv = try await installation.withKeyring { try key($0).kcv }
        return ["HMAC key '\(label)' for \(usage.purpose), KCV \(kcv)"]
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        try await installation.withKeyring { [try key($0).object(bankId: bank, label: label, usage: usage)] }
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        try await installation.withKeyring { keyring in
            try await key(keyring).requireNew(bankId: bank, label: label, in: installation.store, keyring: keyring)
        }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
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
package struct ImportKeyBlock: Change {
    package static let command = "key import"

    let bank: Identifier
    /// Nil: the KCV becomes the label.
    let label: String?
    let usage: BankKeyUsage
    let block: String
    let under: String
    /// Whether a key of usage K0 is taken as one of K1. Nil in a proposal of an older version: no.
    let acceptsK0: Bool?
    /// Of a key for the issuer's host: the text of its rules.
    let rules: String?

    package init(
        bank: Identifier, label: String?, usage: BankKeyUsage, block: String, under: String, acceptsK0: Bool,
        rules: String?
    ) {
        self.bank = bank
        self.label = label
        self.usage = usage
        self.block = block
        self.under = under
        self.acceptsK0 = acceptsK0
        self.rules = rules
    }

    /// What the key is for, and under which key it comes.
    private var origin: String {
        "\(usage.rawValue)\(acceptsK0 == true ? " (K0 accepted)" : ""), under '\(under)'"
            + (rules.map { "; \($0.replacing("\n", with: ", "))" } ?? "")
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { label }

    package func effect(at now: Timestamp) -> [String] { [origin] }

    private func withKey<Result>(
        in installation: Installation, _ body: (ImportedKey, _ label: String, Keyring) async throws -> Result
    ) async throws -> Result {
        _ = try await installation.bank(bank)
        let parsed = try KeyBlockImport(block, usage: usage, acceptsK0: acceptsK0 ?? false, rules: rules)
        return try await installation.withKeyring { keyring in
            let key = try await parsed.key(under: under, of: bank, in: installation.store, keyring: keyring)
            return try await body(key, label ?? key.kcv, keyring)
        }
    }

    package func details(in installation: Installation) async throws -> [String] {
        try await withKey(in: installation) { key, label, _ in
            ["key '\(label)' for \(origin), KCV \(key.kcv)"]
        }
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        try await withKey(in: installation) { key, label, _ in [key.object(bankId: bank, label: label)] }
    }

    package func requirePossible(in installation: Installation) async throws {
        try await withKey(in: installation) { key, label, keyring in
            try await key.requireNew(bankId: bank, label: label, in: installation.store, keyring: keyring)
        }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
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
package struct ConfirmKey: Change {
    package static let command = "key confirm"

    let bank: Identifier
    let label: String
    let kcv: String

    package init(bank: Identifier, label: String, kcv: String) {
        self.bank = bank
        self.label = label
        self.kcv = kcv
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { label }

    package func effect(at now: Timestamp) -> [String] { ["KCV \(kcv.uppercased())"] }

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

    package func details(in installation: Installation) async throws -> [String] {
        let key = try await withCeremony(in: installation) { try await $0.key(kcv: kcv) }
        return ["key '\(label)' for \(key.kind.usage.rawValue) with KCV \(key.kcv); all its components are entered"]
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        try await withCeremony(in: installation) { [try await $0.key(kcv: kcv).object(bankId: bank, label: label)] }
    }

    package func requirePossible(in installation: Installation) async throws {
        try await withCeremony(in: installation) { ceremony in
            try await ceremony.requireConfirmable(kcv: kcv)
        }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let key = try await withCeremony(in: installation) {
            try await $0.confirm(kcv: kcv, by: installation.person)
        }
        return Shown(
            text: "key '\(label)' of bank '\(bank)' is ACTIVE for \(key.kind.usage.rawValue), KCV \(key.kcv)",
            json: ["bank": bank.text, "label": label, "usage": key.kind.usage.rawValue, "kcv": key.kcv])
    }
}

extension NewKeyOutcome {
    /// - Throws: ``KeyImportRefusal``.
    package func requireAdded(_ label: String) throws {
        switch self {
        case .added: break
        case .labelTaken: throw KeyImportRefusal.labelTaken(label)
        case .keyTaken: throw KeyImportRefusal.keyTaken
        }
    }
}

extension HMACKeyUsage {
    /// For people.
    package var purpose: String {
        switch self {
        case .distribution: "distribution"
        case .definition: "definition"
        case .both: "distribution and definition"
        }
    }
}
