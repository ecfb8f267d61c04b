package import CardCompanionModel
internal import Cryptography
internal import KeyVault
internal import SecureMemory
internal import StrictJSON

/// A bank as requests are checked with it: its settings, and its keys ready for use. It does not change. It
/// is a class, because it takes a kilobyte and passes through many calls.
final class Bank: Sendable {
    /// A certificate of the bank: tokens are signed with its key, or defined PINs are sealed to it.
    struct BankCertificate: Sendable {
        let alias: String
        let publicKey: RSAPublicKey
        let notBefore: Timestamp
        let notAfter: Timestamp
        let revocation: Revocation

        func isValid(at now: Timestamp) -> Bool {
            now.isWithin(notBefore, notAfter) && revocation.allowsUse(at: now)
        }

        /// Whether a token was signed with this certificate's key, within its validity, and it is not revoked.
        func verifies(_ signature: [UInt8], of token: AuthenticationToken, at now: Timestamp) -> Bool {
            isValid(at: now)
                && publicKey.isValidPKCS1SHA256(signature: signature, for: token.members.bytes)
        }
    }

    let id: Identifier
    let revision: Int64
    let isActive: Bool
    let settings: BankSettings
    /// When the database was restored; nil if it never was.
    private let requestsFrom: Timestamp?
    /// For hashMacs of fetches.
    let distributionKeys: HMACKeys
    /// For hashMacs of definitions.
    let definitionKeys: HMACKeys
    let certificates: [Identifier: BankCertificate]
    let defaultCertificate: BankCertificate?
    /// Defined PINs are sealed to it for the bank; nil if the bank has not imported one.
    private let encryptionCertificate: BankCertificate?
    /// Results of document verifications are sealed to it; nil if the bank has not imported one.
    private let resultCertificate: BankCertificate?
    /// The key of the PIN blocks with defined PINs; nil if the bank has no such key, or it does not open.
    private let definedPINKey: PINKey?

    init(_ found: BankWithKeys, keyring: Keyring) throws {
        let (record, keys, certificates) = (found.bank, found.hmacKeys, found.certificates)
        id = record.id
        revision = record.revision
        isActive = record.status == .active
        settings = record.settings
        requestsFrom = record.requestsFrom

        distributionKeys = try HMACKeys(keys, of: record.id, for: [.distribution, .both], keyring: keyring)
        definitionKeys = try HMACKeys(keys, of: record.id, for: [.definition, .both], keyring: keyring)

        let active = certificates.filter { $0.status == .active }
        var byAlias: [Identifier: BankCertificate] = [:]
        for certificate in active where certificate.purpose == .signature {
            if let alias = Identifier(certificate.alias) { byAlias[alias] = try BankCertificate(certificate) }
        }
        self.certificates = byAlias
        let defaults = active.filter(\.isDefault)
        defaultCertificate = try defaults.first { $0.purpose == .signature }.map { try BankCertificate($0) }
        encryptionCertificate = try defaults.first { $0.purpose == .encryption }.map { try BankCertificate($0) }
        resultCertificate = try defaults.first { $0.purpose == .identity }.map { try BankCertificate($0) }
        sealsResults = found.sealsResults
        definedPINKey = found.definedPINKey.flatMap { key in
            key.makesPINBlocks ? try? PINKey(key, of: record.id, keyring: keyring) : nil
        }
        // The vault was lost while the keys were opened: the bank would lack keys.
        guard keyring.isOpen else { throw KeyVaultError.vaultClosed }
    }

    /// Whether a request may have been served before the database was restored. The database does not know such requests.
    func isFromBeforeRestore(_ timestamp: RequestTimestamp) -> Bool {
        requestsFrom.map { timestamp.seconds <= $0.seconds } ?? false
    }

    /// How defined PINs reach the bank; nil if the bank lacks a valid certificate to seal them to, or the key for their PIN
    /// blocks.
    func definedPINDelivery(at now: Timestamp) -> DefinedPINDelivery? {
        guard let certificate = encryptionCertificate(at: now) else { return nil }
        guard settings.definedPINKey != nil else {
            return DefinedPINDelivery(bankId: id, certificate: certificate, blockKey: nil)
        }
        return definedPINKey.map { DefinedPINDelivery(bankId: id, certificate: certificate, blockKey: $0) }
    }

    /// The certificate for defined PINs; nil if none is valid.
    func encryptionCertificate(at now: Timestamp) -> BankCertificate? {
        encryptionCertificate.flatMap { $0.isValid(at: now) ? $0 : nil }
    }

    /// Whether results of document verifications must be sealed.
    let sealsResults: Bool

    /// The certificate for results of document verifications; nil if none is valid.
    func identityCertificate(at now: Timestamp) -> BankCertificate? {
        resultCertificate.flatMap { $0.isValid(at: now) ? $0 : nil }
    }

    func certificate(_ choice: AuthenticationToken.CertificateChoice) -> BankCertificate? {
        switch choice {
        case .byDefault: defaultCertificate
        case .alias(let alias): certificates[alias]
        }
    }
}

extension CertificateRecord {
    package func isValid(at now: Timestamp) -> Bool {
        now.isWithin(notBefore, notAfter) && revocation.allowsUse(at: now)
    }
}

extension Timestamp {
    /// Whether the time is within a certificate's validity (RFC 5280 section 4.1.2.5).
    fileprivate func isWithin(_ notBefore: Timestamp, _ notAfter: Timestamp) -> Bool {
        notBefore.seconds <= seconds && seconds <= notAfter.seconds
    }
}

/// A stored certificate without an RSA key, which its import would have refused.
struct UnusableCertificate: Error {
    let alias: String
}

extension Bank.BankCertificate {
    fileprivate init(_ record: CertificateRecord) throws {
        guard let key = try Certificate(der: record.der).rsaPublicKey else {
            throw UnusableCertificate(alias: record.alias)
        }
        alias = record.alias
        publicKey = key
        notBefore = record.notBefore
        notAfter = record.notAfter
        revocation = record.revocation
    }
}
