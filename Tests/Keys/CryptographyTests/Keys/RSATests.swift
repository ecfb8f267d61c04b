import Cryptography
import SecureMemory
import Testing

@Suite("RSA")
struct RSATests {
    @Test("A new key has the requested size and the exponent 65537")
    func generate() throws {
        let key = try RSAPrivateKey.generate(bits: 2048)
        #expect(key.publicKey.modulusBits == 2048)
        #expect(key.publicKey.modulus.count == 256)
        #expect(key.publicKey.publicExponent == [1, 0, 1])
    }

    @Test("A key of a size outside the limits is not generated", arguments: [0, 512, 1024, 2047, 8193, 16_384])
    func sizes(bits: Int) {
        let error = #expect(throws: CryptographyError.self) { try RSAPrivateKey.generate(bits: bits) }
        #expect(error?.code == .invalidKey)
    }

    @Test("A key survives PKCS#8, PEM, SubjectPublicKeyInfo, and its modulus and exponent")
    func encodings() throws {
        let key = RSATests.key
        #expect(try RSAPrivateKey(pkcs8: key.pkcs8()).publicKey == key.publicKey)
        #expect(try RSAPrivateKey(pem: key.pem()).publicKey == key.publicKey)
        #expect(try key.pem().revealed.starts(with: "-----BEGIN PRIVATE KEY-----\n".bytes))
        let publicKey = key.publicKey
        #expect(try RSAPublicKey(subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo) == publicKey)
        #expect(try RSAPublicKey(modulus: publicKey.modulus, exponent: publicKey.publicExponent) == publicKey)
    }

    @Test("OAEP decrypts what it encrypted, up to the longest plaintext, for public and secret plaintexts")
    func oaep() throws {
        let key = RSATests.key
        for count in [0, 1, 32, 190] {
            let plaintext = SecureRandom.bytes(count: count)
            let ciphertext = try key.publicKey.encryptOAEPSHA256(plaintext)
            #expect(ciphertext.count == 256)
            #expect(try key.decryptOAEPSHA256(ciphertext).revealed == plaintext)
        }
        let error = #expect(throws: CryptographyError.self) {
            try key.publicKey.encryptOAEPSHA256([UInt8](repeating: 0, count: 191))
        }
        #expect(error?.code == .invalidLength)
    }

    @Test("A ciphertext that is changed, cut, lengthened or for another key fails with the same error")
    func oaepTampering() throws {
        let key = RSATests.key
        let ciphertext = try key.publicKey.encryptOAEPSHA256("secret".bytes)
        let modulus = key.publicKey.modulus
        let wrong = [
            ciphertext.flipping(bit: 0), ciphertext.flipping(bit: 2047), ciphertext.dropLast(), ciphertext + [0],
            [0] + ciphertext, [], modulus, [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xff, count: 256),
            try RSAPrivateKey.generate(bits: 2048).publicKey.encryptOAEPSHA256("secret".bytes),
        ]
        for ciphertext in wrong {
            let error = #expect(throws: CryptographyError.self) { _ = try key.decryptOAEPSHA256(ciphertext) }
            #expect(error?.code == .decryptionFailed)
        }
    }

    @Test("A signature is valid only for its message, key and padding")
    func signatures() throws {
        let key = RSATests.key
        let publicKey = key.publicKey
        let message = "message".bytes
        let (pkcs1, pss) = (try key.signPKCS1SHA256(message), try key.signPSSSHA512(message))
        #expect(publicKey.isValidPKCS1SHA256(signature: pkcs1, for: message))
        #expect(publicKey.isValidPSSSHA512(signature: pss, for: message))
        #expect(!publicKey.isValidPKCS1SHA256(signature: pss, for: message))
        #expect(!publicKey.isValidPSSSHA512(signature: pkcs1, for: message))
        #expect(!publicKey.isValidPKCS1SHA256(signature: pkcs1, for: "massage".bytes))
        #expect(!publicKey.isValidPSSSHA512(signature: pss, for: "massage".bytes))
        for bit in stride(from: 0, to: 2048, by: 61) {
            #expect(!publicKey.isValidPKCS1SHA256(signature: pkcs1.flipping(bit: bit), for: message))
            #expect(!publicKey.isValidPSSSHA512(signature: pss.flipping(bit: bit), for: message))
        }
        let other = try RSAPrivateKey.generate(bits: 2048).publicKey
        #expect(!other.isValidPKCS1SHA256(signature: pkcs1, for: message))
        #expect(!other.isValidPSSSHA512(signature: pss, for: message))
    }

    /// A key for tests that can use any key.
    static let key = requireKey()

    private static func requireKey() -> RSAPrivateKey {
        guard let key = try? RSAPrivateKey.generate(bits: 2048) else { preconditionFailure("no RSA key was made") }
        return key
    }
}

@Suite("Invalid RSA keys")
struct RSAKeyRefusalTests {
    @Test("A SubjectPublicKeyInfo that is not DER, or has another algorithm, is refused")
    func subjectPublicKeyInfo() throws {
        let der = RSATests.key.publicKey.subjectPublicKeyInfo
        // 30 82 LLLL | 30 0d 06 09 rsaEncryption 05 00 | 03 82 LLLL 00 …
        let header = try hex("30820122300d06092a864886f70d01010105000382010f00")
        #expect(der.starts(with: header))
        let key = Array(der.dropFirst(header.count))
        let wrong = [
            "trailing byte": der + [0],
            "cut": der.dropLast(),
            "empty": [],
            "garbage": SecureRandom.bytes(count: der.count),
            "no NULL": try hex("30820120300b06092a864886f70d0101010382010f00") + key,
            "long length of NULL": try hex("30820123300e06092a864886f70d0101010581000382010f00") + key,
            "long length of the sequence": try hex("3083000122300d06092a864886f70d01010105000382010f00") + key,
            "indefinite length": try hex("3080300d06092a864886f70d01010105000382010f00") + key + [0, 0],
            "id-RSASSA-PSS": try hex("30820120300b06092a864886f70d01010a0382010f00") + key,
            "id-RSAES-OAEP": try hex("30820120300b06092a864886f70d0101070382010f00") + key,
            "the old identifier of X.500": try hex("3082011d300806045508010105000382010f00") + key,
            "the bare RSAPublicKey": key,
            "an EC key": try P256PrivateKey.generate().publicKey.subjectPublicKeyInfo,
        ]
        for (name, der) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                try RSAPublicKey(subjectPublicKeyInfo: der)
            }
            #expect(error?.code == .invalidKey, "\(name)")
        }
    }

    @Test("A SubjectPublicKeyInfo that is cut or changed is refused, or is the canonical form of another key")
    func oneForm() throws {
        let der = RSATests.key.publicKey.subjectPublicKeyInfo
        for count in 0..<der.count {
            #expect(throws: CryptographyError.self) { try RSAPublicKey(subjectPublicKeyInfo: der[..<count]) }
        }
        for bit in 0..<der.count * 8 {
            let changed = der.flipping(bit: bit)
            guard let key = try? RSAPublicKey(subjectPublicKeyInfo: changed) else { continue }
            #expect(key.subjectPublicKeyInfo == changed)
            #expect(key != RSATests.key.publicKey)
        }
    }

    @Test("A modulus or exponent that makes an unsafe key is refused")
    func numbers() throws {
        let modulus = RSATests.key.publicKey.modulus
        let wrong: [(String, [UInt8], [UInt8])] = [
            ("even modulus", modulus.dropLast() + [modulus[255] ^ 1], [1, 0, 1]),
            ("modulus of 2047 bits", [0x7f] + modulus.dropFirst(), [1, 0, 1]),
            ("modulus of 1024 bits", Array(modulus.prefix(127)) + [1], [1, 0, 1]),
            ("modulus above 8192 bits", modulus + [UInt8](repeating: 1, count: 1024), [1, 0, 1]),
            ("empty modulus", [], [1, 0, 1]),
            ("exponent 0", modulus, [0]),
            ("empty exponent", modulus, []),
            ("exponent 1", modulus, [1]),
            ("even exponent", modulus, [1, 0, 2]),
            ("exponent above 256 bits", modulus, [1] + [UInt8](repeating: 1, count: 32)),
            (
                "exponent above 64 bits for a modulus above 3072", modulus + [UInt8](repeating: 1, count: 256),
                [1] + [UInt8](repeating: 1, count: 8)
            ),
        ]
        for (name, modulus, exponent) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                try RSAPublicKey(modulus: modulus, exponent: exponent)
            }
            #expect(error?.code == .invalidKey, "\(name)")
        }
    }

    @Test("Leading zeros of modulus and exponent are ignored")
    func leadingZeros() throws {
        let key = RSATests.key.publicKey
        #expect(try RSAPublicKey(modulus: [0] + key.modulus, exponent: [0, 1, 0, 1]) == key)
    }

    @Test("PKCS#8 that is cut, has trailing bytes, has another type or is inconsistent is refused")
    func pkcs8() throws {
        let der = try RSATests.key.pkcs8().revealed
        let wrong = [
            "trailing byte": der + [0],
            "cut": der.dropLast(),
            "empty": [],
            "an EC key": try P256PrivateKey.generate().pkcs8().revealed,
            "PEM": try RSATests.key.pem().revealed,
            "private exponent changed": der.flipping(bit: 400 * 8),
            "last byte changed": der.flipping(bit: der.count * 8 - 3),
        ]
        for (name, der) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") { try RSAPrivateKey(pkcs8: der) }
            #expect(error?.code == .invalidKey, "\(name)")
        }
    }

    @Test("PKCS#8 with one number that does not belong to the others is refused")
    func parts() throws {
        let der = try RSATests.key.pkcs8().revealed
        // 30 82 LLLL 02 01 00 | 30 0d 06 09 rsaEncryption 05 00 | 04 82 LLLL | 30 82 LLLL 02 01 00 | n e d p q dP dQ qInv
        let numbers = Self.endsOfIntegers(in: der, from: 33)
        #expect(numbers.count == 8)
        for (name, end) in zip(["n", "e", "d", "p", "q", "dP", "dQ", "qInv"], numbers) {
            // The lowest bit but one: the number keeps its length and stays odd, if it is.
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                try RSAPrivateKey(pkcs8: der.flipping(bit: (end - 1) * 8 + 1))
            }
            #expect(error?.code == .invalidKey, "\(name)")
        }
    }

    /// The index after each INTEGER of a sequence of them.
    private static func endsOfIntegers(in der: [UInt8], from start: Int) -> [Int] {
        var ends: [Int] = []
        var index = start
        while index < der.count, der[index] == 2 {
            let lengthByteCount = der[index + 1] < 0x80 ? 0 : Int(der[index + 1] & 0x7f)
            let length = der[(index + 2)..<(index + 2 + lengthByteCount)].reduce(0) { $0 << 8 | Int($1) }
            index += 2 + lengthByteCount + (lengthByteCount == 0 ? Int(der[index + 1]) : length)
            ends.append(index)
        }
        return ends
    }

    @Test("PKCS#8 with a factor that is not prime is refused, though all its numbers belong together")
    func compositeFactor() throws {
        let error = #expect(throws: CryptographyError.self) { try RSAPrivateKey(pem: Self.composite.bytes) }
        #expect(error?.code == .invalidKey)
    }

    /// n = pq with a prime q and a p that is the product of two primes of 512 bits; d is the inverse of 65537 modulo the least
    /// common multiple of p - 1 and q - 1. 'openssl pkey -check' says "p not prime", and nothing else. Made with Python.
    private static let composite = """
        -----BEGIN PRIVATE KEY-----
        MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQCo0ZO1kONw7Zjw
        WpE3pfpxpsTHHBZpNvnEV+C/cPVsXPa+QxRN7Wi1es9L6Pe4KeRwqIr1XGSbRbJm
        9OhrR4OG41u8n5qcR9iEvCr6sSjybp738fQP3Xx9eJgQyD3ouCFugcOonHGLUcTP
        9GfevptlXVeHMUNJdRBm2cCmgcXiDAby8PmRhFzaR0qC241fvu93iUm5lzWhYfgk
        D7ClW9fSuyKzmemw+fFR8aXzxOiYyC9XhEzoiFeimR5Kq5AR/2O5DiBoQ05ah2/7
        f3UpArCre7kVqUaLRaGrkU4qxzx3QezWcIUc7yC4nx9hgu37qpLTzmB53djwaZ15
        xLVCfA3rAgMBAAECggEALpeU7DX+R7MTlDZywMiKy+Yqhgdu+f/lxDY6vatn2M35
        fX5W8sD0tq2b28gC4m2RcjRaEai7zYzZVYf/Q2h72PUT4wWrrrk3fT7Pn9vYQLye
        HDFHWj+XNavcUDlruLhk5bJjtTvkLH7XUkuShUvW6I1v9Ex41SO9cJ1lia7kVePn
        v7KzdvD9c8UnBGcpaZSUzbaEE5qn0MmJq8YJELUyT5lAcfgiDjJB8F1/2a6KydXa
        zBkEpsG41giMo5iFmBXRRcIJUnypeBh8NdVFsNWGFLk1c5bwAIC2kx7GWIvEfrtJ
        IoYbSKUDE44jQPsKZMJiHQAALiRIHkuQxCJjBDlHFQKBgQC/q5SGDsfbu1dZokVp
        aO4azNf7UcyvplQO46QSDKqRPHj8NMlLw8ndOrc4H6uLK7TA/Xjmy7SLiOzQCE/k
        NY92H9UaVgHPpa095Mar005Xrp4KQb5RrNm5Jt7/4s0JiK3E+sa90j/idMfr52OQ
        CEO87Jeru8D4unbMtj4MW1Ce1QKBgQDhepN0yFCxNBLskuj0a1rn9CbC6/lEI8hr
        Hnhx3kKKAnl9WD7oNpGhB1z11x9S7txZ5MWa1lhXvcw57s7kQs2XJCtqAE89EPpD
        UrfqarnyTRrLf5fhuFiEWZDrGLXby+J9XI/jNK+Z26A+/TqD2XKOb+fj4OqmExCW
        GiK912fZvwKBgQCNTXYaeq0Wrf9QolPfyS64bUnRCtYGrG2N6H7dm57noZhj/ppk
        E7wvL4lBg/+YgyknmfZW19iLge9r0qTrTh0sbX1ShBOjvLWCSrW4mPhJpf72+s7P
        Mcn1ONXv+YlFPRE2hdacvHLChWuZ26VH2v/tONL8FVfHRtgsRTJrM6q03QKBgQCw
        1lilg6E9iTC6V/HaGARg3Kw1vapuVX4O/QPLklwvLwenVblol7uZRlQS/xezDGDH
        I9QSvr7keZeda/zZKsdhHV3rMbjzlMgiWtKhR/jz3qMALN6qidDqY/BzYZrnejz0
        ws6ajCyYh5ZjMGlfFQByU7PTlgeSHmuovXC34SOyswKBgQC+bZ+GQ7rWrHqRr82l
        YFy+Nb0oWaoYOL/z3sQ74GaBiQdvww8OES7E/YwZtBPwVgD3X/rN+8raBMaty/FR
        sIluHrXliREPoM3IGxBuy40tRGlwQOJaIXqfZH/I7mSJcGkXDFkE1UieZHAcoHwD
        qYtuQzl+bvVmauhT5sKs+ZbDiw==
        -----END PRIVATE KEY-----
        """

    @Test("PEM that is encrypted, a certificate, cut or invalid is refused, without a prompt for a passphrase")
    func pem() throws {
        let pem = String(decoding: try RSATests.key.pem().revealed, as: UTF8.self)
        let wrong = [
            "", "no PEM", pem.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY"),
            pem.replacing("PRIVATE KEY", with: "CERTIFICATE"), String(pem.dropLast(80)), String(pem.dropFirst(100)),
            pem.replacing(
                "-----BEGIN PRIVATE KEY-----\n",
                with:
                    "-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\n"
            ),
        ]
        for pem in wrong {
            let error = #expect(throws: CryptographyError.self) { try RSAPrivateKey(pem: pem.bytes) }
            #expect(error?.code == .invalidKey)
        }
    }
}
