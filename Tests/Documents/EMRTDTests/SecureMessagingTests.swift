import Cryptography
import EMRTD
import SecureMemory
import Testing

@Suite("Secure messaging")
struct SecureMessagingTests {
    @Test(
        "The key derivation gives the keys of Doc 9303-11",
        arguments: try TestData.json("bac/key-derivation.json", DerivationFile.self).cases)
    func derivation(_ vector: DerivationFile.Case) throws {
        let cipher = try #require(vector.sessionCipher)
        let key = KeyDerivation.key(of: vector.sharedSecret.bytes, counter: vector.counter, cipher)
        #expect(key.revealed == vector.key.bytes)
    }

    @Test("The session keys of Doc 9303-11 appendix D.3 come out")
    func basicAccess() throws {
        struct Example: Decodable {
            struct Values: Decodable { let sha1MrzInformation, kSeed, kEnc, kMac, sessionKSeed: HexBytes }
            struct Input: Decodable { let mrzInformation: String }
            let input: Input
            let intermediates: Values
            let expected: RecordedChannel.Start
        }
        let example = try TestData.json("bac/bac-doc9303-appendix-d.json", Example.self)
        let values = example.intermediates
        #expect(HashAlgorithm.sha1.hash(Array(example.input.mrzInformation.utf8)) == values.sha1MrzInformation.bytes)
        #expect(KeyDerivation.key(of: values.kSeed.bytes, counter: 1, .tripleDES).revealed == values.kEnc.bytes)
        #expect(KeyDerivation.key(of: values.kSeed.bytes, counter: 2, .tripleDES).revealed == values.kMac.bytes)
        let keys = try SessionKeys(.tripleDES, secret: values.sessionKSeed.bytes)
        #expect(keys.encryptionKey.bytes.revealed == example.expected.ksEnc.bytes)
        #expect(keys.authenticationKey.bytes.revealed == example.expected.ksMac.bytes)
    }

    @Test(
        "Recorded, published and generated exchanges are reproduced byte by byte",
        arguments: try ChannelFile.all())
    func exchanges(_ channel: RecordedChannel) throws {
        for exchange in channel.exchanges {
            var reader = try channel.initial.channel(counter: exchange.sscBefore)
            if let plain = exchange.plainCommand, let protected = exchange.protectedCommand {
                #expect(try reader.protect(plain.command) == protected.bytes, "\(exchange.name)")
            }
            let response = try #require(exchange.protectedResponse).octets
            let answer = try reader.unprotect(response)
            #expect(answer.data == (exchange.plainResponseData?.bytes ?? []), "\(exchange.name)")
            #expect(answer.status.bytes == exchange.statusWord?.bytes, "\(exchange.name)")
            #expect(reader.counter.bytes == exchange.sscAfter?.bytes, "\(exchange.name)")
        }
    }

    @Test("Manipulated answers are refused", arguments: try ChannelFile.all().filter { !($0.refuse ?? []).isEmpty })
    func manipulations(_ channel: RecordedChannel) throws {
        let refused = try #require(channel.refuse)
        #expect(refused.count == 6)
        for manipulated in refused {
            var reader = try channel.initial.channel(counter: manipulated.sscBeforeResponse)
            #expect(throws: SecureMessagingError.self, "\(manipulated.name)") {
                _ = try reader.unprotect(manipulated.protectedResponse.octets)
            }
        }
    }

    @Test("Every changed bit and every cut of an answer is refused")
    func everyBit() throws {
        for channel in try ChannelFile.all() {
            let exchange = try #require(channel.exchanges.first { ($0.plainResponseData?.bytes.count ?? 0) < 300 })
            let response = try #require(exchange.protectedResponse).bytes
            var start = try channel.initial.channel(counter: exchange.sscBefore)
            if let command = exchange.plainCommand?.command { _ = try start.protect(command) }
            for bit in 0..<response.count * 8 {
                var (changed, reader) = (response, start)
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(throws: SecureMessagingError.self, "\(channel.name), bit \(bit)") {
                    _ = try reader.unprotect(Octets(copying: changed))
                }
            }
            for count in 0..<response.count {
                var reader = start
                #expect(throws: SecureMessagingError.self, "\(channel.name), \(count) bytes") {
                    _ = try reader.unprotect(Octets(copying: Array(response.prefix(count))))
                }
            }
        }
    }

    @Test("Counters beyond 53 and 63 bits are right, also as signed numbers", arguments: try counterCases())
    func counters(_ vector: CounterCase) throws {
        let start = RecordedChannel.Start(
            algorithm: vector.algorithm, ksEnc: vector.ksEnc, ksMac: vector.ksMac, ssc: vector.ssc)
        var channel = try start.channel(counter: vector.ssc)
        #expect(channel.counter.signed == vector.sscAsSigned64)
        if let number = vector.sscAsSigned64 {
            let cipher = channel.keys.cipher
            #expect(SendSequenceCounter(signed: number, cipher: cipher)?.bytes == vector.ssc.bytes)
        }
        #expect(try channel.protect(CommandAPDU(vector.command.bytes)) == vector.protectedCommand.bytes)
        #expect(channel.counter.bytes == vector.sscOfCommand.bytes)
    }

    private static func counterCases() throws -> [CounterCase] {
        struct File: Decodable {
            struct Cases: Decodable { let cases: [CounterCase] }
            let counterCases: Cases
        }
        return try TestData.json("secure-messaging/generated.json", File.self).counterCases.cases
    }

    @Test("Keys of another length are refused")
    func keyLengths() {
        for cipher in SessionKeys.Cipher.allCases {
            for count in [0, 8, 15, 16, 17, 24, 32, 48] where count != cipher.keyByteCount {
                let key = [UInt8](repeating: 7, count: count)
                #expect(throws: FormatError.self, "\(cipher), \(count)") {
                    _ = try SessionKeys(
                        cipher, encryptionKey: SecretBytes(copying: key), authenticationKey: SecretBytes(copying: key))
                }
            }
        }
    }

    @Test("A command is written and read in each form of its lengths")
    func commands() throws {
        for count in [0, 1, 255, 256, 3000] {
            for expected in [nil, 1, 255, 256, 257, 65_535, 65_536] {
                let command = CommandAPDU(
                    instruction: 0xB0, p1: 1, p2: 2, data: [UInt8](repeating: 3, count: count), expectedCount: expected)
                #expect(try CommandAPDU(command.encoded) == command, "\(count) bytes, \(expected ?? 0) expected")
            }
        }
        for text in ["", "00", "00B000", "00B0000005", "00B00000020102030405", "00B0000000000501"] {
            let bytes = try #require(Hex.decode(text))
            let command = try? CommandAPDU(bytes)
            #expect(command == nil || command?.encoded == bytes, "\(text)")
        }
    }
}

struct DerivationFile: Decodable {
    struct Case: Decodable, Sendable {
        let sharedSecret: HexBytes
        let counter: UInt8
        let cipher: String
        let keyBits: Int
        let key: HexBytes

        var sessionCipher: SessionKeys.Cipher? {
            cipher == "3DES"
                ? .tripleDES : SessionKeys.Cipher.allCases.first { $0 != .tripleDES && $0.keyByteCount * 8 == keyBits }
        }
    }

    let cases: [Case]
}

struct CounterCase: Decodable, Sendable {
    let algorithm: String
    let ksEnc, ksMac, ssc, command, protectedCommand, sscOfCommand: HexBytes
    let sscAsSigned64: Int64?
}

/// Exchanges under the same keys.
struct RecordedChannel: Decodable, Sendable, CustomTestStringConvertible {
    struct Start: Decodable, Sendable {
        let algorithm: String
        let ksEnc, ksMac, ssc: HexBytes

        func channel(counter: HexBytes? = nil) throws -> SecureChannel {
            let cipher = SessionKeys.Cipher.allCases.first {
                ($0 == .tripleDES) == (algorithm == "DESede") && $0.keyByteCount == ksEnc.bytes.count
            }
            let keys = try SessionKeys(
                #require(cipher), encryptionKey: SecretBytes(copying: ksEnc.bytes),
                authenticationKey: SecretBytes(copying: ksMac.bytes))
            return SecureChannel(keys: keys, counter: SendSequenceCounter(bytes: (counter ?? ssc).bytes))
        }
    }

    struct Exchange: Decodable, Sendable {
        struct Command: Decodable, Sendable {
            let header: HexBytes
            let data: HexBytes
            let le: Int?

            var command: CommandAPDU {
                CommandAPDU(
                    instructionClass: header.bytes[0] & ~0x0C, instruction: header.bytes[1], p1: header.bytes[2],
                    p2: header.bytes[3], data: data.bytes, expectedCount: le)
            }
        }

        let name: String
        let sscBefore: HexBytes
        let plainCommand: Command?
        let protectedCommand, protectedResponse, plainResponseData, statusWord, sscAfter: HexBytes?
    }

    struct Refused: Decodable, Sendable {
        let name: String
        let sscBeforeResponse, protectedResponse: HexBytes
    }

    let name: String
    let initial: Start
    let exchanges: [Exchange]
    let refuse: [Refused]?

    var testDescription: String { name }
}

enum ChannelFile {
    private struct File: Decodable {
        let channels: [RecordedChannel]
    }

    static func all() throws -> [RecordedChannel] {
        try TestData.names(in: "secure-messaging", suffix: ".json").flatMap { name in
            let path = "secure-messaging/\(name)"
            return try (try? TestData.json(path, File.self).channels) ?? [TestData.json(path, RecordedChannel.self)]
        }
    }
}
