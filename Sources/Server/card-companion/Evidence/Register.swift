import Administration
import CardCompanion
import CardCompanionHTTP
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import DualControl
import SecureMemory

/// A key or a certificate, as a bank's register of certificates and of the devices that store them has it (Delegated Regulation (EU)
/// 2024/1774, article 7(4)). It has no secret.
struct RegisterEntry: Encodable, Sendable {
    /// `certificate`, `key` or `public key`.
    let kind: String
    /// A bank's id, or `server`.
    let owner: String
    let name: String
    let use: String
    let algorithm: String
    /// What tells it from others: a key check value, a thumbprint, or the SHA-256 of a certificate.
    var identifier: String?
    let place: String
    let status: String
    var from: String?
    /// Nil if it does not expire.
    var to: String?
    /// The operators who have approved it; none without dual control.
    var approvedBy: [String] = []
}

extension Installation {
    /// Every key and certificate that servers use or know.
    func register(_ settings: ServerSettings) async throws -> [RegisterEntry] {
        var entries = try settings.http.tls.map { [try RegisterEntry(tls: $0)] } ?? []
        entries += try await serverEntries()
        for bank in try await store.banks() { entries += try await self.entries(of: bank.id) }
        return entries
    }

    private func serverEntries() async throws -> [RegisterEntry] {
        let keys = try await WrappedDataKeys.read(from: store)
        return keys.masterKeys.map { RegisterEntry($0) } + keys.records.map { RegisterEntry($0, keys) }
            + (try await store.serverKeys()).map { RegisterEntry($0) }
    }

    private func entries(of bankId: Identifier) async throws -> [RegisterEntry] {
        var entries = try await store.listedKeys(bankId: bankId).map { RegisterEntry($0, of: bankId) }
        let keyCount = entries.count
        entries += try await store.certificates(bankId: bankId).map { RegisterEntry($0, of: bankId) }
        let certificateCount = entries.count - keyCount
        entries += try await store.issuerKeys(bankId: bankId).map { RegisterEntry($0) }
        let approvers = try await Approvers(of: bankId, in: self)
        for index in entries.indices {
            let kinds =
                switch index {
                case ..<keyCount: BankKeys.inventoryKinds
                case ..<(keyCount + certificateCount): Certificates.inventoryKinds
                default: IssuerKeys.inventoryKinds
                }
            entries[index].approvedBy = approvers.names(kinds, entries[index].name)
        }
        return entries
    }
}

/// Who has approved the objects of a bank.
private struct Approvers {
    private let inventory: Inventory?
    private var operators: [String: [String]] = [:]

    init(of bankId: Identifier, in installation: Installation) async throws {
        inventory = try await installation.inventory(of: bankId)
        let ids = Set(inventory?.entries.values.compactMap(\.approvalId) ?? [])
        for approval in try await installation.store.approvals(ids: Array(ids)) {
            operators[approval.id] = [approval.firstOperator, approval.secondOperator]
        }
    }

    func names(_ kinds: [InventoryKind], _ name: String) -> [String] {
        let entries = kinds.compactMap { inventory?[$0, name] }
        return entries.compactMap(\.approvalId).compactMap { operators[$0] }.first ?? []
    }
}

// MARK: - One entry of each kind

extension RegisterEntry {
    /// Where every secret of a bank and of the server is.
    private static let database = "database, sealed with a data key"
    private static let server = "server"

    init(tls files: TLSFiles) throws(TLSFileProblem) {
        let validity = try files.validity()
        self.init(
            kind: "certificate", owner: Self.server, name: files.certificateChainPath, use: "TLS", algorithm: "X.509",
            place: "files \(files.certificateChainPath) and \(files.privateKeyPath)", status: Activity.active.rawValue,
            from: Timestamp(seconds: validity.from).text, to: Timestamp(seconds: validity.to).text)
    }

    init(_ key: MasterKeyRecord) {
        self.init(
            kind: "key", owner: Self.server, name: key.id, use: "master key: wraps the data keys",
            algorithm: key.kind == .recovery ? "RSA" : "AES-256", place: "\(key.kind.rawValue) \(key.name)",
            status: key.status.rawValue, from: key.createdAt.text)
    }

    init(_ key: DataKeyRecord, _ keys: WrappedDataKeys) {
        self.init(
            kind: "key", owner: Self.server, name: "\(key.id)", use: "data key: \(key.purpose.rawValue)",
            algorithm: "AES-256",
            place: "database, wrapped by the master keys \(keys.masterKeyIds(of: key.id).joined(separator: ", "))",
            status: key.state.rawValue, from: key.activeFrom.text)
    }

    init(_ key: ServerKeyRecord) {
        self.init(
            kind: "key", owner: Self.server, name: key.keyId,
            use: key.kind == .signing ? "signs events and seals" : "opens what apps and banks seal",
            algorithm: key.kind == .rsa ? "RSA" : "EC P-256", identifier: key.keyId,
            place: key.sealedKey == nil ? "erased" : Self.database, status: key.status.rawValue,
            from: key.createdAt.text)
    }

    init(_ key: ListedKey, of bankId: Identifier) {
        self.init(
            kind: "key", owner: bankId.text, name: key.label, use: key.usage.rawValue,
            algorithm: key.algorithm.rawValue, identifier: key.kcv, place: Self.database, status: key.status.rawValue,
            from: key.createdAt.text)
    }

    init(_ certificate: CertificateRecord, of bankId: Identifier) {
        let isRSA = (try? Certificate(der: certificate.der))?.rsaPublicKey != nil
        self.init(
            kind: "certificate", owner: bankId.text, name: certificate.alias, use: certificate.purpose.rawValue,
            algorithm: isRSA ? "RSA" : "EC", identifier: Hex.encode(certificate.fingerprint),
            place: "database; the bank has the private key", status: certificate.status.rawValue,
            from: certificate.notBefore.text, to: certificate.notAfter.text)
    }

    init(_ key: IssuerKeyRecord) {
        self.init(
            kind: key.publicKey == nil ? "key" : "public key", owner: key.bankId.text, name: key.keyId,
            use: "verifies calls of the back-end", algorithm: key.algorithm,
            identifier: key.publicKey.map { Hex.encode(SHA256.hash($0)) },
            place: key.publicKey == nil ? Self.database : "database; the bank has the private key",
            status: key.status.rawValue, from: key.createdAt.text)
    }
}
