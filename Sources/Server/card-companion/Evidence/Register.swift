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
    /// A bank's id, `server` or `operator`.
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
    /// The keys and certificates of the server and of banks, and the operators' public keys. Not in it is what docs/operations.md
    /// names under "Evidence for auditors".
    func register(_ settings: ServerSettings) async throws -> [RegisterEntry] {
        var entries = try settings.http.tls.map { [try RegisterEntry(tls: $0)] } ?? []
        entries += try await serverEntries()
        for bank in try await store.banks() { entries += try await self.entries(of: bank.id) }
        return entries
    }

    private func serverEntries() async throws -> [RegisterEntry] {
        let keys = try await WrappedDataKeys.read(from: store)
        let sealKeys = try await withSeals(signs: false) { try await $0.keys.verifiers() }
            .filter { $0.value.holder != .server }.keys.sorted()
        return keys.masterKeys.map { RegisterEntry($0) } + keys.records.map { RegisterEntry($0, keys) }
            + (try await store.serverKeys()).map { RegisterEntry($0) } + sealKeys.map { RegisterEntry(sealKey: $0) }
            + (try await operators()?.members ?? []).map { RegisterEntry($0) }
    }

    private func entries(of bankId: Identifier) async throws -> [RegisterEntry] {
        let approvers = try await Approvers(of: bankId, in: self)
        return try await store.listedKeys(bankId: bankId).map {
            RegisterEntry($0, of: bankId, approvedBy: approvers.names(BankKeys.inventoryKinds, $0.label))
        }
            + store.certificates(bankId: bankId).map {
                RegisterEntry($0, of: bankId, approvedBy: approvers.names(Certificates.inventoryKinds, $0.alias))
            }
            + store.issuerKeys(bankId: bankId).map {
                RegisterEntry($0, approvedBy: approvers.names(IssuerKeys.inventoryKinds, $0.keyId))
            }
    }
}

/// Who has approved the objects of a bank.
struct Approvers {
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

    /// - Throws: ``TLSFileProblem``, `CryptographyError`.
    init(tls files: TLSFiles) throws {
        let validity = try files.validity()
        let chain = try Certificate.readPEMChain(
            InputFile.read(files.certificateChainPath, byteLimit: InputFile.certificateByteLimit))
        self.init(
            kind: "certificate", owner: Self.server, name: files.certificateChainPath, use: "TLS",
            algorithm: Self.algorithm(chain.first), identifier: chain.first.map { Hex.encode($0.fingerprintSHA256) },
            place: "files \(files.certificateChainPath) and \(files.privateKeyPath)",
            status: Activity.active.rawValue, from: Timestamp(seconds: validity.from).text,
            to: Timestamp(seconds: validity.to).text)
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
            use: key.kind == .signing
                ? "signs events, and seals where no token does" : "opens what apps and banks seal",
            algorithm: key.kind == .rsa ? "RSA" : "EC P-256", identifier: key.keyId,
            place: key.sealedKey == nil ? "erased" : Self.database, status: key.status.rawValue,
            from: key.createdAt.text)
    }

    /// - Parameter thumbprint: of a token's key.
    init(sealKey thumbprint: String) {
        self.init(
            kind: "key", owner: Self.server, name: thumbprint, use: "signs seals of the audit trail",
            algorithm: "EC P-256", identifier: thumbprint, place: "token", status: Activity.active.rawValue)
    }

    init(_ member: OperatorRoster.Member) {
        self.init(
            kind: "public key", owner: "operator", name: member.name, use: "approves changes", algorithm: "Ed25519",
            identifier: OperatorRoster.fingerprint(member.publicKey), place: "vault; the operator has the private key",
            status: Activity.active.rawValue)
    }

    init(_ key: ListedKey, of bankId: Identifier, approvedBy operators: [String]) {
        self.init(
            kind: "key", owner: bankId.text, name: key.label,
            use: key.usage.rawValue + (key.rules.map { " (\($0.replacing("\n", with: ", ")))" } ?? ""),
            algorithm: key.algorithm.rawValue, identifier: key.kcv, place: Self.database, status: key.status.rawValue,
            from: key.createdAt.text, approvedBy: operators)
    }

    init(_ certificate: CertificateRecord, of bankId: Identifier, approvedBy operators: [String]) {
        self.init(
            kind: "certificate", owner: bankId.text, name: certificate.alias, use: certificate.purpose.rawValue,
            algorithm: Self.algorithm(try? Certificate(der: certificate.der)),
            identifier: Hex.encode(certificate.fingerprint), place: "database; the bank has the private key",
            status: certificate.status.rawValue, from: certificate.notBefore.text, to: certificate.notAfter.text,
            approvedBy: operators)
    }

    init(_ key: IssuerKeyRecord, approvedBy operators: [String]) {
        self.init(
            kind: key.publicKey == nil ? "key" : "public key", owner: key.bankId.text, name: key.keyId,
            use: "verifies calls of the back-end", algorithm: key.algorithm,
            identifier: key.publicKey.map { Hex.encode(SHA256.hash($0)) },
            place: key.publicKey == nil ? Self.database : "database; the bank has the private key",
            status: key.status.rawValue, from: key.createdAt.text, approvedBy: operators)
    }

    /// Of a certificate's key. Servers take RSA and elliptic curves only.
    private static func algorithm(_ certificate: Certificate?) -> String {
        certificate?.rsaPublicKey.map { "RSA \($0.modulusBits)" } ?? "EC"
    }
}
