package import Cryptography

/// What a key computes (X9.143 section 6.3.2). Its raw value is the letter in the header of a key block.
package enum KeyAlgorithm: Character, Sendable, Hashable, CaseIterable {
    case tripleDES = "T"
    case aes = "A"
    /// HMAC with SHA-256.
    case hmac = "H"

    /// The block cipher; nil for HMAC.
    package var blockCipher: BlockCipher.Algorithm? {
        switch self {
        case .tripleDES: .tripleDES
        case .aes: .aes
        case .hmac: nil
        }
    }

    /// For people.
    package var name: String {
        switch self {
        case .tripleDES: "Triple DES"
        case .aes: "AES"
        case .hmac: "HMAC"
        }
    }
}
