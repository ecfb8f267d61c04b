package import CardCompanionModel
internal import Cryptography
package import KeyVault
package import SecureMemory

/// What the inventory lists, and two operators approve: a key, a certificate, a webhook, a document client, a root of trust lists,
/// or a bank's settings. Servers ignore an object that is not in the inventory and, under dual control, one without an approval.
package struct InventoryObject: Sendable, Hashable {
    /// For people: `certificate '2027' of bank 'MYBANK', SHA-256 5f0c…`.
    package let name: String
    /// Nil for all banks.
    package let bankId: Identifier?
    /// Where the inventory has it.
    package private(set) var inventoryName: Inventory.Name
    /// SHA-256 of everything that a server relies on.
    package let digest: [UInt8]
    /// What the name shows as a digest only: the lines of a bank's settings.
    package let contents: [String]

    /// - Parameters:
    ///   - label: tells objects of one kind apart.
    ///   - inventoryLabel: the same for the inventory; nil for the label.
    ///   - sign: what people compare.
    ///   - bankId: nil for all banks.
    private init(
        _ kind: InventoryKind, _ label: String, inventoryLabel: String? = nil, of bankId: Identifier?, sign: String,
        contents: [String] = [], _ values: [UInt8]...
    ) {
        self.init(kind, label, inventoryLabel: inventoryLabel, of: bankId, sign: sign, contents: contents, values)
    }

    /// As the other one, for values whose number differs.
    private init(
        _ kind: InventoryKind, _ label: String, inventoryLabel: String? = nil, of bankId: Identifier?, sign: String,
        contents: [String] = [], _ values: [[UInt8]]
    ) {
        self.contents = contents
        self.bankId = bankId
        inventoryName = Inventory.Name(kind, inventoryLabel ?? label)
        let noun = kind.noun
        let owner = bankId.map { "bank '\($0)'" } ?? "all banks"
        name = (label.isEmpty ? noun : "\(noun) '\(label)'") + " of \(owner), \(sign)"
        let parts = [
            Array("card-companion object 1".utf8), Array(noun.utf8), Array((bankId?.text ?? "").utf8),
            Array(label.utf8),
        ]
        // Each part has its length before it, so that no two objects have the same bytes.
        digest = SHA256.hash(
            (parts + values).flatMap { part in UInt32(part.count).bigEndianBytes + part })
    }

    /// A certificate, with what the database says about it besides its DER: also whether it is the default.
    package init(_ certificate: CertificateRecord, of bankId: Identifier) {
        self.init(
            .certificate, certificate.alias, of: bankId,
            sign: "\(certificate.isDefault ? "default, " : "")SHA-256 \(Hex.encode(SHA256.hash(certificate.der)))",
            Array(certificate.purpose.rawValue.utf8), certificate.der,
            certificate.fingerprint, Array(certificate.issuer.utf8), certificate.serial,
            Array("\(certificate.notBefore.seconds)-\(certificate.notAfter.seconds)".utf8),
            [certificate.isDefault ? 1 : 0])
    }

    /// A back-end's key.
    ///
    /// - Throws: `KeyVaultError` if a shared secret does not open.
    package init(_ key: IssuerKeyRecord, keyring: Keyring) throws(KeyVaultError) {
        guard let sealed = key.sealedSecret else {
            let publicKey = key.publicKey ?? []
            self.init(
                .issuerKey, key.keyId, of: key.bankId,
                sign: "\(key.algorithm), SHA-256 \(Hex.encode(SHA256.hash(publicKey)))", Array(key.algorithm.utf8),
                publicKey)
            return
        }
        let secret = try keyring.open(sealed, in: .issuerSecret(key.keyId))
        self.init(
            .issuerKey, key.keyId, of: key.bankId, sign: "\(key.algorithm), KCV \(Self.checkValue(of: secret))",
            Array(key.algorithm.utf8), Self.fingerprint(of: secret))
    }

    /// An HMAC key.
    ///
    /// - Throws: `KeyVaultError` if it does not open.
    package init(_ key: HMACKeyRecord, of bankId: Identifier, keyring: Keyring) throws(KeyVaultError) {
        let opened = try keyring.open(key.sealedKey, in: .hmacKey(bankId: bankId, label: key.label))
        self.init(hmacKey: key.label, of: bankId, usage: key.usage, opened)
    }

    package init(hmacKey label: String, of bankId: Identifier, usage: HMACKeyUsage, _ key: borrowing SecretBytes) {
        self.init(
            .hmacKey, label, of: bankId, sign: "for \(usage.rawValue), KCV \(Self.checkValue(of: key))",
            Array(usage.rawValue.utf8), Self.fingerprint(of: key))
    }

    /// A key that is not HMAC.
    ///
    /// - Throws: `KeyVaultError` if it does not open.
    package init(_ key: BankKeyRecord, of bankId: Identifier, keyring: Keyring) throws(KeyVaultError) {
        let opened = try keyring.open(key.sealedKey, in: .bankKey(bankId: bankId, label: key.label))
        self.init(
            bankKey: key.label, of: bankId, usage: key.usage, algorithm: key.algorithm, direction: key.direction,
            rules: key.rules, opened)
    }

    package init(
        bankKey label: String, of bankId: Identifier, usage: BankKeyUsage, algorithm: BankKeyAlgorithm,
        direction: BankKeyDirection, rules: String?, _ key: borrowing SecretBytes
    ) {
        let lines = rules.map { $0.split(separator: "\n").map(String.init) } ?? []
        self.init(
            .key, label, of: bankId,
            sign:
                "\(algorithm.rawValue) for \(usage.rawValue), \(direction.rawValue), sign \(Self.checkValue(of: key))",
            contents: lines,
            [
                Array(usage.rawValue.utf8), Array(algorithm.rawValue.utf8), Array(direction.rawValue.utf8),
                Self.fingerprint(of: key),
            ] + (rules.map { [Array($0.utf8)] } ?? []))
    }

    package init(_ webhook: WebhookRecord) {
        self.init(
            .webhook, webhook.url, inventoryLabel: "", of: webhook.bankId,
            sign: "\(webhook.isPrivate ? "private network allowed, " : "")2xx "
                + (webhook.acknowledges ? "acknowledges" : "does not acknowledge"),
            [webhook.isPrivate ? 1 : 0, webhook.acknowledges ? 1 : 0])
    }

    package init(_ client: DocumentClientRecord) {
        let server = client.resultURL.map { "results to \($0)" } ?? "results nowhere"
        self.init(
            .documentClient, client.clientId, of: client.bankId,
            sign: (client.isUnbound ? "unbound, " : "") + (client.resultIsPrivate ? "private network allowed, " : "")
                + server,
            [client.isUnbound ? 1 : 0, client.resultIsPrivate ? 1 : 0], Array((client.resultURL ?? "").utf8))
    }

    /// The root of a trust list.
    ///
    /// - Parameters:
    ///   - root: DER.
    ///   - scope: the bank that trusts it; nil: all banks.
    package init(trustRoot root: [UInt8], scope: Identifier?) {
        self.init(
            .trustRoot, "", inventoryLabel: Hex.encode(SHA256.hash(root)), of: scope,
            sign: "SHA-256 \(Hex.encode(SHA256.hash(root)))", root)
    }

    /// A trust list.
    package init(_ list: TrustListRecord) {
        let digest = TrustedAuthorities.digest(list: list.list, root: list.root)
        self.init(.trustList, "", of: list.scope, sign: "SHA-256 \(Hex.encode(digest))", digest)
    }

    /// A CRL of an authority of a trust list.
    package init(_ list: TrustRevocationListRecord) {
        let issuer = Hex.encode(list.issuer)
        self.init(
            .trustRevocationList, issuer, of: list.scope, sign: "SHA-256 \(Hex.encode(SHA256.hash(list.list)))",
            list.issuer, list.list)
    }

    /// A CRL of an issuer of a bank's certificates.
    package init(_ list: RevocationListContents, of bankId: Identifier) {
        let record = list.record
        self.init(
            .revocationList, record.issuer, of: bankId, sign: "with \(list.serials.count) certificates",
            Array("\(record.thisUpdate.microseconds)-\(record.nextUpdate.microseconds)".utf8), record.number ?? [],
            SHA256.hash(
                list.serials.sorted { $0.lexicographicallyPrecedes($1) }.flatMap {
                    UInt32($0.count).bigEndianBytes + $0
                }))
    }

    /// A bank with its settings.
    package init(_ bank: BankPolicy) {
        self.init(settings: bank.text, of: bank.bankId)
    }

    /// The settings that two operators have approved. For them it is the same object; the inventory has it besides the present ones.
    package init(approvedSettings text: String, of bankId: Identifier) {
        self = InventoryObject(settings: text, of: bankId).named(Inventory.Name(.approvedSettings))
    }

    private func named(_ name: Inventory.Name) -> InventoryObject {
        var object = self
        object.inventoryName = name
        return object
    }

    /// A bank with the settings of a ``BankPolicy/text``.
    package init(settings text: String, of bankId: Identifier) {
        let digest = Hex.encode(Array(SHA256.hash(Array(text.utf8)).prefix(8)))
        self.init(
            .settings, "", of: bankId, sign: "SHA-256 \(digest)",
            contents: text.split(separator: "\n").map(String.init), Array(text.utf8))
    }

    /// The digest in hex, as the inventory has it.
    package var value: String { Hex.encode(digest) }

    /// For an HMAC key, its KCV: the first three bytes of HMAC-SHA-256 over no bytes. For other keys it only tells them apart.
    private static func checkValue(of key: borrowing SecretBytes) -> String {
        Hex.encode(Array(HMACSHA256.authenticationCode(for: [UInt8](), key: key).prefix(3))).uppercased()
    }

    /// Tells keys apart, and reveals nothing about them.
    private static func fingerprint(of key: borrowing SecretBytes) -> [UInt8] {
        HMACSHA256.authenticationCode(for: Array("card-companion approved key".utf8), key: key)
    }
}

extension InventoryKind {
    /// What people call such an object.
    package var noun: String {
        switch self {
        case .settings: "settings"
        case .approvedSettings: "approved settings"
        case .hmacKey: "HMAC key"
        case .key: "key"
        case .certificate: "certificate"
        case .revocationList: "CRL"
        case .issuerKey: "issuer key"
        case .webhook: "webhook"
        case .documentClient: "document client"
        case .trustRoot: "root of the trust list"
        case .trustList: "trust list"
        case .trustRevocationList: "CRL of the trust list"
        case .bank: "bank"
        case .dataKey: "data key"
        case .serverKey: "server key"
        case .recoveryKey: "recovery key"
        case .masterKey: "master key"
        case .closedProposal: "closed proposal"
        case .proposalsFrom: "time of proposals"
        case .lostVersion: "lost version"
        }
    }
}
