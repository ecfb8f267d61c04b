import KeyBlocks
import PythonOracle
import Testing

@Suite("Key blocks with psec", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PsecTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let protection: (KeyAlgorithm, Int)
        let purpose: KeyPurpose
        let key: (KeyAlgorithm, Int)
        /// Usage, algorithm and mode.
        let letters: String

        var testDescription: String { "\(letters), \(key.1) bytes under \(protection.0) with \(protection.1)" }
    }

    private static let cases: [Case] = [
        Case(protection: (.tripleDES, 16), purpose: .pinEncryption(.decrypt), key: (.tripleDES, 16), letters: "P0TD"),
        Case(protection: (.tripleDES, 24), purpose: .pinEncryption(.encrypt), key: (.tripleDES, 16), letters: "P0TE"),
        Case(protection: (.tripleDES, 24), purpose: .keyBlockProtection(.both), key: (.tripleDES, 24), letters: "K1TB"),
        Case(protection: (.aes, 16), purpose: .pinEncryption(.both), key: (.aes, 16), letters: "P0AB"),
        Case(protection: (.aes, 24), purpose: .pinEncryption(.decrypt), key: (.aes, 24), letters: "P0AD"),
        Case(protection: (.aes, 32), purpose: .keyBlockProtection(.decrypt), key: (.aes, 32), letters: "K1AD"),
        Case(protection: (.aes, 16), purpose: .pinEncryption(.both), key: (.tripleDES, 24), letters: "P0TB"),
        Case(protection: (.aes, 24), purpose: .keyEncryption(.decrypt), key: (.aes, 24), letters: "K0AD"),
        Case(protection: (.tripleDES, 24), purpose: .keyEncryption(.both), key: (.tripleDES, 24), letters: "K0TB"),
        Case(protection: (.aes, 16), purpose: .visaPVV(verifies: false), key: (.tripleDES, 16), letters: "V2TG"),
        Case(protection: (.tripleDES, 24), purpose: .visaPVV(verifies: true), key: (.tripleDES, 16), letters: "V2TC"),
        Case(protection: (.aes, 24), purpose: .ibm3624(verifies: false), key: (.tripleDES, 24), letters: "V1TG"),
        Case(protection: (.tripleDES, 16), purpose: .ibm3624(verifies: true), key: (.tripleDES, 16), letters: "V1TC"),
        Case(
            protection: (.aes, 32), purpose: .messageAuthentication(generates: true), key: (.hmac, 32), letters: "M7HC"),
        Case(
            protection: (.aes, 32), purpose: .messageAuthentication(generates: false), key: (.hmac, 45), letters: "M7HV"
        ),
    ]

    @Test("psec opens our blocks", arguments: cases)
    func ours(example: Case) async throws {
        let peer = try Peer(example.protection.0, example.protection.1)
        let key = try SymmetricKey.random(example.key.0, example.key.1)
        let header = try KeyBlockHeader(
            version: example.protection.0 == .aes ? .aes : .tripleDES, purpose: example.purpose,
            algorithm: example.key.0, keyVersion: "07", exportability: .exportable,
            optionalBlocks: [.timeStamp("20270131120000Z"), .label("our key")])
        let opened = try await peer.unwrap(KeyBlock(wrapping: key, header: header, under: peer.protectionKey))
        #expect(opened["key"] == key.text)
        #expect(opened["header"]?.dropFirst(5).prefix(7) == "\(example.letters)07E")
        #expect(opened["block TS"] == "20270131120000Z")
        #expect(opened["block LB"] == "our key")
    }

    @Test("We open psec's blocks", arguments: cases)
    func theirs(example: Case) async throws {
        let peer = try Peer(example.protection.0, example.protection.1)
        let key = try SymmetricKey.random(example.key.0, example.key.1)
        let version = example.protection.0 == .aes ? "D" : "B"
        let text = try await peer.wrap(
            key, header: "\(version)0000\(example.letters)00N0000", blocks: ["TC": "2027-01-31T12:00:00Z"])
        let block = try KeyBlock(text)
        #expect(block.header.purpose == example.purpose)
        #expect(block.header.algorithm == example.key.0)
        #expect(block.header.exportability == .notExportable)
        #expect(block.header.keyVersion == "00")
        #expect(block.header.optionalBlocks == [.timeOfCreation("2027-01-31T12:00:00Z")])
        #expect(try block.key(under: peer.protectionKey).text == key.text)
    }

    @Test(
        "Check values are those of other programs",
        arguments: [(KeyAlgorithm.tripleDES, 16), (.tripleDES, 24), (.aes, 16), (.aes, 24), (.aes, 32)])
    func checkValues(algorithm: KeyAlgorithm, byteCount: Int) async throws {
        let key = try SymmetricKey.random(algorithm, byteCount)
        let asked = ["key": key.text, "algorithm": algorithm == .aes ? "aes" : "tdes"]
        #expect(try await Peer.oracle.ask("check_value", asked)["kcv"] == key.checkValue.description)
    }

    @Test("psec's padding of optional blocks is read, whatever their length", arguments: 1...40)
    func padding(labelLength: Int) async throws {
        for peer in [try Peer(), try Peer(.tripleDES, 24)] {
            let key = try SymmetricKey.random(.tripleDES, 16)
            let label = String(repeating: "x", count: labelLength)
            let version = peer.protectionKey.key.algorithm == .aes ? "D" : "B"
            let block = try await KeyBlock(
                peer.wrap(key, header: "\(version)0000P0TD00N0000", blocks: ["LB": label]))
            #expect(block.header.optionalBlocks == [.label(label)])
            #expect(try block.key(under: peer.protectionKey).text == key.text)
        }
    }

    @Test("A long optional block, with the long form of its length, is read both ways")
    func longLabel() async throws {
        let (peer, label) = (try Peer(), String(repeating: "x", count: 300))
        let key = try SymmetricKey.random(.aes, 32)
        let theirs = try await KeyBlock(peer.wrap(key, header: "D0000P0AD00N0000", blocks: ["LB": label]))
        #expect(theirs.header.optionalBlocks == [.label(label)])
        #expect(try theirs.key(under: peer.protectionKey).text == key.text)
        let header = try KeyBlockHeader(
            version: .aes, purpose: .pinEncryption(.decrypt), algorithm: .aes, optionalBlocks: [.label(label)])
        let ours = try KeyBlock(wrapping: key, header: header, under: peer.protectionKey)
        #expect(try await peer.unwrap(ours)["block LB"] == label)
    }
}
