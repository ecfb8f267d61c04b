internal import Cryptography
internal import SecureMemory

/// A key block protection key (KBPK): other keys travel under it.
package struct ProtectionKey: Sendable {
    package let key: SymmetricKey
    package let direction: KeyDirection
    let version: KeyBlockVersion

    /// - Throws: ``KeyBlockError`` for an HMAC key.
    package init(_ key: SymmetricKey, _ direction: KeyDirection) throws(KeyBlockError) {
        guard let version = KeyBlockVersion.allCases.first(where: { $0.algorithm == key.algorithm }) else {
            throw KeyBlockError(.protectionKey, "a key of \(key.algorithm.name) cannot protect key blocks")
        }
        self.key = key
        self.direction = direction
        self.version = version
    }

    /// The keys of one block (X9.143 section 7.3.2, 7.4.2): one encrypts, the other one authenticates.
    func derivedKeys() throws(CryptographyError) -> (encryption: BlockCipher, authentication: BlockCipher) {
        let cipher = try BlockCipher(version.cipher, key: key.secret.bytes)
        return (try derived(.encryption, with: cipher), try derived(.authentication, with: cipher))
    }

    private enum Use: UInt8 {
        case encryption = 0
        case authentication = 1
    }

    /// As long as the protection key: CMACs with a counter (SP 800-108, counter mode).
    private func derived(_ use: Use, with cipher: BlockCipher) throws(CryptographyError) -> BlockCipher {
        let byteCount = key.secret.bytes.count
        var derived = SecretBuffer(capacity: byteCount + version.blockByteCount)
        var counter: UInt8 = 1
        while derived.count < byteCount {
            let input = [counter, 0, use.rawValue, 0, 0, algorithmIndicator] + UInt16(byteCount * 8).bigEndianBytes
            derived.append(try cipher.authenticationCode(for: input))
            counter += 1
        }
        return try derived.finish().withBytes { (bytes) throws(CryptographyError) in
            try BlockCipher(version.cipher, key: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
        }
    }

    private var algorithmIndicator: UInt8 {
        switch key.strength {
        case .twoKeyTripleDES: 0
        case .threeKeyTripleDES: 1
        case .bits128: 2
        case .bits192: 3
        case .bits256: 4
        }
    }
}
