package import Cryptography
package import SecureMemory

/// The two keys of a channel (Doc 9303-11 section 9.8).
package struct SessionKeys: Sendable {
    /// The algorithm of both keys.
    package enum Cipher: Hashable, Sendable, CaseIterable {
        case tripleDES
        case aes128
        case aes192
        case aes256

        package var keyByteCount: Int {
            switch self {
            case .tripleDES, .aes128: 16
            case .aes192: 24
            case .aes256: 32
            }
        }

        var algorithm: BlockCipher.Algorithm { self == .tripleDES ? .tripleDES : .aes }

        package var blockByteCount: Int { algorithm.blockByteCount }
    }

    package let cipher: Cipher
    /// For the one who gets the keys after chip authentication.
    package let encryptionKey: SharedSecret
    package let authenticationKey: SharedSecret

    private let blockCipher: BlockCipher
    private let authenticator: Authenticator

    private enum Authenticator: Sendable {
        case retail(RetailMAC)
        case cmac(BlockCipher)
    }

    /// - Throws: `FormatError` if the length of a key is not the cipher's.
    package init(
        _ cipher: Cipher, encryptionKey: consuming SecretBytes, authenticationKey: consuming SecretBytes
    ) throws(FormatError) {
        let (encryption, authentication) = (SharedSecret(encryptionKey), SharedSecret(authenticationKey))
        let counts = [encryption.bytes.count, authentication.bytes.count]
        guard counts == [cipher.keyByteCount, cipher.keyByteCount],
            let blockCipher = try? BlockCipher(cipher.algorithm, key: encryption.bytes),
            let authenticator = try? Self.authenticator(cipher, authentication.bytes)
        else { throw FormatError("a session key does not have \(cipher.keyByteCount) bytes") }
        self.cipher = cipher
        self.encryptionKey = encryption
        self.authenticationKey = authentication
        self.blockCipher = blockCipher
        self.authenticator = authenticator
    }

    /// Derives keys from the secret of a key agreement (Doc 9303-11 section 9.7.1).
    package init(_ cipher: Cipher, secret: borrowing some ByteSource & ~Copyable) throws(FormatError) {
        try self.init(
            cipher, encryptionKey: KeyDerivation.key(of: secret, counter: 1, cipher),
            authenticationKey: KeyDerivation.key(of: secret, counter: 2, cipher))
    }

    private static func authenticator(
        _ cipher: Cipher, _ key: borrowing SecretBytes
    ) throws(CryptographyError) -> Authenticator {
        cipher == .tripleDES ? .retail(try RetailMAC(key: key)) : .cmac(try BlockCipher(.aes, key: key))
    }

    /// Encrypts whole blocks for the message with this counter.
    package func encrypt(_ padded: Octets, _ counter: SendSequenceCounter) throws(CryptographyError) -> [UInt8] {
        try blockCipher.encryptChain(padded, initializationVector: initializationVector(counter))
    }

    /// Decrypts whole blocks of the message with this counter.
    package func decrypt(_ cryptogram: Octets, _ counter: SendSequenceCounter) throws(CryptographyError) -> SecretBytes
    {
        try blockCipher.decryptChain(cryptogram, initializationVector: initializationVector(counter))
    }

    /// Zero for Triple DES; the encrypted counter for AES.
    private func initializationVector(_ counter: SendSequenceCounter) throws(CryptographyError) -> [UInt8] {
        guard cipher != .tripleDES else { return [UInt8](repeating: 0, count: cipher.blockByteCount) }
        return try blockCipher.encryptBlocks(counter.bytes).withBytes { Array($0) }
    }

    /// The MAC of a padded message, 8 bytes.
    package func authenticationCode(of padded: [UInt8]) throws(CryptographyError) -> [UInt8] {
        switch authenticator {
        case .retail(let mac): try mac.authenticationCode(for: padded)
        case .cmac(let cipher): try cipher.authenticationCode(for: padded).withBytes { Array($0.prefix(8)) }
        }
    }
}

/// The key derivation function of Doc 9303-11 section 9.7.1.
package enum KeyDerivation {
    /// Hashes the secret and a counter: 1 for encryption, 2 for authentication, 3 for the password of PACE. SHA-1 for keys of
    /// up to 128 bits, else SHA-256. The bytes of a Triple DES key get odd parity.
    package static func key(
        of secret: borrowing some ByteSource & ~Copyable, counter: UInt8, _ cipher: SessionKeys.Cipher
    ) -> SecretBytes {
        var input = SecretBuffer(capacity: 128)
        input.append(secret)
        input.append([0, 0, 0, counter])
        let hash: HashAlgorithm = cipher.keyByteCount <= 16 ? .sha1 : .sha256
        return hash.secretHash(input.finish()).withBytes { hash in
            let key = SecretBytes(copying: UnsafeRawBufferPointer(rebasing: hash[..<cipher.keyByteCount]))
            guard cipher == .tripleDES else { return key }
            return key.withOddParity()
        }
    }
}
