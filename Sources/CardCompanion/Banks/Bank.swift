internal import CardCompanionStore
internal import Cryptography
internal import KeyVault
internal import SecureMemory
internal import StrictJSON

/// A bank as requests are judged with it: its settings, and its keys ready for use.
struct Bank: Sendable {
    /// A certificate of the bank's: tokens are signed under its key, or defined PINs sealed to it.
    struct BankCertificate: Sendable {
        let alias: String
        let publicKey: RSAPublicKey
        let notBefore: Timestamp
        let notAfter: Timestamp

        func isValid(at now: Timestamp) -> Bool {
            notBefore.seconds <= now.seconds && now.seconds <= notAfter.seconds
        }

        /// Whether a token's signature is this certificate's, within its validity.
        func verifies(_ signature: [UInt8], of token: AuthenticationToken, at now: Timestamp) -> Bool {
            isValid(at: now)
                && publicKey.isValidPKCS1SHA256(signature: signature, for: token.members.bytes)
        }
    }

    let id: String
    let revision: Int64
    let isActive: Bool
    let settings: BankSettings
    /// The active keys that opened.
    let hmacKeys: [SharedSecret]
    /// Whether an active key is damaged, rather than under a data key that the vault lacks.
    let hasDamagedKey: Bool
    let certificates: [ExactText: BankCertificate]
    let defaultCertificate: BankCertificate?
    /// What the bank's back-end opens a defined PIN with; nil where it has not brought a certificate for that.
    let encryptionCertificate: BankCertificate?

    init(_ record: BankRecord, keys: [HMACKeyRecord], certificates: [CertificateRecord], keyring: Keyring) throws {
        id = record.id
        revision = record.revision
        isActive = record.status == .active
        settings = record.settings

        var opened: [SharedSecret] = []
        var damaged = false
        for key in keys where key.status == .active {
            do throws(KeyVaultError) {
                let place = SealedPlace.hmacKey(bankId: record.id, label: key.label)
                opened.append(SharedSecret(try keyring.open(key.sealedKey, in: place)))
            } catch {
                damaged = damaged || error == .damagedValue
            }
        }
        hmacKeys = opened
        hasDamagedKey = damaged

        let active = certificates.filter { $0.status == .active }
        var byAlias: [ExactText: BankCertificate] = [:]
        for certificate in active where certificate.purpose == .signature {
            byAlias[ExactText(certificate.alias)] = try BankCertificate(certificate)
        }
        self.certificates = byAlias
        let byDefault = active.filter(\.isDefault)
        defaultCertificate = byDefault.first { $0.purpose == .signature }.flatMap { byAlias[ExactText($0.alias)] }
        encryptionCertificate = try byDefault.first { $0.purpose == .encryption }.map { try BankCertificate($0) }
    }

    /// Whether a hashMac is of one of the bank's keys (protocol, section 2.1).
    func isAuthentic(_ hashMac: [UInt8], bankId: String, uniqueId: String, _ timestamp: RequestTimestamp) -> Bool {
        let message = Array((bankId + uniqueId + timestamp.text).utf8)
        return hmacKeys.contains { HMACSHA256.isValid(hashMac, for: message, key: $0.bytes) }
    }

    func certificate(_ choice: AuthenticationToken.CertificateChoice) -> BankCertificate? {
        switch choice {
        case .byDefault: defaultCertificate
        case .alias(let alias): certificates[ExactText(alias)]
        }
    }
}

/// A certificate in the store that its import cannot have let in.
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
    }
}

extension SealedPlace {
    static func hmacKey(bankId: String, label: String) -> SealedPlace {
        SealedPlace("hmac_key.sealed_key", row: bankId, label)
    }
}
