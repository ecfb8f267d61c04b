internal import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import Foundation
internal import HTTPSignatures
internal import KeyVault
internal import Logging
internal import SecureMemory

/// What most tests need before they begin: banks, keys and cardholders.
///
/// They are made in this process, by the services that the commands use: a command costs a tenth of a second of CPU, and there are
/// thousands of them. Tests of commands run the commands.
struct DirectSetup: Sendable {
    let store: Store
    let vault: FileVault
    let clock: WallClock
    let logger: Logger
    let dataKeys: DataKeys

    private static let actor = "operator:tests@localhost"

    private init(_ store: Store, _ vault: FileVault, _ logger: Logger) {
        (self.store, self.vault, self.logger) = (store, vault, logger)
        clock = WallClock { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }
        dataKeys = DataKeys(
            store: store, clock: clock, vault: vault,
            inventory: InventoryKeeper(store: store, clock: clock, marks: [vault], logger: logger))
    }

    /// Runs `body` on a database and its vault.
    static func run(
        at databaseURL: String, vaultFile: String, _ body: @Sendable @escaping (DirectSetup) async throws -> Void
    ) async throws {
        var logger = Logger(label: "tests")
        logger.logLevel = .error
        let quiet = logger
        try await LocalStore.run(at: databaseURL) { store in
            try await body(DirectSetup(store, FileVault(path: vaultFile), quiet))
        }
    }

    /// As the first server of a database: makes its data keys and its server keys.
    func makeKeys() async throws {
        try await withKeyring { keyring in
            _ = try await ServerKeys.opened(with: keyring, of: dataKeys)
            try await dataKeys.inventory.begin(keyring)
        }
    }

    /// As `bank add`.
    func addBank(_ id: Identifier, _ settings: BankSettings) async throws {
        try settings.validate()
        let isNew = try await adding(InventoryObject(BankPolicy(id, settings, .active)), "bank add", id) {
            try await store.insertBank(id: id, settings: settings, now: clock.now())
        }
        guard isNew else { throw SetupFailed(description: "there is already a bank '\(id)'") }
    }

    /// As `key import-hmac`.
    func addHMACKey(_ key: [UInt8], label: String, usage: HMACKeyUsage, to bankId: Identifier) async throws {
        try await withKeyring { keyring in
            let key = try HMACKeyImport(hex: SecretBytes(copying: Array(Hex.encode(key).utf8)))
            let object = key.object(bankId: bankId, label: label, usage: usage)
            let outcome = try await adding(object, "key import-hmac", bankId, label) {
                try await key.add(
                    to: bankId, label: label, usage: usage, in: store, keyring: keyring, now: clock.now())
            }
            guard case .added = outcome else { throw SetupFailed(description: "key '\(label)': \(outcome)") }
        }
    }

    /// As `certificate import`.
    func addCertificate(
        pem: [UInt8], trustedCAs: [UInt8], alias: String, isDefault: Bool, to bankId: Identifier
    ) async throws {
        let certificate = try CertificateImport(
            pem: pem, trustedCAs: trustedCAs, alias: alias, isDefault: isDefault, now: clock.now())
        let isNew = try await recorded("certificate import", bankId, alias) {
            try await changing {
                let demoted = try await store.certificates(bankId: bankId).filter {
                    isDefault && $0.isDefault && $0.purpose == certificate.record.purpose
                }
                return demoted.map { InventoryObject($0.with(isDefault: false), of: bankId) }
                    + [InventoryObject(certificate.record, of: bankId)]
            } body: {
                try await store.insertCertificate(bankId: bankId, certificate.record)
            }
        }
        guard isNew else { throw SetupFailed(description: "there is already a certificate '\(alias)'") }
    }

    /// As `issuer-key add`.
    func addIssuerKey(
        _ keyId: String, _ algorithm: String, publicKey pem: [UInt8], to bankId: Identifier
    ) async throws {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm) else {
            throw SetupFailed(description: "no algorithm '\(algorithm)'")
        }
        let key = try IssuerKeyRegistration.publicKey(
            pem: pem, algorithm: algorithm, keyId: keyId, bankId: bankId, now: clock.now())
        let object = try await withKeyring { try InventoryObject(key, keyring: $0) }
        let isNew = try await adding(object, "issuer-key add", bankId, keyId) { try await store.insertIssuerKey(key) }
        guard isNew else { throw SetupFailed(description: "there is already a key '\(keyId)'") }
    }

    /// As `csca import` for one bank.
    func importTrustList(_ list: [UInt8], root: [UInt8], to bankId: Identifier) async throws {
        let found = try TrustListImport(list, root: root, now: clock.now())
        try await withKeyring { keyring in
            let record = try found.record(scope: bankId, keyring: keyring, now: clock.now())
            let isNewer = try await recorded("csca import", bankId) {
                try await changing {
                    [InventoryObject(trustRoot: record.root, scope: bankId), InventoryObject(record)]
                } body: {
                    try await store.putTrustList(record)
                }
            }
            guard isNewer else { throw SetupFailed(description: "there is a newer trust list of '\(bankId)'") }
        }
    }

    /// As `document-client add`.
    func addDocumentClient(_ client: DocumentClientRecord) async throws {
        let isNew = try await adding(
            InventoryObject(client), "document-client add", client.bankId, client.clientId
        ) {
            try await store.insertDocumentClient(client)
        }
        guard isNew else { throw SetupFailed(description: "there is already a client '\(client.clientId)'") }
    }

    /// As `cardholder import`.
    func importCardholders(_ lines: String, to bankId: Identifier) async throws {
        guard let bank = try await store.issuerBank(id: bankId, now: clock.now()) else {
            throw SetupFailed(description: "there is no bank '\(bankId)'")
        }
        try await withKeyring { keyring in
            let countedObjects = CountedObjects(
                store: store, keyring: keyring, inventory: dataKeys.inventory, logger: logger)
            _ = try await countedObjects.refresh(from: vault)
            let keys = try await ServerKeys.opened(with: keyring, of: dataKeys)
            var cardholders = CardholderImport(
                bank: bank,
                provisioning: Provisioning(
                    bank: bank, keyring: keyring, serverKeys: keys, countedObjects: countedObjects,
                    acceptsCodes: !countedObjects.needApprovals),
                actor: Self.actor, store: store, clock: clock, parallelism: 1)
            var text: SharedSecret? = SharedSecret(SecretBytes(copying: Array(lines.utf8)))
            var refusals = ""
            try await recorded("cardholder import", bankId) {
                try await cardholders.run {
                    defer { text = nil }
                    return text
                } report: { results, _ in
                    refusals += results.map { "\($0)\n" }.joined()
                }
            }
            guard cardholders.summary.refused == 0 else { throw SetupFailed(description: refusals) }
        }
    }

    /// Puts the banks into the inventory as the database has them, or the keys of the installation if there is no bank.
    func listAgain(_ banks: [Identifier]) async throws {
        try await withKeyring { keyring in
            try await dataKeys.inventory.changing(with: keyring, { try await present(banks, keyring) }) {}
        }
    }

    private func present(_ banks: [Identifier], _ keyring: Keyring) async throws -> InventoryChange {
        var change = InventoryChange()
        for bank in banks {
            for object in try await store.activeObjects(of: bank, keyring) { change.add(object) }
        }
        if banks.isEmpty { try await change.setKeys(of: store) }
        return change
    }

    /// Each write gets an entry of the audit trail, as a command's does.
    private func recorded<Result>(
        _ operation: String, _ bankId: Identifier, _ subject: String? = nil, _ body: () async throws -> Result
    ) async throws -> Result {
        let audit = CommandAudit(operation: operation, bankId: bankId, actor: Self.actor, detail: subject)
        return try await AuditNote.$ofCommand.withValue(audit) { try await body() }
    }

    /// Makes a change of the database that adds an object.
    private func adding<Result>(
        _ object: InventoryObject, _ operation: String, _ bankId: Identifier, _ subject: String? = nil,
        _ body: () async throws -> Result
    ) async throws -> Result {
        try await recorded(operation, bankId, subject) { try await changing({ [object] }, body: body) }
    }

    private func changing<Result>(
        _ objects: () async throws -> [InventoryObject], body: () async throws -> Result
    ) async throws -> Result {
        try await withKeyring { keyring in
            try await dataKeys.inventory.changing(
                with: keyring,
                {
                    var change = InventoryChange()
                    for object in try await objects() { change.add(object) }
                    return change
                }, body)
        }
    }

    func withKeyring<Result>(_ body: (Keyring) async throws -> Result) async throws -> Result {
        let keyring = try await dataKeys.opened()
        let result = try await body(keyring)
        try await dataKeys.report(keyring)
        return result
    }
}

/// Something that a test needs could not be made.
struct SetupFailed: Error, CustomStringConvertible {
    let description: String
}

// MARK: - Settings of a bank

extension BankSettings {
    /// Settings as options of `bank add`, for example `["--retention", "keep"]`.
    ///
    /// - Returns: nil if one names a file, or is refused: the command says why.
    init?(options: [String], id: String, scheme: String) {
        guard let scheme = Scheme(rawValue: scheme), options.count.isMultiple(of: 2) else { return nil }
        self.init(name: id, programme: id, scheme: scheme)
        for index in stride(from: 0, to: options.count, by: 2) {
            let setting = BankSetting.all.first { $0.option == options[index] }
            guard let setting, !setting.isFile, setting.set(option: options[index + 1], in: &self) else { return nil }
        }
    }
}
