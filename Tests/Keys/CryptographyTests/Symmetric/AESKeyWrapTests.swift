import Cryptography
import SecureMemory
import Testing

@Suite("AES key wrap")
struct AESKeyWrapTests {
    private static let keyEncryptionKey = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"

    @Test(
        "The test cases of RFC 3394 sections 4.3, 4.5 and 4.6 give the expected values",
        arguments: [
            ("00112233445566778899AABBCCDDEEFF", "64E8C3F9CE0F5BA263E9777905818A2A93C8191E7D6E8AE7"),
            (
                "00112233445566778899AABBCCDDEEFF0001020304050607",
                "A8F9BC1612C68B3FF6E6F4FBE30E71E4769C8B80A32CB8958CD5D17D6B254DA1"
            ),
            (
                "00112233445566778899AABBCCDDEEFF000102030405060708090A0B0C0D0E0F",
                "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"
            ),
        ])
    func vectors(key: String, wrapped: String) throws {
        let keyEncryptionKey = try hex(Self.keyEncryptionKey)
        #expect(try AESKeyWrap.wrap(hex(key), with: keyEncryptionKey) == hex(wrapped))
        #expect(try AESKeyWrap.unwrap(hex(wrapped), with: keyEncryptionKey).revealed == hex(key))
    }

    @Test("A changed bit, a changed length and another key are detected")
    func tampering() throws {
        let keyEncryptionKey = SecureRandom.bytes(count: 32)
        let wrapped = try AESKeyWrap.wrap(SecureRandom.bytes(count: 32), with: keyEncryptionKey)
        for bit in 0..<wrapped.count * 8 {
            #expect(refusal(of: wrapped.flipping(bit: bit), keyEncryptionKey) == .authenticationFailed)
        }
        #expect(refusal(of: wrapped, SecureRandom.bytes(count: 32)) == .authenticationFailed)
        #expect(refusal(of: wrapped.dropLast(8), keyEncryptionKey) == .authenticationFailed)
        #expect(refusal(of: wrapped + wrapped.prefix(8), keyEncryptionKey) == .authenticationFailed)
    }

    @Test("Wrapped keys of an impossible length are refused", arguments: [0, 8, 16, 23, 25, 39, 41, 4112])
    func wrappedLengths(count: Int) {
        let wrapped = [UInt8](repeating: 0, count: count)
        #expect(refusal(of: wrapped, SecureRandom.bytes(count: 32)) == .invalidLength)
    }

    @Test("Keys of a length that cannot be wrapped are refused", arguments: [0, 8, 15, 17, 33, 4104])
    func keyLengths(count: Int) {
        let error = #expect(throws: CryptographyError.self) {
            try AESKeyWrap.wrap([UInt8](repeating: 0, count: count), with: [UInt8](repeating: 0, count: 32))
        }
        #expect(error?.code == .invalidLength)
    }

    @Test("Key-encryption keys of other lengths are refused", arguments: [0, 16, 24, 31, 33])
    func keyEncryptionKeyLengths(count: Int) {
        let keyEncryptionKey = [UInt8](repeating: 0, count: count)
        #expect(refusal(of: [UInt8](repeating: 0, count: 40), keyEncryptionKey) == .invalidLength)
    }

    private func refusal(of wrapped: [UInt8], _ keyEncryptionKey: [UInt8]) -> CryptographyError.Code? {
        do {
            _ = try AESKeyWrap.unwrap(wrapped, with: keyEncryptionKey)
            return nil
        } catch {
            return error.code
        }
    }
}
