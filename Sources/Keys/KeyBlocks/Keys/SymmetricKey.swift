internal import Cryptography
package import SecureMemory

/// A key that a bank shares with the server. Its length fits its algorithm, and it is not a weak one.
package struct SymmetricKey: Sendable {
    /// The lengths of HMAC keys, in bytes.
    package static let hmacByteCounts = 16...128
    /// The lengths of the longest keys, in bytes.
    package static let byteCountLimit = hmacByteCounts.upperBound

    package let algorithm: KeyAlgorithm
    /// The key itself.
    package let secret: SharedSecret
    /// The key check values that programs show for its algorithm, which do not reveal the key. The first is the server's.
    package let checkValues: [KeyCheckValue]

    /// Takes ownership of a key.
    ///
    /// - Throws: ``InvalidKey``.
    package init(_ algorithm: KeyAlgorithm, _ key: consuming SecretBytes) throws(InvalidKey) {
        let secret = SharedSecret(key)
        guard Self.fits(secret.bytes.count, algorithm) else {
            throw .length(algorithm, byteCount: secret.bytes.count)
        }
        guard !DegenerateKey.isDegenerate(secret.bytes, algorithm) else { throw .degenerate(algorithm) }
        do throws(CryptographyError) {
            checkValues = try KeyCheckValue.all(of: secret.bytes, algorithm)
        } catch {
            throw .unavailable(algorithm)
        }
        self.algorithm = algorithm
        self.secret = secret
    }

    /// Whether a key of an algorithm can have a length.
    static func fits(_ byteCount: Int, _ algorithm: KeyAlgorithm) -> Bool {
        algorithm.blockCipher?.keyByteCounts.contains(byteCount) ?? hmacByteCounts.contains(byteCount)
    }

    /// The one that the server shows.
    package var checkValue: KeyCheckValue { checkValues[0] }

    /// Whether a check value on somebody's paper is the key's, by any method. The shorter one is compared.
    package func has(_ shown: ShownCheckValue) -> Bool {
        checkValues.contains { $0.agrees(with: shown.bytes) }
    }

    package var strength: KeyStrength { KeyStrength(algorithm, byteCount: secret.bytes.count) }
}

/// Why a key is refused.
package enum InvalidKey: Error, Equatable, Sendable, CustomStringConvertible {
    case length(KeyAlgorithm, byteCount: Int)
    /// All bytes are equal, or a part of a Triple DES key is weak or repeated.
    case degenerate(KeyAlgorithm)
    /// OpenSSL's configuration lacks the algorithm.
    case unavailable(KeyAlgorithm)

    package var description: String {
        switch self {
        case .length(.hmac, let count):
            "an HMAC key must have \(SymmetricKey.hmacByteCounts.lowerBound) to "
                + "\(SymmetricKey.hmacByteCounts.upperBound) bytes (has \(count))"
        case .length(let algorithm, let count):
            "a key of \(algorithm.name) must have \(Self.lengths(algorithm)) bytes (has \(count))"
        case .degenerate(.tripleDES):
            "the key is weak: its parts of 8 bytes must differ, and none may be one of DES's weak keys"
        case .degenerate: "the key is weak: all its bytes are equal"
        case .unavailable(let algorithm): "OpenSSL does not provide \(algorithm.name) here: see its configuration"
        }
    }

    private static func lengths(_ algorithm: KeyAlgorithm) -> String {
        let counts = (algorithm.blockCipher?.keyByteCounts ?? []).sorted().map(String.init)
        return counts.dropLast().joined(separator: ", ") + " or " + (counts.last ?? "")
    }
}
