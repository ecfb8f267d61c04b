internal import COpenSSL
internal import SecureMemory

/// Known-answer tests of the algorithms that the server needs, and a check of the random numbers. A server runs them when it
/// starts: an OpenSSL with another configuration or provider may lack an algorithm, or give other results.
package enum SelfTest {
    /// Why a server must not start.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// An algorithm is missing, or gives a wrong answer.
        case wrongAnswer(algorithm: String)
        /// Random bytes repeat.
        case repeatedRandomBytes

        package var description: String {
            switch self {
            case .wrongAnswer(let algorithm):
                "the self-test of \(algorithm) failed: check the configuration and the providers of OpenSSL"
            case .repeatedRandomBytes: "the self-test of random numbers failed: bytes repeat"
            }
        }
    }

    /// What a server can do without.
    package enum Dispensable: String, CaseIterable, Sendable {
        case tripleDES = "Triple DES (key blocks of version B; PIN blocks of formats 0, 1 and 3)"
    }

    /// Runs all tests.
    ///
    /// - Returns: what is missing, and dispensable.
    /// - Throws: ``Failure``.
    package static func run() throws(Failure) -> [Dispensable] {
        for name in ["SHA2-256", "SHA2-512"] {
            guard let digest = EVP_MD_fetch(nil, name, nil) else { throw .wrongAnswer(algorithm: name) }
            EVP_MD_free(digest)
        }
        for (algorithm, isRight) in [
            ("SHA-256", sha256), ("SHA-512", sha512), ("HMAC-SHA-256", hmac), ("AES-256-GCM", gcm),
            ("AES key wrap", keyWrap), ("AES-CMAC", cmac), ("ECDSA and ECDH on P-256", p256), ("Ed25519", ed25519),
            ("RSA (OAEP and PKCS #1 v1.5 with SHA-256)", RSAKnownAnswers.areRight),
        ] where !isRight() {
            throw .wrongAnswer(algorithm: algorithm)
        }
        try testRandomBytes()
        return tripleDES() ? [] : [.tripleDES]
    }

    /// Three draws that are equal, or constant, come from a broken generator (as in the continuous test of FIPS 140-2).
    private static func testRandomBytes() throws(Failure) {
        let draws = (0..<3).map { _ in SecureRandom.bytes(count: 32) }
        guard Set(draws).count == draws.count, draws.allSatisfy({ Set($0).count > 8 }) else {
            throw .repeatedRandomBytes
        }
    }

    // MARK: - Known answers

    /// FIPS 180-4: "abc".
    private static func sha256() -> Bool {
        SHA256.hash(Array("abc".utf8))
            == bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// FIPS 180-4: "abc".
    private static func sha512() -> Bool {
        SHA512.hash(Array("abc".utf8))
            == bytes(
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    }

    /// RFC 4231, test case 1.
    private static func hmac() -> Bool {
        let (message, key) = (Array("Hi There".utf8), [UInt8](repeating: 0x0B, count: 20))
        let code = bytes("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        return HMACSHA256.authenticationCode(for: message, key: key) == code
            && HMACSHA256.authenticationCodes(for: [message, message], key: key) == [code, code]
    }

    /// The Galois/Counter Mode of Operation (McGrew, Viega), test case 14.
    private static func gcm() -> Bool {
        let (key, nonce) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 12))
        let plaintext = [UInt8](repeating: 0, count: 16)
        guard let sealed = try? AESGCM.seal(plaintext, key: key, nonce: nonce, authenticating: [UInt8]()),
            sealed.ciphertext == bytes("cea7403d4d606b6e074ec5d3baf39d18"),
            sealed.tag == bytes("d0d1c8a799996bf0265b98b5d48ab919"),
            let opened = try? AESGCM.open(
                ciphertext: sealed.ciphertext, tag: sealed.tag, key: key, nonce: nonce, authenticating: [UInt8]())
        else { return false }
        let isForgeryOpened =
            (try? AESGCM.open(
                ciphertext: sealed.ciphertext, tag: sealed.tag.reversed(), key: key, nonce: nonce,
                authenticating: [UInt8]()
            ).count) != nil
        return opened.withBytes { Array($0) } == plaintext && !isForgeryOpened
    }

    /// RFC 3394 section 4.6.
    private static func keyWrap() -> Bool {
        let key = (0..<32).map { UInt8($0) }
        let data = bytes("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
        guard let wrapped = try? AESKeyWrap.wrap(data, with: key),
            wrapped == bytes("28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
            let unwrapped = try? AESKeyWrap.unwrap(wrapped, with: key)
        else { return false }
        return unwrapped.withBytes { Array($0) } == data
    }

    /// RFC 4493 section 4, example 1.
    private static func cmac() -> Bool {
        guard let cipher = try? BlockCipher(.aes, key: bytes("2b7e151628aed2a6abf7158809cf4f3c")),
            let code = try? cipher.authenticationCode(for: [UInt8]())
        else { return false }
        return code.withBytes { Array($0) } == bytes("bb1d6929e95937287fa37d129b756746")
    }

    /// SP 800-67, appendix B.1.
    private static func tripleDES() -> Bool {
        let key = bytes("0123456789abcdef23456789abcdef01456789abcdef0123")
        guard let cipher = try? BlockCipher(.tripleDES, key: key),
            let ciphertext = try? cipher.encryptBlocks(Array("The qufck brown fox jump".utf8))
        else { return false }
        return ciphertext.withBytes { Array($0) } == bytes("a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900")
    }

    /// A new pair: what it signs it verifies, another message it does not, and both ends agree on a secret.
    private static func p256() -> Bool {
        guard let one = try? P256PrivateKey.generate(), let other = try? P256PrivateKey.generate(),
            let signature = try? one.signECDSASHA256(Array("abc".utf8)),
            let ours = try? one.sharedSecret(with: other.publicKey),
            let theirs = try? other.sharedSecret(with: one.publicKey)
        else { return false }
        return one.publicKey.isValidECDSASHA256(signature: signature, for: Array("abc".utf8))
            && !one.publicKey.isValidECDSASHA256(signature: signature, for: Array("abd".utf8))
            && ConstantTime.areEqual(ours, theirs)
    }

    private static func ed25519() -> Bool {
        guard let key = try? Ed25519PrivateKey.generate(), let signature = try? key.sign(Array("abc".utf8)) else {
            return false
        }
        return key.publicKey.isValid(signature: signature, for: Array("abc".utf8))
            && !key.publicKey.isValid(signature: signature, for: Array("abd".utf8))
    }

    private static func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex) ?? [] }
}
