import Cryptography
import SecureMemory
import Testing

@Suite("Hashes and authentication codes")
struct HashTests {
    @Test("SHA-256 and SHA-512 give the values of the FIPS 180-4 examples")
    func sha2() throws {
        #expect(
            try SHA256.hash("abc".bytes) == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
        #expect(
            try SHA256.hash([]) == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
        #expect(
            try SHA512.hash("abc".bytes)
                == hex(
                    """
                    ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
                    2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
                    """))
    }

    @Test("HMAC-SHA-256 gives the values of RFC 4231", arguments: rfc4231)
    func hmac(vector: HMACVector) throws {
        let (key, data, code) = (try hex(vector.key), try hex(vector.data), try hex(vector.code))
        #expect(HMACSHA256.authenticationCode(for: data, key: key) == code)
        let ofSecrets = HMACSHA256.authenticationCode(for: SecretBytes(copying: data), key: SecretBytes(copying: key))
        #expect(ofSecrets == code)
        let ofNothing = HMACSHA256.authenticationCode(for: [], key: key)
        #expect(HMACSHA256.authenticationCodes(for: [data, [], data], key: key) == [code, ofNothing, code])
    }

    @Test("Only the complete, unchanged authentication code is valid")
    func isValid() throws {
        let (key, data) = ("key".bytes, "data".bytes)
        let code = HMACSHA256.authenticationCode(for: data, key: key)
        #expect(HMACSHA256.isValid(code, for: data, key: key))
        for bit in 0..<code.count * 8 {
            #expect(!HMACSHA256.isValid(code.flipping(bit: bit), for: data, key: key))
        }
        #expect(!HMACSHA256.isValid(code.dropLast(), for: data, key: key))
        #expect(!HMACSHA256.isValid(code + [0], for: data, key: key))
        #expect(!HMACSHA256.isValid([], for: data, key: key))
        #expect(!HMACSHA256.isValid(code, for: data, key: "kez".bytes))
    }

    @Test("An empty key and empty data have an authentication code")
    func emptyKey() throws {
        // From Python: hmac.new(b"", b"", "sha256").
        let code = try hex("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        #expect(HMACSHA256.authenticationCode(for: [], key: []) == code)
    }

    @Test("Comparison in constant time detects different bytes and different lengths")
    func constantTime() {
        #expect(ConstantTime.areEqual([], []))
        let isEqualToSecret = ConstantTime.areEqual([1, 2, 3], SecretBytes(copying: [1, 2, 3]))
        #expect(isEqualToSecret)
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.areEqual([0, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.areEqual([1, 2, 3], [1, 2]))
        #expect(!ConstantTime.areEqual([], [0]))
    }

    @Test("Random bytes have the requested length and do not repeat")
    func random() {
        #expect(SecureRandom.bytes(count: 0).isEmpty)
        #expect(SecureRandom.bytes(count: 33).count == 33)
        #expect(SecureRandom.bytes(count: 32) != SecureRandom.bytes(count: 32))
        let secret = SecureRandom.secret(count: 32).revealed
        #expect(secret.count == 32)
        #expect(secret != SecureRandom.secret(count: 32).revealed)
    }
}

struct HMACVector: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let data: String
    let code: String

    var testDescription: String { name }
}

private let rfc4231 = [
    HMACVector(
        name: "test case 1", key: String(repeating: "0b", count: 20), data: "4869205468657265",
        code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACVector(
        name: "test case 2", key: "4a656665", data: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
        code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACVector(
        name: "test case 3", key: String(repeating: "aa", count: 20), data: String(repeating: "dd", count: 50),
        code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACVector(
        name: "test case 4", key: "0102030405060708090a0b0c0d0e0f10111213141516171819",
        data: String(repeating: "cd", count: 50),
        code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACVector(
        name: "test case 6, a key longer than a block", key: String(repeating: "aa", count: 131),
        data: """
            54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a65204b6579202d2048617368204b6579
            204669727374
            """,
        code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
]
