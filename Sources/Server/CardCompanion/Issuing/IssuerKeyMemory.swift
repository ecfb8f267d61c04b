internal import CardCompanionModel
internal import Cryptography
internal import HTTPSignatures
internal import KeyVault
internal import Synchronization

/// A back-end's key. A public key is parsed once. A shared secret stays sealed until a call needs it.
struct IssuerKey: Sendable {
    let record: IssuerKeyRecord
    private let publicKey: VerificationKey?

    /// - Throws: `InvalidSetting` if the public key cannot be read, which its import would have refused.
    init(_ record: IssuerKeyRecord) throws {
        self.record = record
        publicKey = try record.publicKey.map { der in
            guard let algorithm = SignatureAlgorithm(rawValue: record.algorithm) else { throw Self.unreadable(record) }
            return try VerificationKey(algorithm, subjectPublicKeyInfo: der)
        }
    }

    func verificationKey(_ keyring: Keyring) throws -> VerificationKey {
        if let publicKey { return publicKey }
        guard let sealed = record.sealedSecret else { throw Self.unreadable(record) }
        return .hmacSHA256(try HMACKey(try keyring.open(sealed, in: .issuerSecret(record.keyId))))
    }

    private static func unreadable(_ record: IssuerKeyRecord) -> InvalidSetting {
        InvalidSetting(description: "issuer key '\(record.keyId)' cannot be read")
    }
}

/// The keys of back-ends that were looked up before. They decide nothing alone: a call that they verify is accepted only if
/// the database still has the same key. They save look-ups for calls that they refuse.
final class IssuerKeyMemory: Sendable {
    /// How many keys are remembered. When there are more, all are forgotten.
    static let capacity = 10_000

    /// Look-ups for calls that no remembered key verifies.
    let vain: LookUpLimit

    private struct Remembered {
        /// The keys were approved by the operators of this generation.
        var generation = 0
        var keys: [String: IssuerKey] = [:]
    }

    private let remembered = Mutex(Remembered())

    init(lookUps: TokenBucket.Rate) {
        vain = LookUpLimit(lookUps)
    }

    func keys(_ keyIds: [String], of generation: Int) -> [IssuerKey] {
        remembered.withLock { remembered in
            guard remembered.generation == generation else { return [] }
            return keyIds.compactMap { remembered.keys[$0] }
        }
    }

    /// Remembers which keys the database has under these names.
    ///
    /// - Parameter generation: the operators' generation before the look-up.
    func remember(_ found: [IssuerKey], named keyIds: [String], of generation: Int) {
        remembered.withLock { remembered in
            if remembered.generation != generation { remembered = Remembered(generation: generation) }
            for keyId in keyIds { remembered.keys[keyId] = nil }
            if remembered.keys.count + found.count > Self.capacity {
                remembered.keys.removeAll(keepingCapacity: true)
            }
            for key in found { remembered.keys[key.record.keyId] = key }
        }
    }
}
