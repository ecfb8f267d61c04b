import Cryptography
import SecureMemory
import Testing

@Suite("P-256 keys")
struct P256Tests {
    /// The generator of the group (SP 800-186 section 3.2.1.3). It is the public key of the scalar 1.
    private static let generator = (
        x: "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
        y: "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
    )
    /// The prime of the field and the order of the group.
    private static let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
    private static let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"

    @Test("A key survives PKCS#8, SubjectPublicKeyInfo and its coordinates")
    func encodings() throws {
        let key = try P256PrivateKey.generate()
        #expect(try P256PrivateKey(pkcs8: key.pkcs8()).publicKey == key.publicKey)
        let publicKey = key.publicKey
        #expect(publicKey.x.count == 32 && publicKey.y.count == 32)
        #expect(publicKey.subjectPublicKeyInfo.count == 91)
        #expect(try P256PublicKey(subjectPublicKeyInfo: publicKey.subjectPublicKeyInfo) == publicKey)
        #expect(try P256PublicKey(x: publicKey.x, y: publicKey.y) == publicKey)
        #expect(try P256PrivateKey.generate().publicKey != publicKey)
    }

    @Test("The public key of the scalar 1 is the generator, with or without a public part in PKCS#8")
    func generator() throws {
        let (x, y) = (try hex(Self.generator.x), try hex(Self.generator.y))
        let one = [UInt8](repeating: 0, count: 31) + [1]
        #expect(try P256PublicKey(x: x, y: y).x == x)
        #expect(try P256PrivateKey(pkcs8: PKCS8.p256(scalar: one)).publicKey == P256PublicKey(x: x, y: y))
        #expect(try P256PrivateKey(pkcs8: PKCS8.p256(scalar: one, x: x, y: y)).publicKey == P256PublicKey(x: x, y: y))
    }

    @Test("Coordinates that are not a point on the curve are refused")
    func coordinates() throws {
        let (x, y, prime) = (try hex(Self.generator.x), try hex(Self.generator.y), try hex(Self.prime))
        let zero = [UInt8](repeating: 0, count: 32)
        let wrong: [(String, [UInt8], [UInt8])] = [
            ("infinity as zeros", zero, zero), ("swapped", y, x), ("y off by one bit", x, y.flipping(bit: 255)),
            ("x off by one bit", x.flipping(bit: 255), y), ("y is zero", x, zero), ("x is the prime", prime, y),
            ("both are the prime", prime, prime), ("y is the prime", x, prime),
            ("all ones", [UInt8](repeating: 0xff, count: 32), [UInt8](repeating: 0xff, count: 32)),
            ("x without its last byte", x.dropLast(), y), ("y with a zero in front", x, [0] + y), ("empty", [], []),
            ("a point of secp256k1", try hex(Self.secp256k1.x), try hex(Self.secp256k1.y)),
            ("a point of the invalid curve y² = x³ - 3x + 1", zero, zero.dropLast() + [1]),
        ]
        for (name, x, y) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") { try P256PublicKey(x: x, y: y) }
            #expect(error?.code == .invalidPoint, "\(name)")
        }
    }

    @Test("A coordinate that is not below the prime is refused, even if its remainder is on the curve")
    func reducedCoordinate() throws {
        // x = 5 is on the curve. x = 5 + p fits into 32 bytes, and would be the same point to a reader without this check.
        let y = try hex("459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc")
        let five = [UInt8](repeating: 0, count: 31) + [5]
        _ = try P256PublicKey(x: five, y: y)
        let fivePlusPrime = try hex("ffffffff00000001000000000000000000000001000000000000000000000004")
        #expect(throws: CryptographyError.self) { try P256PublicKey(x: fivePlusPrime, y: y) }
    }

    @Test("A SubjectPublicKeyInfo in any other form is refused")
    func subjectPublicKeyInfo() throws {
        let der = try P256PrivateKey.generate().publicKey.subjectPublicKeyInfo
        let (x, y) = (Array(der[27..<59]), Array(der[59...]))
        let isOdd = y[31] & 1
        let wrong = [
            "empty": [],
            "trailing byte": der + [0],
            "cut": der.dropLast(),
            "compressed point": try hex("3039301306072a8648ce3d020106082a8648ce3d030107032200") + [2 + isOdd] + x,
            "hybrid point": der[..<26] + [6 + isOdd] + x + y,
            "infinity": try hex("3019301306072a8648ce3d020106082a8648ce3d03010703020000"),
            "secp256k1": try hex("3056301006072a8648ce3d020106052b8104000a03420004" + Self.secp256k1.x)
                + hex(Self.secp256k1.y),
            "id-ecDH": try hex("3057301106052b8104010c06082a8648ce3d03010703420004") + x + y,
            "no parameters": try hex("304f300906072a8648ce3d020103420004") + x + y,
            "NULL parameters": try hex("3051300b06072a8648ce3d0201050003420004") + x + y,
            "unused bits": der[..<25] + [1] + der[26...],
            "long length": try hex("308159301306072a8648ce3d020106082a8648ce3d03010703420004") + x + y,
            "explicit parameters": try hex(Self.explicitParameters) + x + y,
            "an RSA key": RSATests.key.publicKey.subjectPublicKeyInfo,
        ]
        for (name, der) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                try P256PublicKey(subjectPublicKeyInfo: Array(der))
            }
            #expect(error?.code == .invalidKey, "\(name)")
        }
    }

    @Test("A valid SubjectPublicKeyInfo with a point off the curve is refused as an invalid point")
    func pointOffTheCurve() throws {
        let der = try P256PrivateKey.generate().publicKey.subjectPublicKeyInfo
        let error = #expect(throws: CryptographyError.self) {
            try P256PublicKey(subjectPublicKeyInfo: der.flipping(bit: 90 * 8))
        }
        #expect(error?.code == .invalidPoint)
    }

    @Test("PKCS#8 with parts that do not belong together, with another curve or in another form is refused")
    func pkcs8() throws {
        let key = try P256PrivateKey.generate()
        let (der, other) = (try key.pkcs8().revealed, try P256PrivateKey.generate().publicKey)
        let scalar = Array(der[36..<68])
        #expect(try P256PrivateKey(pkcs8: PKCS8.p256(scalar: scalar)).publicKey == key.publicKey)
        let zero = [UInt8](repeating: 0, count: 32)
        let order = try hex(Self.order)
        let (x, y) = (key.publicKey.x, key.publicKey.y)
        let wrong = [
            "empty": [],
            "trailing byte": der + [0],
            "cut": der.dropLast(),
            "another key's public part": try PKCS8.p256(scalar: scalar, x: other.x, y: other.y),
            "public part off the curve": try PKCS8.p256(scalar: scalar, x: x, y: y.flipping(bit: 0)),
            "scalar 0": try PKCS8.p256(scalar: zero),
            "scalar 0 with a public part": try PKCS8.p256(scalar: zero, x: x, y: y),
            "scalar the order": try PKCS8.p256(scalar: order),
            "scalar the order and one": try PKCS8.p256(
                scalar: order.dropLast() + [0x52], x: hex(Self.generator.x), y: hex(Self.generator.y)),
            "secp256k1": try hex(Self.secp256k1PKCS8),
            "explicit parameters": try hex(Self.explicitPKCS8),
            "an RSA key": try RSATests.key.pkcs8().revealed,
        ]
        for (name, der) in wrong {
            let error = #expect(throws: CryptographyError.self, "\(name)") { try P256PrivateKey(pkcs8: der) }
            #expect(error?.code == .invalidKey, "\(name)")
        }
    }

    /// The generator of secp256k1 (SEC 2 section 2.4.1).
    private static let secp256k1 = (
        x: "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
        y: "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
    )

    // Made by `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:… [-pkeyopt ec_param_enc:explicit]`.
    private static let secp256k1PKCS8 = """
        3074020101042015ffa6a678569e09c3e6a919d5c4194632e1ac1f418b44dc989cc96e1f4cadb7a00706052b8104000aa144
        034200041d8108bc651c5cc4373c5296b8d10c429cd24666274ced395a825341a130c955bd0abe3e03aa179a7578611c649a
        8bdb08ccb70978d8da9c235cbd78865ebefa
        """
    private static let explicitPKCS8 = """
        308201680201010420c33d6d0f3b13a8cecefbe3dbda45260d77749e26581aa9116220b7d798a184f4a081fa3081f7020101
        302c06072a8648ce3d0101022100ffffffff00000001000000000000000000000000ffffffffffffffffffffffff305b0420
        ffffffff00000001000000000000000000000000fffffffffffffffffffffffc04205ac635d8aa3a93e7b3ebbd55769886bc
        651d06b0cc53b0f63bce3c3e27d2604b031500c49d360886e704936a6678e1139d26b7819f7e900441046b17d1f2e12c4247
        f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6
        406837bf51f5022100ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551020101a14403420004
        380f29e9d2f8178fbbf769804b100a0db44c170656e6ff37db56bd8b88f61d3353a519863f115edad2c2ec5b733df9473683
        459d29682816ac9081736e3d2c3e
        """
    private static let explicitParameters = """
        3082014b3082010306072a8648ce3d02013081f7020101302c06072a8648ce3d0101022100ffffffff000000010000000000
        00000000000000ffffffffffffffffffffffff305b0420ffffffff00000001000000000000000000000000ffffffffffffff
        fffffffffc04205ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b031500c49d360886e70493
        6a6678e1139d26b7819f7e900441046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342
        e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5022100ffffffff00000000ffffffffffffffffbce6
        faada7179e84f3b9cac2fc63255102010103420004
        """
}
