import Cryptography
import SecureMemory
import Testing

/// RFC 7518 appendix C: Alice's ephemeral key, Bob's key, and the key that both derive.
@Suite("Key agreement")
struct KeyAgreementTests {
    private static let alice = (
        x: "gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0", y: "SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps",
        d: "0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo"
    )
    private static let bob = (
        x: "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ", y: "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
        d: "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw"
    )

    @Test("Both sides derive the key of RFC 7518 appendix C")
    func rfc7518() throws {
        let alice = try P256PrivateKey(pkcs8: PKCS8.p256(Self.alice))
        let bob = try P256PrivateKey(pkcs8: PKCS8.p256(Self.bob))
        let sharedSecret = try alice.sharedSecret(with: bob.publicKey)
        let expected = try hex("9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4")
        #expect(sharedSecret.revealed == expected)
        #expect(try bob.sharedSecret(with: alice.publicKey).revealed == expected)
        let key = ConcatKDF.derive(
            sharedSecret: sharedSecret, algorithmID: "A128GCM", partyUInfo: "Alice".bytes, partyVInfo: "Bob".bytes,
            keyByteCount: 16)
        #expect(Base64URL.encode(key) == "VqqN6vgjbSBcIijNcacQGg")
    }

    @Test("Every input of the derivation changes the key")
    func inputs() {
        func key(_ secret: String = "z", _ algorithm: String = "a", _ u: String = "u", _ v: String = "v") -> [UInt8] {
            ConcatKDF.derive(
                sharedSecret: secret.bytes, algorithmID: algorithm, partyUInfo: u.bytes, partyVInfo: v.bytes,
                keyByteCount: 32
            ).revealed
        }
        // Without the lengths before the parts, the last two would be equal.
        let keys = [
            key(), key("y"), key("z", "b"), key("z", "a", "x"), key("z", "a", "u", "x"), key("z", "a", "uv", ""),
            key("z", "a", "", "uv"),
        ]
        #expect(Set(keys).count == keys.count)
        #expect(key() == key())
    }

    @Test("A key longer than one hash, with empty parties, equals the key that another library derived")
    func longKey() throws {
        // ConcatKDFHash of Python's cryptography, 64 bytes, otherinfo 0000000161 00000000 00000000 00000200.
        let key = ConcatKDF.derive(
            sharedSecret: "z".bytes, algorithmID: "a", partyUInfo: [], partyVInfo: [], keyByteCount: 64)
        #expect(Hex.encode(key) == Self.longKeyByPython)
    }

    private static let longKeyByPython =
        "dbc6bcc6f5324951a1e84d88bf32857744b12f42eebcec7d7ed08791fc0808d7"
        + "4502b3a1c5d03fc5c7b94224e84a45c99b700ebce28513d98336f2e8753dd08e"

    @Test("Two new keys agree on one secret, and a third key does not get it")
    func generated() throws {
        let (one, other, third) = (
            try P256PrivateKey.generate(), try P256PrivateKey.generate(), try P256PrivateKey.generate()
        )
        let secret = try one.sharedSecret(with: other.publicKey).revealed
        #expect(secret.count == 32)
        #expect(try other.sharedSecret(with: one.publicKey).revealed == secret)
        #expect(try third.sharedSecret(with: one.publicKey).revealed != secret)
    }
}
