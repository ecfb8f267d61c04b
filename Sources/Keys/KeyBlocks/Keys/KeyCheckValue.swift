internal import Cryptography
internal import SecureMemory

/// A few bytes that show whether two people have the same key, without revealing it. They prove nothing and name no key,
/// because other keys have the same ones.
package struct KeyCheckValue: Sendable, Hashable, CustomStringConvertible {
    /// How it is computed (X9.24-1:2017 annex A).
    package enum Method: Sendable, Hashable {
        /// A zero block, encrypted: 3 bytes.
        case encryptedZeros
        /// CMAC over a zero block: 5 bytes.
        case cmac
        /// HMAC-SHA-256 over nothing: 3 bytes.
        case hmac

        package var byteCount: Int {
            switch self {
            case .encryptedZeros, .hmac: 3
            case .cmac: 5
            }
        }
    }

    package let bytes: [UInt8]

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The usual one of an algorithm.
    ///
    /// - Parameter key: of a length that the algorithm allows. It can be a weak key, such as a component.
    /// - Throws: `engineFailure` if OpenSSL does not provide the algorithm.
    init(of key: borrowing SecretBytes, _ algorithm: KeyAlgorithm) throws(CryptographyError) {
        switch algorithm {
        case .tripleDES: try self.init(of: key, .tripleDES, by: .encryptedZeros)
        case .aes: try self.init(of: key, .aes, by: .cmac)
        case .hmac:
            let code = HMACSHA256.authenticationCode(for: [UInt8](), key: key)
            self.init(Array(code.prefix(Method.hmac.byteCount)))
        }
    }

    /// - Throws: `invalidKey` if the key's length does not fit the cipher, `engineFailure`.
    init(
        of key: borrowing SecretBytes, _ cipher: BlockCipher.Algorithm, by method: Method
    ) throws(CryptographyError) {
        let zeros = [UInt8](repeating: 0, count: cipher.blockByteCount)
        let key = try BlockCipher(cipher, key: key)
        let block = method == .cmac ? try key.authenticationCode(for: zeros) : try key.encryptBlocks(zeros)
        bytes = block.withBytes { Array($0.prefix(method.byteCount)) }
    }

    /// In hex, upper case.
    package var description: String { Hex.encode(bytes).uppercased() }
}
