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

    package let method: Method
    /// The longest check value that a program may show, and no more of what the method computes.
    private let longest: [UInt8]

    /// The usual ones of an algorithm; first the one that the server shows.
    ///
    /// - Parameter key: of a length that the algorithm allows. It can be a weak key, such as a component.
    /// - Throws: `engineFailure` if OpenSSL does not provide the algorithm.
    static func all(
        of key: borrowing SecretBytes, _ algorithm: KeyAlgorithm
    ) throws(CryptographyError) -> [KeyCheckValue] {
        switch algorithm {
        case .tripleDES: [try KeyCheckValue(of: key, .tripleDES, by: .encryptedZeros)]
        case .aes:
            [try KeyCheckValue(of: key, .aes, by: .cmac), try KeyCheckValue(of: key, .aes, by: .encryptedZeros)]
        case .hmac: [KeyCheckValue(.hmac, HMACSHA256.authenticationCode(for: [UInt8](), key: key))]
        }
    }

    /// - Throws: `invalidKey` if the key's length does not fit the cipher, `engineFailure`.
    init(
        of key: borrowing SecretBytes, _ cipher: BlockCipher.Algorithm, by method: Method
    ) throws(CryptographyError) {
        let zeros = [UInt8](repeating: 0, count: cipher.blockByteCount)
        let key = try BlockCipher(cipher, key: key)
        let block = method == .cmac ? try key.authenticationCode(for: zeros) : try key.encryptBlocks(zeros)
        self.init(method, block.withBytes { [UInt8]($0) })
    }

    private init(_ method: Method, _ whole: [UInt8]) {
        self.method = method
        longest = Array(whole.prefix(Self.byteCounts.upperBound))
    }

    /// As many as is usual.
    package var bytes: [UInt8] { Array(longest.prefix(method.byteCount)) }

    /// In hex, upper case.
    package var description: String { Hex.encode(bytes).uppercased() }

    /// Whether a check value of another program, which can be shorter or longer, is this one.
    func agrees(with other: [UInt8]) -> Bool {
        Self.byteCounts.contains(other.count) && ConstantTime.areEqual(Array(longest.prefix(other.count)), other)
    }

    /// The lengths that programs show: fewer bytes say too little, and more are not allowed (PCI PIN, glossary).
    static let byteCounts = 3...5
}

/// A key check value that somebody has on paper, from whatever program.
package struct ShownCheckValue: Sendable, Hashable {
    let bytes: [UInt8]

    /// - Parameter text: hex in either case.
    /// - Returns: nil if it is not 6, 8 or 10 hex digits.
    package init?(_ text: String) {
        guard let bytes = Hex.decode(text), KeyCheckValue.byteCounts.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}
