import Cryptography
import KeyBlocks
import PythonOracle
import Testing

/// Blocks whose MAC is right, made by psec, that say something that the server does not honour.
@Suite("Refused key blocks", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct RefusalTests {
    private func refusal(of header: String, key: String? = nil) async throws -> KeyBlockError {
        let peer = try Peer()
        let text = if let key { try await peer.forge(header, key: key) } else { try await peer.forge(header) }
        return try #require(throws: KeyBlockError.self) { try peer.open(text) }
    }

    @Test(
        "Other usages are refused",
        arguments: [
            "B0", "B1", "B2", "B3", "C0", "D0", "D1", "D2", "E0", "E1", "I0", "K2", "K3", "K4", "M0", "M1", "M3",
            "M5", "M6", "M8", "P1", "S0", "V0", "V3", "V4", "10", "p0",
        ])
    func usages(usage: String) async throws {
        let error = try await refusal(of: "D####\(usage)AB00N0000")
        #expect(error.field == .keyUsage)
        #expect(error.description.hasPrefix("key usage: '\(usage)' is refused"))
    }

    @Test(
        "An algorithm that the usage does not have is refused",
        arguments: [
            "P0H", "P0D", "P0R", "P0E", "P0S", "P01", "K0H", "K0D", "K1H", "K1D", "K1R", "M7A", "M7T", "M7D", "M7R",
        ])
    func algorithms(letters: String) async throws {
        #expect(try await refusal(of: "D####\(letters)B00N0000").field == .algorithm)
    }

    @Test(
        "A mode of use that the usage does not have is refused",
        arguments: [
            "P0AC", "P0AG", "P0AN", "P0AV", "P0AX", "P0AY", "P0AS", "P0A1", "K0AN", "K0AX", "K1AC", "K1AN", "K1AX",
            "M7HB", "M7HD", "M7HE", "M7HG", "M7HN", "M7HX",
        ])
    func modes(letters: String) async throws {
        #expect(try await refusal(of: "D####\(letters)00N0000").field == .modeOfUse)
    }

    @Test("A component in a key block is refused", arguments: ["c1", "c2", "cA"])
    func components(version: String) async throws {
        let error = try await refusal(of: "D####P0AD\(version)N0000")
        #expect(error.field == .keyVersion)
        #expect(error.description.contains("--components"))
    }

    @Test("A key version number that is not two digits or capitals is refused", arguments: ["a1", "1a", "0-", "  "])
    func keyVersions(version: String) async throws {
        #expect(try await refusal(of: "D####P0AD\(version)N0000").field == .keyVersion)
    }

    @Test("Another exportability than E and N is refused", arguments: ["S", "0", "1", "e"])
    func exportabilities(letter: String) async throws {
        #expect(try await refusal(of: "D####P0AD00\(letter)0000").field == .exportability)
    }

    @Test("A key context and a reserved field other than 0 are refused")
    func reserved() async throws {
        for (context, text) in [
            ("1", "for storage only"), ("2", "for exchange only"), ("3", "only 0"), ("A", "only 0"),
        ] {
            let error = try await refusal(of: "D####P0AD00N00\(context)0")
            #expect(error.field == .keyContext && error.reason.hasPrefix("'\(context)' is refused: "), "\(error)")
            #expect(error.reason.contains(text), "\(error)")
        }
        #expect(try await refusal(of: "D####P0AD00N0001").field == .reserved)
    }

    @Test(
        "Optional blocks that the server cannot honour are refused, and named",
        arguments: [
            "AL", "BI", "CT", "DA", "FL", "IK", "KS", "KV", "PK", "10", "ZZ",
        ])
    func unknownBlocks(id: String) async throws {
        let error = try await refusal(of: "D####P0AD00N0100\(id)100123456789AB")
        #expect(error.field == .optionalBlock(id))
        #expect(error.description.hasPrefix("optional block \(id): "))
    }

    @Test(
        "Optional blocks with other data than they have are refused",
        arguments: [
            ("HM", "HM0621PB0A000000"), ("HM", "HM0620PB0A000000"), ("HM", "HM0710PB09000000"),
            ("KC", "KC0A00123456PB06"), ("KC", "KC0E0012345678PB"), ("KC", "KC1001123456789A"),
            ("KC", "KC0C0212345678PB"), ("KC", "KC0C00abcdefPB04"), ("TS", "TS132027013112000"),
            ("TS", "TS1320271331120000ZPB0D000000000"), ("TS", "TS1320270132120000ZPB0D000000000"),
            ("TS", "TS1320270131240000ZPB0D000000000"), ("TC", "TC1320270131126000ZPB0D000000000"),
            ("LB", "LB04PB0C00000000"), ("WP", "WP07001PB0900000"), ("WP", "WP07003PB0900000"),
        ])
    func badBlocks(id: String, blocks: String) async throws {
        let count = blocks.contains("PB") ? "02" : "01"
        let error = try await refusal(of: "D####P0AD00N\(count)00\(blocks)")
        #expect(error.field == .optionalBlock(id), "\(error)")
    }

    @Test(
        "Optional blocks that are twice there, not filled up, or filled up before the last one are refused",
        arguments: [
            ("02", "LB06abLB06cdPB04", KeyBlockError.Field.optionalBlock("LB")),
            ("01", "LB06ab", .optionalBlockCount), ("01", "LB09abcde", .optionalBlockCount),
            ("02", "PB0A000000LB06ab", .optionalBlock("PB")),
            ("02", "LB06abPB190000000000000000000000", .optionalBlockCount),
            ("03", "LB06abPB06xxPB04", .optionalBlock("PB")),
            ("01", "LB03abcdefghijkl", .optionalBlock("LB")), ("01", "LBg6abcdefghijkl", .optionalBlock("LB")),
            ("01", "LB0a234567890123", .optionalBlock("LB")), ("01", "LB00010014123456", .optionalBlock("LB")),
            ("01", "LB00020009123456", .optionalBlock("LB")),
        ])
    func sequences(count: String, blocks: String, field: KeyBlockError.Field) async throws {
        #expect(try await refusal(of: "D####P0AD00N\(count)00\(blocks)").field == field)
    }

    @Test(
        "Optional blocks are filled up as each maker does it",
        arguments: [
            // Nothing to fill up; as little as possible; a whole block more; blanks; the long form of a length.
            "01LB10label of key", "02LB06abPB0A000000", "02LB06abPB1A0000000000000000000000", "02LB06abPB0A      ",
            "02LB06abPB1Aabcdefghijklmnopqrstuv", "02LB06abPB0002001AFFFFFFFF~~~~~~~~",
            "01PB10000000000000", "02LB06abPB3A" + String(repeating: "0", count: 54),
        ])
    func padding(blocks: String) async throws {
        let peer = try Peer()
        let text = try await peer.forge("D####P0AD00N\(blocks.prefix(2))00\(blocks.dropFirst(2))")
        #expect(try peer.open(text).text == "00112233445566778899aabbccddeeff")
    }

    @Test("A number of optional blocks that is not there is refused")
    func blockCount() async throws {
        #expect(try await refusal(of: "D####P0AD00NAB00").field == .optionalBlockCount)
        let error = try await refusal(of: "D####P0AD00N9900LB10abcdefghijkl")
        #expect(error.field != .mac)
    }

    @Test("A check value of another key is refused, for the key and for its protection key")
    func checkValues() throws {
        let peer = try Peer()
        let (key, other) = (try SymmetricKey.random(.aes, 32), try SymmetricKey.random(.aes, 32))
        for method in [KeyCheckValue.Method.cmac, .encryptedZeros] {
            for isProtectionKey in [false, true] {
                let value = try OptionalBlock.CheckValue(of: isProtectionKey ? peer.protectionKey.key : key, by: method)
                let wrong = try OptionalBlock.CheckValue(of: other, by: method)
                for (value, isRight) in [(value, true), (wrong, false)] {
                    let block: OptionalBlock =
                        isProtectionKey ? .protectionKeyCheckValue(value) : .checkValue(value)
                    let header = try KeyBlockHeader(
                        version: .aes, purpose: .pinEncryption(.both), algorithm: .aes, optionalBlocks: [block])
                    let text = try KeyBlock(wrapping: key, header: header, under: peer.protectionKey).text
                    if isRight {
                        #expect(try peer.open(text).text == key.text)
                    } else {
                        let error = try #require(throws: KeyBlockError.self) { try peer.open(text) }
                        #expect(error.field == .optionalBlock(isProtectionKey ? "KP" : "KC"))
                    }
                }
            }
        }
    }

    @Test("psec's KC and HM blocks are checked against the key")
    func psecBlocks() async throws {
        let peer = try Peer()
        let key = try SymmetricKey.random(.aes, 32)
        let right = try await peer.wrap(key, header: "D0000P0AD00N0000", blocks: ["KC": "01\(key.checkValue)"])
        #expect(try peer.open(right).text == key.text)
        let wrong = try await peer.wrap(key, header: "D0000P0AD00N0000", blocks: ["KC": "010000000000"])
        #expect(throws: KeyBlockError.self) { try peer.open(wrong) }
        // Makers send 3 or 5 bytes, by either method.
        let zeros = try #require(key.checkValues.last { $0.method == .encryptedZeros }).description
        for value in ["01\(key.checkValue.description.prefix(6))", "00\(zeros)"] {
            let block = try await peer.wrap(key, header: "D0000P0AD00N0000", blocks: ["KC": value])
            #expect(try peer.open(block).text == key.text)
        }
        for value in ["00\(key.checkValue.description.prefix(6))", "01\(zeros)", "00\(zeros)0000"] {
            let block = try await peer.wrap(key, header: "D0000P0AD00N0000", blocks: ["KC": value])
            #expect(try #require(throws: KeyBlockError.self) { try peer.open(block) }.field == .optionalBlock("KC"))
        }
        let hmac = try SymmetricKey.random(.hmac, 32)
        let sha256 = try await peer.wrap(hmac, header: "D0000M7HV00N0000", blocks: ["HM": "21"])
        #expect(try peer.open(sha256).text == hmac.text)
        for hash in ["10", "20", "22", "23", "31"] {
            let other = try await peer.wrap(hmac, header: "D0000M7HV00N0000", blocks: ["HM": hash])
            #expect(try #require(throws: KeyBlockError.self) { try peer.open(other) }.field == .optionalBlock("HM"))
        }
        let checked = try await peer.wrap(hmac, header: "D0000M7HV00N0000", blocks: ["KC": "01\(key.checkValue)"])
        #expect(try #require(throws: KeyBlockError.self) { try peer.open(checked) }.field == .optionalBlock("KC"))
    }

    @Test("Keys of another length, weak keys, and a length that is not in the block are refused")
    func keys() async throws {
        for (letters, key) in [
            ("P0AD", "0011223344556677"), ("P0AD", "00112233445566778899AABBCCDDEEFF00"), ("P0TD", "0011223344556677"),
            ("P0TD", "00112233445566778899AABBCCDDEEFF0011223344556677" + "8899AABBCCDDEEFF"), ("M7HV", "001122334455"),
            ("P0TD", "00112233445566770011223344556677"), ("P0AD", String(repeating: "00", count: 16)),
            ("M7HV", String(repeating: "AB", count: 32)),
        ] {
            #expect(try await refusal(of: "D####\(letters)00N0000", key: key).field == .key, "\(letters) \(key)")
        }
    }

    @Test("A changed character anywhere is detected, and the MAC too")
    func tampering() async throws {
        let peer = try Peer()
        let text = try await peer.forge("D####P0AD00E0000")
        #expect(try peer.open(text).text == "00112233445566778899aabbccddeeff")
        for index in text.indices {
            let other: Character = text[index] == "1" ? "2" : "1"
            let changed = text[..<index] + String(other) + text[text.index(after: index)...]
            #expect(throws: KeyBlockError.self, "\(changed)") { try peer.open(String(changed)) }
        }
        // Values that are allowed, but not those that were authenticated.
        for (old, new) in [("P0AD", "P0AB"), ("P0AD", "K1AD"), ("P0AD", "P0TD"), ("00E00", "00N00"), ("00E0", "01E0")] {
            let changed = text.replacing(old, with: new, maxReplacements: 1)
            #expect(try #require(throws: KeyBlockError.self) { try peer.open(changed) }.field == .mac)
        }
        #expect(try #require(throws: KeyBlockError.self) { try Peer().open(text) }.field == .mac)
    }

    @Test("A key that is stronger than its protection key is refused")
    func ranks() async throws {
        let ranks: [[(KeyAlgorithm, Int)]] = [
            [(.tripleDES, 16)], [(.tripleDES, 24)], [(.aes, 16), (.hmac, 16), (.hmac, 23)],
            [(.aes, 24), (.hmac, 24), (.hmac, 31)], [(.aes, 32), (.hmac, 32), (.hmac, 128)],
        ]
        let usages: [KeyAlgorithm: String] = [.tripleDES: "P0TD", .aes: "P0AD", .hmac: "M7HV"]
        for (protection, rank) in [
            ((KeyAlgorithm.tripleDES, 16), 0), ((.tripleDES, 24), 1), ((.aes, 16), 2), ((.aes, 24), 3), ((.aes, 32), 4),
        ] {
            let peer = try Peer(protection.0, protection.1)
            let version = protection.0 == .aes ? "D" : "B"
            for (keyRank, keys) in ranks.enumerated() {
                for (algorithm, byteCount) in keys {
                    let key = try SymmetricKey.random(algorithm, byteCount)
                    let text = try await peer.forge("\(version)####\(usages[algorithm] ?? "")00N0000", key: key.text)
                    if keyRank <= rank {
                        #expect(try peer.open(text).text == key.text)
                    } else {
                        let error = try #require(throws: KeyBlockError.self) { try peer.open(text) }
                        #expect(error.field == .protectionKey)
                        #expect(error.description.contains("weaker"))
                    }
                }
            }
        }
    }

    @Test("A protection key of the other algorithm, and one that only wraps, are refused")
    func protectionKeys() async throws {
        let text = try await Peer().forge("D####P0AD00N0000")
        #expect(try #require(throws: KeyBlockError.self) { try Peer(.tripleDES, 24).open(text) }.field == .version)
        #expect(
            try #require(throws: KeyBlockError.self) { try Peer(.aes, 32, .encrypt).open(text) }.field == .protectionKey
        )
        #expect(throws: KeyBlockError.self) { try ProtectionKey(.random(.hmac, 32), .both) }
    }
}

@Suite("Malformed key blocks")
struct MalformedKeyBlockTests {
    private func field(_ text: String) throws -> KeyBlockError.Field {
        try #require(throws: KeyBlockError.self) { try KeyBlock(text) }.field
    }

    @Test("Other versions are refused", arguments: ["A", "C", "E", "b", "0", "9"])
    func versions(version: String) throws {
        #expect(try field("\(version)0112P0AD00N0000" + String(repeating: "0", count: 96)) == .version)
    }

    @Test("A text that ends too early is refused at the field where it ends")
    func truncated() throws {
        let whole = "D0112P0AD00N0000" + String(repeating: "0", count: 96)
        for count in 0..<whole.count {
            #expect(throws: KeyBlockError.self, "\(count)") { try KeyBlock(String(whole.prefix(count))) }
        }
        #expect(try field("D011") == .length)
        #expect(try field("D0112P") == .keyUsage)
    }

    @Test("A length that is not the block's is refused, and one that is no number")
    func lengths() throws {
        for length in ["0111", "0113", "9999", "0000", "01 2", "-112", "0x70"] {
            #expect(try field("D\(length)P0AD00N0000" + String(repeating: "0", count: 96)) == .length)
        }
    }

    @Test("A key that is no hex, in lower case, or not made of whole blocks is refused")
    func encryptedKeys() throws {
        func field(_ key: String) throws -> KeyBlockError.Field {
            let length = String(16 + key.count)
            let text = "D" + String(repeating: "0", count: 4 - length.count) + length + "P0AD00N0000" + key
            return try self.field(text)
        }
        #expect(try field(String(repeating: "0", count: 94)) == .encryptedKey)
        #expect(try field(String(repeating: "0", count: 95)) == .encryptedKey)
        #expect(try field(String(repeating: "0", count: 32)) == .encryptedKey)
        #expect(try field("") == .encryptedKey)
        #expect(try field("G" + String(repeating: "0", count: 95)) == .encryptedKey)
        #expect(try field("a" + String(repeating: "0", count: 95)) == .encryptedKey)
        #expect(try field(String(repeating: "0", count: 95) + "a") == .mac)
    }

    @Test("Characters that are not printable ASCII are refused")
    func characters() throws {
        #expect(try field("D0112P0AD00N0000\n" + String(repeating: "0", count: 95)) == .length)
        #expect(try field("D0112P0AD00N0000é" + String(repeating: "0", count: 94)) == .length)
    }

    @Test("A header is made only of values that belong together")
    func headers() throws {
        #expect(throws: KeyBlockError.self) {
            try KeyBlockHeader(version: .aes, purpose: .pinEncryption(.both), algorithm: .hmac)
        }
        #expect(throws: KeyBlockError.self) {
            try KeyBlockHeader(version: .aes, purpose: .messageAuthentication(generates: true), algorithm: .aes)
        }
        #expect(throws: KeyBlockError.self) {
            try KeyBlockHeader(
                version: .aes, purpose: .pinEncryption(.both), algorithm: .aes, optionalBlocks: [.hashIsSHA256])
        }
    }

    @Test("A header has no optional block with a text that could not be read again")
    func optionalBlocks() throws {
        for block in [OptionalBlock.timeStamp("today"), .timeOfCreation(""), .label(""), .label("schlüssel")] {
            let error = try #require(throws: KeyBlockError.self) {
                try KeyBlockHeader(
                    version: .aes, purpose: .pinEncryption(.both), algorithm: .aes, optionalBlocks: [block])
            }
            #expect(error.field == .optionalBlock(block.id))
        }
    }

    @Test("A key is not wrapped under a weaker one, nor by a key that only opens, nor with another key's header")
    func wrapping() throws {
        let header = try KeyBlockHeader(version: .aes, purpose: .pinEncryption(.both), algorithm: .aes)
        let key = try SymmetricKey.random(.aes, 32)
        let weak = try ProtectionKey(.random(.aes, 16), .both)
        #expect(throws: KeyBlockError.self) { try KeyBlock(wrapping: key, header: header, under: weak) }
        let opening = try ProtectionKey(.random(.aes, 32), .decrypt)
        #expect(throws: KeyBlockError.self) { try KeyBlock(wrapping: key, header: header, under: opening) }
        let strong = try ProtectionKey(.random(.aes, 32), .encrypt)
        #expect(throws: KeyBlockError.self) {
            try KeyBlock(wrapping: .random(.tripleDES, 16), header: header, under: strong)
        }
    }
}
