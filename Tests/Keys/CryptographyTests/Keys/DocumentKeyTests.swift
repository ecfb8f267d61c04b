import Cryptography
import PythonOracle
import SecureMemory
import Testing

/// The primitives that documents of many states need: several hash functions, curves and paddings.
@Suite(
    "Keys of documents, with Python's cryptography",
    .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct DocumentKeyTests {
    private let oracle = PythonOracle(script: "../Oracles/cryptography_oracle.py")
    private let message = "a message, ünd more".bytes

    @Test("Hashes are Python's", arguments: HashAlgorithm.allCases)
    func hashes(_ hash: HashAlgorithm) async throws {
        for text in [[], message] {
            let theirs = try await oracle.ask("hash_of", ["hash": hash.rawValue, "message": Hex.encode(text)])
            #expect(Hex.encode(hash.hash(text)) == theirs["digest"])
            #expect(Hex.encode(hash.secretHash(text)) == theirs["digest"])
            #expect(hash.hash(text).count == hash.byteCount)
        }
    }

    @Test("The retail MAC is that of ISO/IEC 9797-1", arguments: [1, 2, 3, 9])
    func retailMAC(blockCount: Int) async throws {
        let (key, text) = (SecureRandom.bytes(count: 16), SecureRandom.bytes(count: 8 * blockCount))
        let theirs = try await oracle.ask("retail_mac", ["key": Hex.encode(key), "message": Hex.encode(text)])
        #expect(try Hex.encode(RetailMAC(key: key).authenticationCode(for: text)) == theirs["mac"])
        let changed = text.flipping(bit: 3)
        #expect(try Hex.encode(RetailMAC(key: key).authenticationCode(for: changed)) != theirs["mac"])
    }

    @Test("The retail MAC of Doc 9303-11 appendix D.3 comes out, and other lengths are refused")
    func retailMACOfDoc9303() throws {
        let mac = try RetailMAC(key: hex("7962D9ECE03D1ACD4C76089DCE131543"))
        let text = try hex("72C29C2371CC9BDB65B779B8E8D37B29ECC154AA56A8799FAE2F498F76ED92F28000000000000000")
        #expect(try mac.authenticationCode(for: text) == hex("5F1448EEA8AD90A7"))
        for count in [0, 1, 7, 9] {
            #expect(throws: CryptographyError.self) {
                _ = try mac.authenticationCode(for: [UInt8](repeating: 0, count: count))
            }
        }
        for count in [0, 8, 15, 17, 24] {
            #expect(throws: CryptographyError.self) { _ = try RetailMAC(key: [UInt8](repeating: 1, count: count)) }
        }
    }

    /// Python's names of curves are OpenSSL's, with two exceptions. It lacks three curves.
    private static let curves: [(NamedCurve, String)] = NamedCurve.allCases.compactMap { curve in
        switch curve {
        case .brainpoolP192r1, .brainpoolP224r1, .brainpoolP320r1: nil
        case .p192: (curve, "secp192r1")
        case .p256: (curve, "secp256r1")
        default: (curve, curve.rawValue)
        }
    }

    @Test("Both sides agree on a secret and verify the other side's signatures, on each curve", arguments: curves)
    func eachCurve(_ curve: NamedCurve, _ name: String) async throws {
        let ours = try ECPrivateKey.generate(on: curve)
        for hash in HashAlgorithm.allCases {
            let asked = [
                "curve": name, "point": Hex.encode(ours.publicKey.point), "hash": hash.rawValue,
                "message": Hex.encode(message),
            ]
            let answer = try await oracle.ask("curve_agreement", asked)
            let theirs = try ECPublicKey(curve: curve, point: hex(#require(answer["point"])))
            #expect(try Hex.encode(ours.sharedSecret(with: theirs)) == answer["secret"])
            let again = try ECPrivateKey(curve: curve, number: hex(#require(answer["number"])))
            #expect(again.publicKey == theirs)
            let (r, s) = (try hex(#require(answer["r"])), try hex(#require(answer["s"])))
            let digest = hash.hash(message)
            #expect(theirs.isValidECDSA(r: r, s: s, digest: digest))
            #expect(!theirs.isValidECDSA(r: r, s: s, digest: digest.flipping(bit: 0)))
            #expect(!theirs.isValidECDSA(r: s, s: r, digest: digest))
            let signature = try ours.signECDSA(digest: digest)
            let verified = asked.merging(["r": Hex.encode(signature.r), "s": Hex.encode(signature.s)]) { $1 }
            #expect(try await oracle.ask("curve_verify", verified)["isValid"] == "true")
        }
    }

    @Test("A signature of zeros or of the order is not valid, and a number of any length does no harm")
    func oddSignatures() throws {
        for curve in NamedCurve.allCases {
            let key = try ECPrivateKey.generate(on: curve)
            let digest = SHA256.hash(message)
            let (r, s) = try key.signECDSA(digest: digest)
            let order = try #require(curve.parameters).order
            #expect(key.publicKey.isValidECDSA(r: r, s: s, digest: digest))
            #expect(key.publicKey.isValidECDSA(r: [0] + r, s: s, digest: digest))
            for (r, s) in [
                ([], []), ([0], s), (r, [0]), (order, s), (r, order), (r + [0], s),
                (r, [UInt8](repeating: 255, count: 300)),
            ] {
                #expect(!key.publicKey.isValidECDSA(r: r, s: s, digest: digest), "\(curve)")
            }
        }
    }

    @Test("Points that are not on the curve, compressed or infinite are refused", arguments: NamedCurve.allCases)
    func points(_ curve: NamedCurve) throws {
        let point = try ECPrivateKey.generate(on: curve).publicKey.point
        let size = curve.coordinateByteCount
        let wrong: [[UInt8]] = [
            [], [0], [4], point.dropLast(), point + [0], point.flipping(bit: 8 * point.count - 1),
            [2] + point[1...size],
            [6] + point.dropFirst(), [4] + [UInt8](repeating: 0, count: 2 * size),
            [4] + [UInt8](repeating: 255, count: 2 * size),
        ]
        for each in wrong {
            #expect(throws: CryptographyError.self, "\(Hex.encode(each))") {
                _ = try ECPublicKey(curve: curve, point: each)
            }
        }
        let other = try ECPrivateKey.generate(on: curve == .p256 ? .p384 : .p256)
        #expect(throws: CryptographyError.self) {
            _ = try ECPrivateKey.generate(on: curve).sharedSecret(with: other.publicKey)
        }
    }

    @Test("Private numbers outside of the group are refused")
    func privateNumbers() throws {
        for curve in NamedCurve.allCases {
            let order = try #require(curve.parameters).order
            for number in [[], [0], order, [UInt8](repeating: 255, count: order.count + 1)] {
                #expect(throws: CryptographyError.self) { _ = try ECPrivateKey(curve: curve, number: number) }
            }
            #expect(try ECPrivateKey(curve: curve, number: [1]).publicKey.point == curve.parameters?.generator)
        }
    }

    @Test("A curve is found by its parameters, and not if one of them is another", arguments: NamedCurve.allCases)
    func parameters(_ curve: NamedCurve) throws {
        let known = try #require(curve.parameters)
        #expect(NamedCurve(parameters: known) == curve)
        #expect(known.prime.count == curve.coordinateByteCount && known.cofactor == [1])
        func changed(_ bytes: [UInt8]) -> [UInt8] { bytes.flipping(bit: 8 * bytes.count - 2) }
        func other(
            prime: [UInt8]? = nil, a: [UInt8]? = nil, b: [UInt8]? = nil, generator: [UInt8]? = nil,
            order: [UInt8]? = nil, cofactor: [UInt8]? = nil
        ) -> NamedCurve? {
            NamedCurve(
                parameters: NamedCurve.Parameters(
                    prime: prime ?? known.prime, a: a ?? known.a, b: b ?? known.b,
                    generator: generator ?? known.generator, order: order ?? known.order,
                    cofactor: cofactor ?? known.cofactor))
        }
        #expect(other(prime: changed(known.prime)) == nil && other(a: changed(known.a)) == nil)
        #expect(other(b: changed(known.b)) == nil && other(generator: changed(known.generator)) == nil)
        #expect(other(order: changed(known.order)) == nil && other(cofactor: [4]) == nil)
    }

    // MARK: Diffie-Hellman

    @Test("Diffie-Hellman numbers and secrets are those of plain arithmetic", arguments: [1024, 2048, 4096])
    func diffieHellman(bits: Int) async throws {
        // Arithmetic does not need a prime: an odd number that fills its bits is enough to compare it.
        var modulus = SecureRandom.bytes(count: bits / 8)
        modulus[0] |= 0x80
        modulus[modulus.count - 1] |= 1
        let group = try DHGroup(prime: modulus, generator: [2], privateBitCount: 256)
        let number = SecureRandom.bytes(count: 32)
        let ours = try DHPrivateKey(group: group, number: number)
        let theirs = try DHPrivateKey.generate(in: group)
        let answer = try await oracle.ask(
            "dh_agreement",
            [
                "prime": Hex.encode(modulus), "generator": "02", "number": Hex.encode(number),
                "peer": Hex.encode(theirs.publicKey.number),
            ])
        #expect(Hex.encode(ours.publicKey.number) == answer["public"])
        #expect(try Hex.encode(ours.sharedSecret(with: theirs.publicKey)) == answer["secret"])
    }

    @Test("Groups and numbers that cannot be used are refused")
    func unusableNumbers() throws {
        let prime = [UInt8](repeating: 0xFF, count: 128)
        let last = prime.dropLast() + [0xFE]
        for (prime, generator, bits) in [
            ([UInt8](repeating: 0xFF, count: 127), [2], 160), ([UInt8](repeating: 0xFF, count: 513), [2], 160),
            (Array(last), [2], 160), (prime, [], 160), (prime, [0], 160), (prime, [1], 160), (prime, Array(last), 160),
            (prime, prime, 160), (prime, [2], 159), ([], [2], 160),
        ] as [([UInt8], [UInt8], Int)] {
            #expect(throws: CryptographyError.self) {
                _ = try DHGroup(prime: prime, generator: generator, privateBitCount: bits)
            }
        }
        let group = try DHGroup(prime: prime, generator: [2], privateBitCount: nil)
        #expect(group.privateBitCount == DHGroup.privateBitsLimit)
        for number in [[], [0], [1], Array(last), prime, [1] + prime] as [[UInt8]] {
            #expect(throws: CryptographyError.self) { _ = try DHPublicKey(group: group, number: number) }
        }
        #expect(try DHPublicKey(group: group, number: [0, 0, 2]).number.count == 128)
        let generated = try DHPrivateKey.generate(in: group)
        let other = try DHGroup(prime: Array(prime.dropLast()) + [0xFD], generator: [2], privateBitCount: nil)
        #expect(throws: CryptographyError.self) {
            _ = try generated.sharedSecret(with: DHPublicKey(group: other, number: [2]))
        }
    }

    // MARK: RSA

    @Test(
        "RSA signatures of each hash, mask and salt are valid with exactly these parameters",
        arguments: [(1536, 3), (2048, 65_537), (4096, 3)])
    func rsa(bits: Int, exponent: Int) async throws {
        let signatures = try await oracle.ask(
            "rsa_signatures", ["bits": "\(bits)", "exponent": "\(exponent)", "message": Hex.encode(message)])
        let key = try RSAVerificationKey(
            modulus: hex(#require(signatures["modulus"])), exponent: hex(#require(signatures["exponent"])))
        #expect(key.modulusBits == bits)
        for hash in HashAlgorithm.allCases {
            let digest = hash.hash(message)
            let signature = try hex(#require(signatures["pkcs1 \(hash.rawValue)"]))
            #expect(key.isValidPKCS1(signature: signature, digest: digest, hash: hash))
            #expect(!key.isValidPKCS1(signature: signature, digest: digest.flipping(bit: 1), hash: hash))
            #expect(!key.isValidPKCS1(signature: [0] + signature, digest: digest, hash: hash))
            for other in HashAlgorithm.allCases where other != hash {
                #expect(!key.isValidPKCS1(signature: signature, digest: other.hash(message), hash: other))
            }
            for mask in HashAlgorithm.allCases {
                for salt in [0, 20, hash.byteCount] {
                    let name = "pss \(hash.rawValue) \(mask.rawValue) \(salt)"
                    let signature = try hex(#require(signatures[name]))
                    for tried in [0, 20, 32, 64] + [hash.byteCount] {
                        let isValid = key.isValidPSS(
                            signature: signature, digest: digest, hash: hash, maskHash: mask, saltByteCount: tried)
                        #expect(isValid == (tried == salt), "\(name), \(tried)")
                    }
                    let otherMask: HashAlgorithm = mask == .sha256 ? .sha512 : .sha256
                    #expect(
                        !key.isValidPSS(
                            signature: signature, digest: digest, hash: hash, maskHash: otherMask, saltByteCount: salt))
                }
            }
        }
        let plain = try hex(#require(signatures["plain"]))
        #expect(key.recover(plain).map { Array($0.drop { $0 == 0 }) } == message)
        #expect(key.recover([UInt8](repeating: 255, count: plain.count)) == nil)
        #expect(key.recover(plain.dropLast()) == nil && key.recover([0] + plain) == nil && key.recover([]) == nil)
    }

    @Test("RSA keys that are too short, too long or even are refused")
    func unusableRSA() throws {
        func modulus(_ bits: Int) -> [UInt8] {
            [UInt8](repeating: 0, count: 2) + [UInt8](repeating: 0xFF, count: bits / 8)
        }
        for (modulus, exponent) in [
            ([], [3]), (modulus(1016), [3]), (modulus(8200), [3]), (Array(modulus(2048).dropLast()) + [0xFE], [3]),
            (modulus(2048), []), (modulus(2048), [0]), (modulus(2048), [1]), (modulus(2048), [2]),
            (modulus(2048), [UInt8](repeating: 1, count: 9)),
        ] as [([UInt8], [UInt8])] {
            #expect(throws: CryptographyError.self) { _ = try RSAVerificationKey(modulus: modulus, exponent: exponent) }
        }
        #expect(try RSAVerificationKey(modulus: modulus(2048), exponent: [0, 0, 3]).modulusByteCount == 256)
    }
}
