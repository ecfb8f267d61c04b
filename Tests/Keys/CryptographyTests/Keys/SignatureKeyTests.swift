import Cryptography
import SecureMemory
import Testing

@Suite("ECDSA on P-256")
struct P256SignatureTests {
    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
    private let message = "message".bytes

    /// RFC 6979 appendix A.2.5: the key, and r and s of two messages with SHA-256.
    @Test(
        "The signatures of RFC 6979 are valid",
        arguments: [
            (
                "sample", "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716",
                "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            ),
            (
                "test", "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367",
                "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
            ),
        ])
    func vectors(message: String, r: String, s: String) throws {
        let key = try P256PublicKey(
            x: hex("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"),
            y: hex("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"))
        let signature = try hex(r + s)
        #expect(key.isValidECDSASHA256(signature: signature, for: message.bytes))
        #expect(!key.isValidECDSASHA256(signature: signature, for: (message + "\n").bytes))
        for bit in 0..<signature.count * 8 {
            #expect(!key.isValidECDSASHA256(signature: signature.flipping(bit: bit), for: message.bytes))
        }
    }

    @Test("A signature always has 64 bytes, and is valid only for its message and key")
    func signing() throws {
        let key = try P256PrivateKey.generate()
        let other = try P256PrivateKey.generate().publicKey
        // In about one of 128 signatures, r or s starts with a zero byte.
        for _ in 0..<1000 {
            let signature = try key.signECDSASHA256(message)
            #expect(signature.count == 64)
            #expect(key.publicKey.isValidECDSASHA256(signature: signature, for: message))
        }
        let signature = try key.signECDSASHA256(message)
        #expect(!other.isValidECDSASHA256(signature: signature, for: message))
        #expect(!key.publicKey.isValidECDSASHA256(signature: signature, for: "massage".bytes))
    }

    @Test("A signature is not valid if r or s is outside 1 to order - 1, or if it has another length")
    func ranges() throws {
        let key = try P256PrivateKey.generate()
        let signature = try key.signECDSASHA256(message)
        let (r, s) = (Array(signature[..<32]), Array(signature[32...]))
        let (zero, order) = ([UInt8](repeating: 0, count: 32), try hex(Self.order))
        let ones = [UInt8](repeating: 0xff, count: 32)
        let one: [UInt8] = zero.dropLast() + [1]
        let wrong: [String: [UInt8]] = [
            "r zero": zero + s, "s zero": r + zero, "both zero": zero + zero, "r the order": order + s,
            "s the order": r + order, "both the order": order + order, "r all ones": ones + s, "s all ones": r + ones,
            "both one": one + one, "r and s swapped": s + r,
            "empty": [], "cut": Array(signature.dropLast()), "longer": signature + [0],
            "zero in front": [0] + signature, "r alone": r, "33 bytes each": [0] + r + [0] + s,
        ]
        for (name, signature) in wrong {
            #expect(!key.publicKey.isValidECDSASHA256(signature: signature, for: message), "\(name)")
        }
    }

    @Test("A signature in DER, as other libraries make it, is not valid")
    func der() throws {
        let key = try P256PrivateKey.generate()
        let signature = try key.signECDSASHA256(message)
        let integers = [signature[..<32], signature[32...]].map { integer -> [UInt8] in
            let digits = Array(integer.drop { $0 == 0 })
            let content = digits[0] < 0x80 ? digits : [0] + digits
            return [2, UInt8(content.count)] + content
        }
        let content = integers[0] + integers[1]
        let der = [0x30, UInt8(content.count)] + content
        #expect(!key.publicKey.isValidECDSASHA256(signature: der, for: message))
    }

    @Test("(r, order - s) is valid too, as in the standard: do not identify messages by signature bytes")
    func malleability() throws {
        let key = try P256PrivateKey.generate()
        let signature = try key.signECDSASHA256(message)
        var difference = try hex(Self.order)
        var borrow = 0
        for index in (0..<32).reversed() {
            let value = Int(difference[index]) - Int(signature[32 + index]) - borrow
            difference[index] = UInt8(truncatingIfNeeded: value)
            borrow = value < 0 ? 1 : 0
        }
        let other = Array(signature[..<32]) + difference
        #expect(other != signature)
        #expect(key.publicKey.isValidECDSASHA256(signature: other, for: message))
    }
}

@Suite("Ed25519")
struct Ed25519Tests {
    /// RFC 8032 section 7.1, tests 1 to 3.
    @Test("Keys and signatures have the values of RFC 8032", arguments: rfc8032)
    func vectors(vector: Ed25519Vector) throws {
        let key = try Ed25519PrivateKey(pkcs8: Self.pkcs8(seed: hex(vector.seed)))
        let (message, signature) = (try hex(vector.message), try hex(vector.signature))
        #expect(try key.publicKey.rawRepresentation == hex(vector.publicKey))
        #expect(try key.sign(message) == signature)
        let publicKey = try Ed25519PublicKey(rawRepresentation: hex(vector.publicKey))
        #expect(publicKey.isValid(signature: signature, for: message))
        #expect(!publicKey.isValid(signature: signature, for: message + [0]))
        for bit in 0..<signature.count * 8 {
            #expect(!publicKey.isValid(signature: signature.flipping(bit: bit), for: message))
        }
    }

    @Test("A key survives PKCS#8, PEM and SubjectPublicKeyInfo")
    func encodings() throws {
        let key = try Ed25519PrivateKey.generate()
        let publicKey = key.publicKey
        #expect(try Ed25519PrivateKey(pkcs8: key.pkcs8()).publicKey == publicKey)
        #expect(try Ed25519PrivateKey(pem: key.pem()).publicKey == publicKey)
        #expect(publicKey.subjectPublicKeyInfo.count == 44)
        #expect(try Ed25519PublicKey(subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo) == publicKey)
        #expect(try Ed25519PublicKey(pem: publicKey.pem().bytes) == publicKey)
        #expect(try Ed25519PrivateKey.generate().publicKey != publicKey)
    }

    @Test("A signature whose S is not below the group's order is not valid, even if its remainder would be")
    func nonCanonicalS() throws {
        let key = try Ed25519PrivateKey.generate()
        let signature = try key.sign("message".bytes)
        // The order, little-endian (RFC 8032 section 5.1).
        let order = try hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var (sum, carry) = (signature, 0)
        for index in 0..<32 {
            let value = Int(signature[32 + index]) + Int(order[index]) + carry
            sum[32 + index] = UInt8(truncatingIfNeeded: value)
            carry = value >> 8
        }
        #expect(carry == 0)
        #expect(key.publicKey.isValid(signature: signature, for: "message".bytes))
        #expect(!key.publicKey.isValid(signature: sum, for: "message".bytes))
    }

    @Test("Signatures of another length are not valid")
    func lengths() throws {
        let key = try Ed25519PrivateKey.generate()
        let signature = try key.sign("message".bytes)
        for wrong in [[], signature.dropLast(), signature + [0], signature + signature] {
            #expect(!key.publicKey.isValid(signature: Array(wrong), for: "message".bytes))
        }
    }

    @Test("Points of small order, non-canonical encodings and encodings of no point are refused")
    func points() throws {
        let zeros = String(repeating: "00", count: 31)
        let wrong = [
            "infinity": "01" + zeros,
            "infinity with a sign": "01" + String(zeros.dropLast(2)) + "80",
            "infinity not reduced": "ee" + String(repeating: "ff", count: 30) + "7f",
            "order 2": "ec" + String(repeating: "ff", count: 30) + "7f",
            "order 2 with a sign": "ec" + String(repeating: "ff", count: 31),
            "order 4": "00" + zeros,
            "order 4, the other": "00" + String(zeros.dropLast(2)) + "80",
            "order 4 not reduced": "ed" + String(repeating: "ff", count: 30) + "7f",
            "order 8": "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "order 8, its negative": "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "order 8, another": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "order 8, its other negative": "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "y = 3 not reduced": "f0" + String(repeating: "ff", count: 30) + "7f",
            "all ones": String(repeating: "ff", count: 32),
            "y = 2, not on the curve": "02" + zeros,
            "empty": "",
            "31 bytes": zeros,
            "33 bytes": "03" + zeros + "00",
        ]
        for (name, point) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                try Ed25519PublicKey(rawRepresentation: hex(point))
            }
            #expect(error?.code == .invalidPoint, "\(name)")
        }
        _ = try Ed25519PublicKey(rawRepresentation: hex("03" + zeros))
        // The base point (RFC 8032 section 5.1).
        _ = try Ed25519PublicKey(rawRepresentation: hex("58" + String(repeating: "66", count: 31)))
    }

    @Test("A SubjectPublicKeyInfo and PKCS#8 in any other form are refused")
    func forms() throws {
        let key = try Ed25519PrivateKey.generate()
        let der = key.publicKey.subjectPublicKeyInfo
        let point = key.publicKey.rawRepresentation
        let wrong = [
            "empty": [],
            "trailing byte": der + [0],
            "cut": der.dropLast(),
            "NULL parameters": try hex("302c300706032b65700500032100") + point,
            "X25519": try hex("302a300506032b656e032100") + point,
            "Ed448": try hex("302a300506032b6571032100") + point,
            "a P-256 key": try P256PrivateKey.generate().publicKey.subjectPublicKeyInfo,
        ]
        for (name, der) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                try Ed25519PublicKey(subjectPublicKeyInfo: Array(der))
            }
            #expect(error?.code == .invalidKey, "\(name)")
        }
        let pkcs8 = try key.pkcs8().revealed
        let others = try [P256PrivateKey.generate().pkcs8().revealed, RSATests.key.pkcs8().revealed]
        for wrong in [[], pkcs8 + [0], pkcs8.dropLast()] + others {
            let error = #expect(throws: CryptographyError.self) { try Ed25519PrivateKey(pkcs8: Array(wrong)) }
            #expect(error?.code == .invalidKey)
        }
    }

    /// RFC 8410 section 7.
    private static func pkcs8(seed: [UInt8]) throws -> [UInt8] {
        try hex("302e020100300506032b657004220420") + seed
    }
}

struct Ed25519Vector: Sendable, CustomTestStringConvertible {
    let name: String
    let seed: String
    let publicKey: String
    let message: String
    let signature: String

    var testDescription: String { name }
}

private let rfc8032 = [
    Ed25519Vector(
        name: "test 1", seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", message: "",
        signature: """
            e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
            5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
            """),
    Ed25519Vector(
        name: "test 2", seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", message: "72",
        signature: """
            92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
            085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
            """),
    Ed25519Vector(
        name: "test 3", seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", message: "af82",
        signature: """
            6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
            18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
            """),
]
