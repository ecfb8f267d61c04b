import Cryptography
import PythonOracle
import SecureMemory
import Testing

@Suite("Block ciphers")
struct BlockCipherTests {
    @Test(
        "The examples of FIPS 197 give the expected blocks",
        arguments: [
            ("000102030405060708090A0B0C0D0E0F", "69C4E0D86A7B0430D8CDB78070B4C55A"),
            ("000102030405060708090A0B0C0D0E0F1011121314151617", "DDA97CA4864CDFE06EAF70A0EC0D7191"),
            (
                "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
                "8EA2B7CA516745BFEAFC49904B496089"
            ),
        ])
    func aes(key: String, ciphertext: String) throws {
        let cipher = try BlockCipher(.aes, key: hex(key))
        let plaintext = try hex("00112233445566778899AABBCCDDEEFF")
        #expect(try cipher.encryptBlocks(plaintext).revealed == hex(ciphertext))
        #expect(try cipher.decryptBlocks(hex(ciphertext)).revealed == plaintext)
    }

    @Test(
        "The examples of SP 800-38B give the expected CMACs",
        arguments: [
            (BlockCipher.Algorithm.aes, "2B7E151628AED2A6ABF7158809CF4F3C", "", "BB1D6929E95937287FA37D129B756746"),
            (
                .aes, "2B7E151628AED2A6ABF7158809CF4F3C", "6BC1BEE22E409F96E93D7E117393172A",
                "070A16B46B4D4144F79BDD9DD04A287C"
            ),
            (
                .aes, "603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4", "",
                "028962F61B7BF89EFC6B551F4667D983"
            ),
            (
                .tripleDES, "8AA83BF8CBDA10620BC1BF19FBB6CD58BC313D4A371CA8B5", "6BC1BEE22E409F96", "8E8F293136283797"
            ),
            (.tripleDES, "4CF15134A2850DD58A3D10BA80570D38", "", "BD2EBF9A3BA00361"),
        ])
    func cmac(algorithm: BlockCipher.Algorithm, key: String, message: String, code: String) throws {
        let cipher = try BlockCipher(algorithm, key: hex(key))
        #expect(try cipher.authenticationCode(for: hex(message)).revealed == hex(code))
    }

    @Test(
        "ECB, CBC and CMAC are those of Python's cryptography, and decrypt again",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)),
        arguments: [
            (BlockCipher.Algorithm.aes, 16), (.aes, 24), (.aes, 32), (.tripleDES, 16), (.tripleDES, 24),
        ])
    func python(algorithm: BlockCipher.Algorithm, keyByteCount: Int) async throws {
        let key = SecureRandom.bytes(count: keyByteCount)
        let vector = SecureRandom.bytes(count: algorithm.blockByteCount)
        let message = SecureRandom.bytes(count: algorithm.blockByteCount * 3)
        let theirs = try await PythonOracle(script: "../Oracles/cryptography_oracle.py").ask(
            "block_cipher",
            [
                "algorithm": "\(algorithm)", "key": Hex.encode(key), "message": Hex.encode(message),
                "initializationVector": Hex.encode(vector),
            ])
        let cipher = try BlockCipher(algorithm, key: key)
        #expect(try Hex.encode(cipher.encryptBlocks(message)) == theirs["blocks"])
        #expect(try Hex.encode(cipher.encryptChain(message, initializationVector: vector)) == theirs["chain"])
        #expect(try Hex.encode(cipher.authenticationCode(for: message)) == theirs["cmac"])
        let chain = try hex(#require(theirs["chain"]))
        #expect(try cipher.decryptChain(chain, initializationVector: vector).revealed == message)
        #expect(try cipher.decryptBlocks(hex(#require(theirs["blocks"]))).revealed == message)
    }

    @Test("Two keys of Triple DES are K1, K2, K1")
    func twoKeys() throws {
        let (key, block) = (SecureRandom.bytes(count: 16), SecureRandom.bytes(count: 8))
        let (two, three) = (
            try BlockCipher(.tripleDES, key: key), try BlockCipher(.tripleDES, key: key + key.prefix(8))
        )
        #expect(try two.encryptBlocks(block).revealed == three.encryptBlocks(block).revealed)
        #expect(try two.authenticationCode(for: block).revealed == three.authenticationCode(for: block).revealed)
    }

    @Test(
        "Keys of another length are refused",
        arguments: [(BlockCipher.Algorithm.aes, [0, 8, 15, 17, 33]), (.tripleDES, [0, 8, 15, 32])])
    func keyLengths(algorithm: BlockCipher.Algorithm, counts: [Int]) {
        for count in counts {
            let error = #expect(throws: CryptographyError.self, "\(count)") {
                _ = try BlockCipher(algorithm, key: [UInt8](repeating: 7, count: count))
            }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test(
        "Inputs that are not whole blocks, and vectors of another length, are refused", arguments: [0, 1, 15, 17, 24])
    func lengths(count: Int) throws {
        let cipher = try BlockCipher(.aes, key: [UInt8](repeating: 7, count: 16))
        let (input, vector) = ([UInt8](repeating: 0, count: count), [UInt8](repeating: 0, count: 16))
        let calls: [() throws -> Void] = [
            { _ = try cipher.encryptBlocks(input) }, { _ = try cipher.decryptBlocks(input) },
            { _ = try cipher.encryptChain(input, initializationVector: vector) },
            { _ = try cipher.decryptChain(input, initializationVector: vector) },
            { _ = try cipher.encryptChain(vector, initializationVector: input) },
        ]
        for call in calls {
            let error = #expect(throws: CryptographyError.self) { try call() }
            #expect(error?.code == .invalidLength)
        }
    }
}
