import CPKCS11
import Cryptography
import Foundation
import SecureMemory
import ServerHarness
import Testing

@testable import PKCS11

/// Tokens of SoftHSM. A process can initialize a module once, so there is one test at a time.
@Suite("PKCS#11 tokens", .serialized)
struct TokenTests {
    private static let first = Once {
        let token = try await TestVaultToken("first")
        for (name, value) in token.moduleEnvironment { setenv(name, value, 1) }
        return token
    }

    private let id: [UInt8] = (0..<16).map { _ in .random(in: 0...255) }
    private let iv: [UInt8] = (0..<12).map { _ in .random(in: 0...255) }
    private let secret = SharedSecret(SecretBytes(copying: (0..<32).map { UInt8($0) }))
    private let data = Array("key 1, seal".utf8)

    private func withToken(
        _ behavior: TestVaultToken.Behavior = .well, _ body: (Token, TestVaultToken) async throws -> Void
    ) async throws {
        let test = try await TestVaultToken(Unique.name("t").suffix(20).description, beside: Self.first.value)
        try test.behave(behavior)
        let token = Token(Token.Address(modulePath: test.modulePath, label: test.label))
        do {
            try await body(token, test)
        } catch {
            try test.behave(.well)
            await token.close()
            throw error
        }
        try test.behave(.well)
        await token.close()
    }

    private func pin(_ text: String) -> SharedSecret { SharedSecret(SecretBytes(copying: Array(text.utf8))) }

    @Test("A key that the token makes seals and opens, only with the same data")
    func sealing() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            #expect(try await !token.hasKey(id: id))
            try await token.makeKey(id: id, label: "key")
            #expect(try await token.hasKey(id: id))
            let sealed = try await token.seal(secret, keyId: id, iv: iv, authenticating: data)
            #expect(sealed.count == 12 + 32 + 16 && Array(sealed.prefix(12)) == iv)
            let opened = try await token.open(sealed, keyId: id, authenticating: data)
            #expect(opened.bytes.withBytes { Array($0) } == Array(0..<32))
            for (changed, data) in [
                (sealed, data + [0]), (sealed.dropLast() + [sealed[59] ^ 1], data), ([1, 2], data),
            ] {
                // A token can say so when it is lost, so the connection was given up.
                try await token.logIn(pin(test.pin), by: .automatic)
                await #expect(throws: PKCS11Error.damagedValue) {
                    _ = try await token.open(Array(changed), keyId: id, authenticating: data)
                }
            }
            // It is still there after the connection was closed.
            await token.close()
            try await token.logIn(pin(test.pin), by: .automatic)
            #expect(try await token.open(sealed, keyId: id, authenticating: data).bytes.count == 32)
            #expect(try await token.destroyKey(id: id))
            #expect(try await !token.hasKey(id: id))
        }
    }

    @Test("The IV that the token took is returned")
    func ownIV() async throws {
        try await withToken(.ownIV) { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "key")
            let sealed = try await token.seal(secret, keyId: id, iv: iv, authenticating: data)
            #expect(Array(sealed.prefix(12)) == iv.map { $0 ^ 0x5A })
            #expect(try await token.open(sealed, keyId: id, authenticating: data).bytes.count == 32)
        }
    }

    @Test("Two keys with one CKA_ID are an error")
    func severalKeys() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "one")
            try await token.makeKey(id: id, label: "two")
            let error = await #expect(throws: PKCS11Error.self) { _ = try await token.hasKey(id: id) }
            let description = try #require(error).description
            #expect(description.contains("several keys"))
        }
    }

    @Test("A key with other rights is refused")
    func wrongAttribute() async throws {
        try await withToken { token, test in
            await token.close()
            try await TestCommand.run(
                "pkcs11-tool",
                [
                    "--module", test.softHSMModulePath, "--token-label", test.label, "--login", "--pin", test.pin,
                    "--keygen", "--key-type", "AES:32", "--id", id.map { String(format: "%02x", $0) }.joined(),
                    "--extractable",
                ], environment: test.moduleEnvironment
            ).succeeded()
            try await token.logIn(pin(test.pin), by: .automatic)
            let error = await #expect(throws: PKCS11Error.self) { _ = try await token.hasKey(id: id) }
            guard case .wrongAttribute = try #require(error) else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("A key pair that the token makes signs as P-256 and Ed25519 do, and is found again by its label")
    func signing() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            let message = Array("what is signed".utf8)
            #expect(try await token.signingKeys(.ecdsaP256, label: "seals").isEmpty)
            let p256 = try await token.makeSigningKey(.ecdsaP256, id: id, label: "seals")
            let half = p256.publicKey.dropFirst()
            let publicKey = try P256PublicKey(x: Array(half.prefix(32)), y: Array(half.suffix(32)))
            let signature = try await token.sign(SHA256.hash(message), .ecdsaP256, keyId: id)
            #expect(publicKey.isValidECDSASHA256(signature: signature, for: message))
            #expect(!publicKey.isValidECDSASHA256(signature: signature, for: message + [0]))

            let other = id.map { $0 ^ 1 }
            let edwards = try await token.makeSigningKey(.ed25519, id: other, label: "operator")
            let edwardsKey = try Ed25519PublicKey(rawRepresentation: edwards.publicKey)
            let edwardsSignature = try await token.sign(message, .ed25519, keyId: other)
            #expect(edwardsKey.isValid(signature: edwardsSignature, for: message))

            await token.close()
            try await token.logIn(pin(test.pin), by: .automatic)
            #expect(try await token.signingKeys(.ecdsaP256, label: "seals") == [p256])
            #expect(try await token.signingKeys(.ed25519, label: "operator") == [edwards])
            #expect(try await token.signingKeys(.ed25519, label: "seals").isEmpty)
            await #expect(throws: PKCS11Error.self) { _ = try await token.sign(message, .ed25519, keyId: id) }
        }
    }

    @Test("A key pair that can do more than sign is refused")
    func otherRights() async throws {
        try await withToken { token, test in
            await token.close()
            try await TestCommand.run(
                "pkcs11-tool",
                [
                    "--module", test.softHSMModulePath, "--token-label", test.label, "--login", "--pin", test.pin,
                    "--keypairgen", "--key-type", "EC:prime256v1", "--label", "seals", "--id",
                    id.map { String(format: "%02x", $0) }.joined(),
                ], environment: test.moduleEnvironment
            ).succeeded()
            try await token.logIn(pin(test.pin), by: .automatic)
            let error = await #expect(throws: PKCS11Error.self) {
                _ = try await token.sign(SHA256.hash([1]), .ecdsaP256, keyId: id)
            }
            guard case .wrongAttribute = try #require(error) else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    /// A boolean attribute of the object with ``id``.
    private func flag(_ type: UInt, _ kind: UInt, _ token: Token) async throws -> Bool? {
        try await token.run { [id] (connection) throws(PKCS11Error) in
            try connection.connected { (open) throws(PKCS11Error) in
                let search: [Attribute] = [.number(CKA_CLASS, kind), .bytes(CKA_ID, id)]
                let found = try open.module.objects(open.session, search, limit: 1)
                return found.first.flatMap { open.module.flag(type, of: $0, open.session) }
            }
        }
    }

    private static let (secretKey, publicKey, privateKey) = (
        UInt(CKO_SECRET_KEY), UInt(CKO_PUBLIC_KEY), UInt(CKO_PRIVATE_KEY)
    )

    @Test("Keys that the token makes cannot be copied, and a public half only verifies")
    func narrowRights() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "key")
            #expect(try await flag(CKA_COPYABLE, Self.secretKey, token) == false)
            _ = try await token.makeSigningKey(.ecdsaP256, id: id, label: "seals")
            #expect(try await flag(CKA_COPYABLE, Self.privateKey, token) == false)
            #expect(try await flag(CKA_VERIFY, Self.publicKey, token) == true)
            for right in [CKA_ENCRYPT, CKA_WRAP, CKA_VERIFY_RECOVER, CKA_MODIFIABLE] {
                #expect(try await flag(right, Self.publicKey, token) == false, "\(right)")
            }
        }
    }

    @Test("A token that does not know CKA_COPYABLE makes keys without it")
    func oldToken() async throws {
        try await withToken(.old) { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "key")
            #expect(try await flag(CKA_COPYABLE, Self.secretKey, token) == nil)
            #expect(try await token.seal(secret, keyId: id, iv: iv, authenticating: data).count == 60)
            _ = try await token.makeSigningKey(.ecdsaP256, id: id, label: "seals")
            #expect(try await token.sign(SHA256.hash([1]), .ecdsaP256, keyId: id).count == 64)
        }
    }

    @Test("A wrong PIN is refused, and afterwards only a person can give one")
    func wrongPIN() async throws {
        try await withToken { token, test in
            await #expect(throws: PKCS11Error.pinRefused) { try await token.logIn(pin("9999"), by: .automatic) }
            await #expect(throws: PKCS11Error.wrongPINBefore) {
                try await token.logIn(pin(test.pin), by: .automatic)
            }
            try await token.logIn(pin(test.pin), by: .person(acceptsLastTry: false))
            await token.close()
            try await token.logIn(pin(test.pin), by: .automatic)
        }
    }

    @Test("Calls that waited with a PIN when it was refused do not try it again")
    func refusedOnce() async throws {
        try await withToken { token, test in
            let wrong = pin("9999")
            let before = test.logInCount
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await #expect(throws: PKCS11Error.pinRefused) {
                            try await token.logIn(wrong, by: .person(acceptsLastTry: false))
                        }
                    }
                }
            }
            #expect(test.logInCount == before + 1)
        }
    }

    @Test("A call that hangs ends after five seconds, and the token works again later")
    func hanging() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "key")
            try test.behave(.hang)
            await #expect(throws: PKCS11Error.timeout(seconds: 5)) {
                _ = try await token.seal(secret, keyId: id, iv: iv, authenticating: data)
            }
            try test.behave(.well)
            #expect(try await token.seal(secret, keyId: id, iv: iv, authenticating: data).count == 60)
        }
    }

    @Test("While a call hangs, only a limited number of calls waits")
    func busy() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "key")
            try test.behave(.hang)
            let results = await withTaskGroup(of: PKCS11Error?.self) { group in
                for _ in 0..<40 {
                    group.addTask {
                        do throws(PKCS11Error) {
                            _ = try await token.seal(secret, keyId: id, iv: iv, authenticating: data)
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: [PKCS11Error?]()) { $0.append($1) }
            }
            #expect(results.filter { $0 == .busy }.count == 24)
            #expect(results.filter { $0 == .timeout(seconds: 5) }.count == 16)
        }
    }

    @Test("A token that was pulled out and came back is found again")
    func gone() async throws {
        try await withToken { token, test in
            try await token.logIn(pin(test.pin), by: .automatic)
            try await token.makeKey(id: id, label: "key")
            try test.behave(.gone)
            await #expect(throws: PKCS11Error.self) {
                _ = try await token.seal(secret, keyId: id, iv: iv, authenticating: data)
            }
            await #expect(throws: PKCS11Error.noToken(label: test.label)) {
                try await token.logIn(pin(test.pin), by: .automatic)
            }
            try test.behave(.well)
            try await token.logIn(pin(test.pin), by: .automatic)
            #expect(try await token.seal(secret, keyId: id, iv: iv, authenticating: data).count == 60)
        }
    }

    @Test("A file that is no module, and a token that is not there, are named")
    func missing() async throws {
        try await withToken { _, test in
            for (path, text) in [("relative.so", "begin with /"), ("/etc/hostname", "/etc/hostname")] {
                let token = Token(Token.Address(modulePath: path, label: "cards"))
                let error = await #expect(throws: PKCS11Error.self) { try await token.logIn(pin("1"), by: .automatic) }
                let description = try #require(error).description
                #expect(description.contains(text))
            }
            let other = Token(Token.Address(modulePath: test.modulePath, label: "nobody"))
            await #expect(throws: PKCS11Error.noToken(label: "nobody")) {
                try await other.logIn(pin(test.pin), by: .automatic)
            }
        }
    }
}
