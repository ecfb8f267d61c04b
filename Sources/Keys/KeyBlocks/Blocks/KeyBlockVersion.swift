internal import Cryptography

/// How a key block is protected (X9.143 section 6.2). Versions A and C are deprecated.
package enum KeyBlockVersion: Character, Sendable, Hashable, CaseIterable {
    /// Triple DES, key derivation.
    case tripleDES = "B"
    /// AES, key derivation.
    case aes = "D"

    /// What its protection key is for.
    package var algorithm: KeyAlgorithm { self == .tripleDES ? .tripleDES : .aes }

    var cipher: BlockCipher.Algorithm { self == .tripleDES ? .tripleDES : .aes }
    /// Of the cipher, the MAC, and the optional blocks together.
    var blockByteCount: Int { cipher.blockByteCount }
}
