internal import COpenSSL
package import SecureMemory

/// A key of AES (FIPS 197) or of Triple DES (TDEA, SP 800-67), for the formats of payment cards: whole blocks without
/// padding, and CMAC. These modes do not authenticate. The format must do that.
package struct BlockCipher: Sendable {
    package enum Algorithm: Sendable, Hashable, CaseIterable {
        case tripleDES
        case aes

        package var blockByteCount: Int {
            switch self {
            case .tripleDES: 8
            case .aes: 16
            }
        }

        /// The lengths of keys. Triple DES has two keys or three.
        package var keyByteCounts: Set<Int> {
            switch self {
            case .tripleDES: [16, 24]
            case .aes: [16, 24, 32]
            }
        }
    }

    package let algorithm: Algorithm
    /// As OpenSSL takes it: a key of Triple DES always has three parts.
    private let key: SharedSecret

    /// Copies a key.
    ///
    /// - Throws: `invalidKey` if its length is not one of ``Algorithm/keyByteCounts``.
    package init(_ algorithm: Algorithm, key: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        guard algorithm.keyByteCounts.contains(key.octetCount) else { throw failure(.invalidKey) }
        self.algorithm = algorithm
        self.key = SharedSecret(Self.completed(key, algorithm))
    }

    /// Encrypts each block for itself (ECB, SP 800-38A section 6.1).
    ///
    /// - Throws: `invalidLength` for an input that is not made of whole blocks, `engineFailure`.
    package func encryptBlocks(
        _ plaintext: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        try process(plaintext, with: electronicCodebook, vector: nil, encrypts: true)
    }

    /// Decrypts each block for itself (ECB).
    ///
    /// - Throws: `invalidLength` for an input that is not made of whole blocks, `engineFailure`.
    package func decryptBlocks(
        _ ciphertext: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        try process(ciphertext, with: electronicCodebook, vector: nil, encrypts: false)
    }

    /// Encrypts blocks in a chain (CBC, SP 800-38A section 6.2).
    ///
    /// - Throws: `invalidLength` for an input that is not made of whole blocks, or a vector that is not one block;
    ///   `engineFailure`.
    package func encryptChain(
        _ plaintext: borrowing some ByteSource & ~Copyable, initializationVector: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        try process(plaintext, with: cipherBlockChaining, vector: initializationVector, encrypts: true).publicCopy()
    }

    /// Decrypts blocks in a chain (CBC).
    ///
    /// - Throws: as ``encryptChain(_:initializationVector:)``.
    package func decryptChain(
        _ ciphertext: borrowing some ByteSource & ~Copyable, initializationVector: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        try process(ciphertext, with: cipherBlockChaining, vector: initializationVector, encrypts: false)
    }

    /// The CMAC of a message (SP 800-38B), one block. It is secret, because keys are derived with it.
    ///
    /// - Throws: `engineFailure`.
    package func authenticationCode(
        for message: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        try message.withOctets { (message, messageCount) throws(CryptographyError) in
            try key.bytes.withOctets { (key, keyCount) throws(CryptographyError) in
                try secretOutput(capacity: algorithm.blockByteCount, orThrow: .engineFailure) { output, written in
                    let (capacity, name) = (written, cipherBlockChainingName(keyByteCount: keyCount))
                    let end = EVP_Q_mac(
                        nil, "CMAC", nil, name, nil, key, keyCount, message, messageCount, output, capacity, &written)
                    return end != nil && written == capacity ? 1 : 0
                }
            }
        }
    }
}

extension BlockCipher {
    /// Two keys of Triple DES are K1, K2, K1 (SP 800-67 section 3.1, keying option 2).
    private static func completed(_ key: borrowing some ByteSource & ~Copyable, _ algorithm: Algorithm) -> SecretBytes {
        key.withBytes { bytes in
            let isTwoKeys = algorithm == .tripleDES && bytes.count == 16
            return SecretBytes(count: isTwoKeys ? 24 : bytes.count) { output in
                output.copyMemory(from: bytes)
                if isTwoKeys {
                    UnsafeMutableRawBufferPointer(rebasing: output[16...])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<8]))
                }
            }
        }
    }

    private var electronicCodebook: OpaquePointer? {
        switch (algorithm, key.bytes.count) {
        case (.tripleDES, _): Fetched.tripleDESECB
        case (.aes, 16): Fetched.aes128ECB
        case (.aes, 24): Fetched.aes192ECB
        case (.aes, _): Fetched.aes256ECB
        }
    }

    private var cipherBlockChaining: OpaquePointer? {
        switch (algorithm, key.bytes.count) {
        case (.tripleDES, _): Fetched.tripleDESCBC
        case (.aes, 16): Fetched.aes128CBC
        case (.aes, 24): Fetched.aes192CBC
        case (.aes, _): Fetched.aes256CBC
        }
    }

    private func cipherBlockChainingName(keyByteCount: Int) -> String {
        algorithm == .tripleDES ? "DES-EDE3-CBC" : "AES-\(keyByteCount * 8)-CBC"
    }

    private func process(
        _ input: borrowing some ByteSource & ~Copyable, with cipher: OpaquePointer?, vector: [UInt8]?, encrypts: Bool
    ) throws(CryptographyError) -> SecretBytes {
        let count = input.octetCount
        guard count > 0, count.isMultiple(of: algorithm.blockByteCount),
            vector.map({ $0.count == algorithm.blockByteCount }) ?? true
        else { throw failure(.invalidLength) }
        // A cipher that OpenSSL lacks is null.
        let cipher = try require(cipher)
        let context = try require(EVP_CIPHER_CTX_new())
        defer { EVP_CIPHER_CTX_free(context) }
        return try input.withOctets { (input, _) throws(CryptographyError) in
            try key.bytes.withOctets { (key, _) throws(CryptographyError) in
                try secretOutput(capacity: count, orThrow: .engineFailure) { output, _ in
                    var (written, last): (Int32, Int32) = (0, 0)
                    let isDone =
                        EVP_CipherInit_ex2(context, cipher, key, vector, encrypts ? 1 : 0, nil) == 1
                        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
                        && EVP_CipherUpdate(context, output, &written, input, Int32(count)) == 1
                        && EVP_CipherFinal_ex(context, output + Int(written), &last) == 1
                    return isDone && Int(written + last) == count ? 1 : 0
                }
            }
        }
    }
}

extension SecretBytes {
    /// A copy in which each byte has an odd number of ones. DES does not use the last bit of a byte.
    package borrowing func withOddParity() -> SecretBytes {
        withBytes { bytes in
            SecretBytes(count: bytes.count) { output in
                for (index, byte) in bytes.enumerated() {
                    let digits = byte & 0xFE
                    output[index] = digits | (digits.nonzeroBitCount.isMultiple(of: 2) ? 1 : 0)
                }
            }
        }
    }
}
