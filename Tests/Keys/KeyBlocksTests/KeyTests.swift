import Cryptography
import KeyBlocks
import SecureMemory
import Testing

@Suite("Keys")
struct KeyTests {
    @Test("Each kind of key has its check value")
    func checkValues() throws {
        // The DES key 0123456789ABCDEF encrypts zeros to D5D44FF720683D0D; these are values of other programs.
        #expect(
            try SymmetricKey(.tripleDES, hex: "0123456789ABCDEFFEDCBA9876543210").checkValue.description == "08D7B4")
        let aes = try SymmetricKey(.aes, hex: "2B7E151628AED2A6ABF7158809CF4F3C")
        let zeros = [UInt8](repeating: 0, count: 16)
        let cmac = try BlockCipher(.aes, key: aes.secret.bytes).authenticationCode(for: zeros)
        #expect(aes.checkValue.bytes == cmac.withBytes { Array($0.prefix(5)) })
        #expect(aes.checkValue.description.count == 10)
        let hmac = try SymmetricKey(.hmac, hex: "000102030405060708090A0B0C0D0E0F")
        let code = HMACSHA256.authenticationCode(for: [UInt8](), key: hmac.secret.bytes)
        #expect(hmac.checkValue.bytes == Array(code.prefix(3)))
    }

    @Test("A check value on paper can be shorter or longer, and by either method for AES")
    func shownCheckValues() throws {
        func has(_ algorithm: KeyAlgorithm, _ text: String) throws -> Bool {
            try SymmetricKey(algorithm, hex: "2B7E151628AED2A6ABF7158809CF4F3C")
                .has(#require(ShownCheckValue(text), "\(text)"))
        }
        // NIST SP 800-38B: the cipher of a zero block; its CMAC was computed with Python's cryptography.
        for text in ["7DF76B", "7DF76B0C", "7DF76B0C1A", "7df76b", "7AD386", "7AD386C3", "7AD386C376"] {
            #expect(try has(.aes, text), "\(text)")
        }
        for text in ["7DF76C", "7DF76B0C1B", "000000", "7AD386C377"] { #expect(try !has(.aes, text), "\(text)") }
        let shown = try SymmetricKey(.tripleDES, hex: "0123456789ABCDEFFEDCBA9876543210")
        #expect(try shown.has(#require(ShownCheckValue("08D7B4"))) && shown.checkValues.count == 1)
        #expect(try shown.has(#require(ShownCheckValue("08d7b4fb62"))))
        let hmac = try SymmetricKey(.hmac, hex: "2B7E151628AED2A6ABF7158809CF4F3C")
        #expect(try hmac.has(#require(ShownCheckValue(hmac.checkValue.description))))
        #expect(try !hmac.has(#require(ShownCheckValue("7DF76B"))))
        for text in ["", "7D", "7DF7", "7DF76", "7DF76B0", "7DF76B0C1AB8", "7DF76G", "7D F7 6B"] {
            #expect(ShownCheckValue(text) == nil, "\(text)")
        }
    }

    @Test(
        "A key that nobody has drawn by chance is refused",
        arguments: [
            (String(repeating: "00", count: 16), PredictableKey.regular),
            (String(repeating: "FF", count: 64), .regular),
            ("000102030405060708090A0B0C0D0E0F", .regular), ("0F0E0D0C0B0A09080706050403020100", .regular),
            ("00112233445566778899AABBCCDDEEFF", .regular), ("0123456789ABCDEFFEDCBA9876543210", .regular),
            ("11111111111111112222222222222222", .regular), ("F8F9FAFBFCFDFEFF0001020304050607", .regular),
            ("A0B1C2D3E4F5061829A0B1C2D3E4F5061829", .repeated), ("C0FFEE0BADC0FFEE0BADC0FFEE0BADC0FF", .repeated),
            ("2B7E151628AED2A6ABF7158809CF4F3C", .published), ("2B7E151628AED2A6ABF7158809CF4F3C0000", .published),
            (
                "0323354B2B0FA5BC837E0665777BA68F5AB328E6F054C928A90F84B2D2502EBF"
                    + "D3FB5A92D20647EF968AB4C377623D223D2E2172052E4F08C0CD9AF567D080A3", .published
            ),
            ("E3D7D6FF5F9F4F82E4BF94836DBD52435484A39AD604EC293E8B345F7EBE0D62", .published),
        ] as [(String, PredictableKey)])
    func predictable(text: String, reason: PredictableKey) throws {
        let key = SecretBytes(copying: try #require(Hex.decode(text)))
        #expect(throws: reason) { try PredictableKey.requireRandom(key) }
    }

    @Test("Keys that are drawn by chance are taken, and those that only begin like others")
    func random() throws {
        for count in 16...128 {
            let key = SecureRandom.secret(count: count)
            #expect(throws: Never.self) { try PredictableKey.requireRandom(key) }
        }
        for text in ["000102030405060708090A0B0C0D0E1F1A", "0000000000000000A1B2C3D4E5F60719"] {
            let key = SecretBytes(copying: try #require(Hex.decode(text)))
            #expect(throws: Never.self) { try PredictableKey.requireRandom(key) }
        }
    }

    @Test(
        "Keys of another length are refused",
        arguments: [
            (KeyAlgorithm.tripleDES, [0, 8, 15, 17, 32]), (.aes, [0, 8, 15, 17, 33]), (.hmac, [0, 15, 129]),
        ])
    func lengths(algorithm: KeyAlgorithm, counts: [Int]) {
        for count in counts {
            #expect(throws: InvalidKey.length(algorithm, byteCount: count)) {
                try SymmetricKey.random(algorithm, count)
            }
        }
    }

    @Test(
        "Weak keys are refused",
        arguments: [
            (KeyAlgorithm.aes, "00000000000000000000000000000000"), (.aes, "ABABABABABABABABABABABABABABABAB"),
            (.hmac, "00000000000000000000000000000000"),
            // Equal parts, whatever the parity.
            (.tripleDES, "0123456789ABCDEF0123456789ABCDEF"), (.tripleDES, "0123456789ABCDEF0022446688AACCEE"),
            (.tripleDES, "0123456789ABCDEFFEDCBA98765432100123456789ABCDEF"),
            // A weak part, and a semi-weak one.
            (.tripleDES, "01010101010101010123456789ABCDEF"), (.tripleDES, "00000000000000000123456789ABCDEF"),
            (.tripleDES, "0123456789ABCDEFFEFEFEFEFEFEFEFE"), (.tripleDES, "0123456789ABCDEF1F1F1F1F0E0E0E0E"),
            (.tripleDES, "0123456789ABCDEF01FE01FE01FE01FE"), (.tripleDES, "0123456789ABCDEFFEE0FEE0FEF1FEF1"),
        ])
    func weak(algorithm: KeyAlgorithm, text: String) {
        #expect(throws: InvalidKey.degenerate(algorithm)) { try SymmetricKey(algorithm, hex: text) }
    }

    @Test("Keys that compute the same have the same identity, and others do not")
    func identities() throws {
        func identity(_ algorithm: KeyAlgorithm, _ text: String) throws -> String {
            Hex.encode(KeyIdentity.identity(of: try SymmetricKey(algorithm, hex: text).secret.bytes, algorithm))
        }
        let text = "0123456789ABCDEFFEDCBA9876543210"
        #expect(try identity(.tripleDES, text) == identity(.tripleDES, "0022446688AACCEEFFDDBB9977553311"))
        #expect(try identity(.hmac, text) == identity(.hmac, text + "00"))
        #expect(try identity(.aes, text) != identity(.aes, "0022446688AACCEEFFDDBB9977553311"))
    }

    @Test("The same bytes are found again as a key of another algorithm", arguments: KeyAlgorithm.allCases)
    func possibleIdentities(algorithm: KeyAlgorithm) throws {
        for other in KeyAlgorithm.allCases {
            let text = "0022446688AACCEEFFDDBB9977553311"
            let stored = Hex.encode(
                KeyIdentity.identity(of: try SymmetricKey(algorithm, hex: text).secret.bytes, algorithm))
            let asked = KeyIdentity.possibleIdentities(of: try SymmetricKey(other, hex: text).secret.bytes)
                .map { Hex.encode($0.bytes) }
            #expect(asked.contains(stored))
        }
    }
}

@Suite("Components of keys")
struct ComponentTests {
    private func component(_ algorithm: KeyAlgorithm, _ text: String) throws -> KeyComponent {
        try KeyComponent(algorithm, SecretBytes(copying: hex(text)))
    }

    @Test("Two and three components give a key with XOR, in any order")
    func keys() throws {
        let parts = [
            "0123456789ABCDEFFEDCBA9876543210", "1111222233334444555566667777889A", "A0B1C2D3E4F5061728394A5B6C7D8E9F",
        ]
        let components = try parts.map { try component(.aes, $0) }
        #expect(try KeyComponent.key(of: Array(components.prefix(2))).text == "10326745ba9889abab89dcfe0123ba8a")
        #expect(try KeyComponent.key(of: components).text == "b083a5965e6d8fbc83b096a56d5e3415")
        #expect(try KeyComponent.key(of: components.reversed()).text == "b083a5965e6d8fbc83b096a56d5e3415")
        #expect(components.map { $0.checkValues.map(\.description.count) }.allSatisfy { $0 == [10, 6] })
    }

    @Test(
        "Zero, uniform and weak components are refused",
        arguments: [
            (KeyAlgorithm.aes, "00000000000000000000000000000000"), (.aes, "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"),
            (.hmac, "11111111111111111111111111111111"), (.tripleDES, "00000000000000000123456789ABCDEF"),
            (.tripleDES, "0123456789ABCDEF0123456789ABCDEF"),
        ])
    func degenerate(algorithm: KeyAlgorithm, text: String) {
        #expect(throws: InvalidComponent.degenerate) { try component(algorithm, text) }
    }

    @Test("Components of another length, equal ones and another number of them are refused")
    func unfit() throws {
        let (one, two) = ("0123456789ABCDEFFEDCBA9876543210", "1111222233334444555566667777889A")
        #expect(throws: InvalidComponent.key(.length(.aes, byteCount: 8))) { try component(.aes, "0123456789ABCDEF") }
        #expect(throws: InvalidComponent.count(1)) { try KeyComponent.key(of: [component(.aes, one)]) }
        #expect(throws: InvalidComponent.count(4)) {
            try KeyComponent.key(of: [component(.aes, one)] + Array(repeating: component(.aes, two), count: 3))
        }
        #expect(throws: InvalidComponent.repeated) {
            try KeyComponent.key(of: [component(.aes, one), component(.aes, one)])
        }
        // Of Triple DES, whatever the parity.
        #expect(throws: InvalidComponent.repeated) {
            try KeyComponent.key(of: [
                component(.tripleDES, one), component(.tripleDES, "0022446688AACCEEFFDDBB9977553311"),
            ])
        }
        #expect(throws: InvalidComponent.otherLength(24, expected: 16)) {
            try KeyComponent.key(of: [component(.aes, one), component(.aes, two + "0123456789ABCDEF")])
        }
    }

    @Test("Components that give zero or a weak key together are refused")
    func weakResults() throws {
        let (one, two) = ("0123456789ABCDEFFEDCBA9876543210", "1111222233334444555566667777889A")
        let sum = zip(try hex(one), try hex(two)).map(^)
        #expect(throws: InvalidComponent.key(.degenerate(.aes))) {
            try KeyComponent.key(of: [component(.aes, one), component(.aes, two), component(.aes, Hex.encode(sum))])
        }
        // The two halves of the result are equal.
        #expect(throws: InvalidComponent.key(.degenerate(.tripleDES))) {
            try KeyComponent.key(of: [
                component(.tripleDES, "0123456789ABCDEF1123456789ABCDEF"),
                component(.tripleDES, "5555555555555556" + "4555555555555556"),
            ])
        }
    }
}
