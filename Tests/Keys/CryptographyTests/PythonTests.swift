import Cryptography
import PythonOracle
import SecureMemory
import Testing

/// Both directions against another implementation: Python's cryptography.
@Suite("With Python's cryptography", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PythonTests {
    private let oracle = PythonOracle(script: "Oracles/cryptography_oracle.py")
    private let message = "a message, ünd more".bytes

    @Test("Both sides can read the other side's RSA keys, decrypt its ciphertexts and verify its signatures")
    func rsa() async throws {
        let theirs = try await oracle.ask("new_rsa_key", ["bits": "3072"])
        let key = try RSAPrivateKey(pkcs8: hex(#require(theirs["privateKey"])))
        let publicKey = try RSAPublicKey(subjectPublicKeyInfo: hex(#require(theirs["publicKey"])))
        #expect(key.publicKey == publicKey)
        #expect(publicKey.modulusBits == 3072)
        try await exchange(key)
        try await exchange(RSATests.key)
    }

    private func exchange(_ key: RSAPrivateKey) async throws {
        let asked = [
            "privateKey": Hex.encode(try key.pkcs8()), "publicKey": Hex.encode(key.publicKey.subjectPublicKeyInfo),
            "message": Hex.encode(message),
        ]
        let theirCiphertext = try hex(#require(try await oracle.ask("encrypt", asked)["ciphertext"]))
        #expect(try key.decryptOAEPSHA256(theirCiphertext).revealed == message)
        let ourCiphertext = Hex.encode(try key.publicKey.encryptOAEPSHA256(message))
        let opened = try await oracle.ask("decrypt", asked.merging(["ciphertext": ourCiphertext]) { $1 })
        #expect(opened["message"] == asked["message"])

        let theirSignatures = try await oracle.ask("sign", asked)
        let (pkcs1, pss) = (try hex(#require(theirSignatures["pkcs1"])), try hex(#require(theirSignatures["pss"])))
        #expect(key.publicKey.isValidPKCS1SHA256(signature: pkcs1, for: message))
        #expect(key.publicKey.isValidPSSSHA512(signature: pss, for: message))
        #expect(try key.signPKCS1SHA256(message) == pkcs1)
        let ourSignatures = [
            "pkcs1": Hex.encode(try key.signPKCS1SHA256(message)), "pss": Hex.encode(try key.signPSSSHA512(message)),
        ]
        #expect(try await oracle.ask("verify", asked.merging(ourSignatures) { $1 })["isValid"] == "true")
    }

    @Test("An RSA key with an exponent other than 65537 is accepted")
    func smallExponent() async throws {
        let theirs = try await oracle.ask("new_rsa_key", ["bits": "2048", "exponent": "3"])
        let publicKey = try RSAPublicKey(subjectPublicKeyInfo: hex(#require(theirs["publicKey"])))
        #expect(publicKey.publicExponent == [3])
    }

    @Test("A ciphertext with a padding other than OAEP with SHA-256 is not decrypted")
    func otherPaddings() async throws {
        let key = RSATests.key
        let others = try await oracle.ask(
            "encrypt_otherwise",
            ["publicKey": Hex.encode(key.publicKey.subjectPublicKeyInfo), "message": Hex.encode(message)])
        #expect(others.count == 4)
        for (name, ciphertext) in others {
            let error = #expect(throws: CryptographyError.self, "\(name)") {
                _ = try key.decryptOAEPSHA256(hex(ciphertext))
            }
            #expect(error?.code == .decryptionFailed, "\(name)")
        }
    }

    @Test("PKCS#1 v1.5 signatures with an almost correct padding are not valid")
    func forgedSignatures() async throws {
        let key = RSATests.key
        let forged = try await oracle.ask(
            "forge_pkcs1", ["privateKey": Hex.encode(try key.pkcs8()), "message": Hex.encode(message)])
        #expect(forged.count == 32)
        for (name, signature) in forged {
            let isValid = try key.publicKey.isValidPKCS1SHA256(signature: hex(signature), for: message)
            #expect(isValid == (name == "right"), "\(name)")
        }
    }

    @Test("PSS signatures with another salt length, MGF1 hash or hash are not valid")
    func otherPSS() async throws {
        let key = RSATests.key
        let others = try await oracle.ask(
            "sign_pss_otherwise", ["privateKey": Hex.encode(try key.pkcs8()), "message": Hex.encode(message)])
        #expect(others.count == 5)
        for (name, signature) in others {
            let isValid = try key.publicKey.isValidPSSSHA512(signature: hex(signature), for: message)
            #expect(!isValid, "\(name)")
        }
    }

    @Test("Both sides accept the other side's ECDSA signatures on P-256")
    func ecdsa() async throws {
        let theirs = try await oracle.ask("new_p256_key")
        let theirKey = try P256PublicKey(subjectPublicKeyInfo: hex(#require(theirs["publicKey"])))
        let ourKey = try P256PrivateKey.generate()
        for _ in 0..<4 {
            let signature = try await signature(ofKey: theirs)
            #expect(theirKey.isValidECDSASHA256(signature: signature, for: message))
            try await expectValid(ourKey.signECDSASHA256(message), ourKey.publicKey.subjectPublicKeyInfo)
        }
    }

    @Test("Both sides can read the other side's Ed25519 keys and verify its signatures")
    func ed25519() async throws {
        let theirs = try await oracle.ask("new_ed25519_key")
        let theirKey = try Ed25519PrivateKey(pkcs8: hex(#require(theirs["privateKey"])))
        let publicKey = try Ed25519PublicKey(subjectPublicKeyInfo: hex(#require(theirs["publicKey"])))
        #expect(theirKey.publicKey == publicKey)
        #expect(try Ed25519PublicKey(pem: #require(theirs["pem"]).bytes) == publicKey)
        #expect(publicKey.pem() == theirs["pem"])
        #expect(try await signature(ofKey: theirs) == theirKey.sign(message))
        let ourKey = try Ed25519PrivateKey.generate()
        try await expectValid(ourKey.sign(message), ourKey.publicKey.subjectPublicKeyInfo)
        let ours = try await signature(ofKey: ["privateKey": Hex.encode(try ourKey.pkcs8())])
        #expect(try ourKey.sign(message) == ours)
    }

    @Test("Both sides can open the other side's encrypted Ed25519 keys, with the right passphrase only")
    func encryptedKeys() async throws {
        let passphrase = SecretBytes(copying: "correct horse battery".bytes)
        let ours = try Ed25519PrivateKey.generate()
        let pem = try ours.encryptedPEM(passphrase: passphrase)
        #expect(String(decoding: pem, as: UTF8.self).hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
        let asked = ["pem": String(decoding: pem, as: UTF8.self), "passphrase": "correct horse battery"]
        let opened = try hex(#require(try await oracle.ask("open_encrypted_pem", asked)["publicKey"]))
        #expect(opened == ours.publicKey.subjectPublicKeyInfo)
        #expect(try Ed25519PrivateKey(encryptedPEM: pem, passphrase: passphrase).publicKey == ours.publicKey)

        let theirs = try await oracle.ask("encrypted_pem", ["passphrase": "correct horse battery"])
        let key = try Ed25519PrivateKey(encryptedPEM: #require(theirs["pem"]).bytes, passphrase: passphrase)
        #expect(try key.publicKey.subjectPublicKeyInfo == hex(#require(theirs["publicKey"])))

        let wrong = SecretBytes(copying: "correct horse batterx".bytes)
        #expect(throws: CryptographyError.self) { try Ed25519PrivateKey(encryptedPEM: pem, passphrase: wrong) }
        let p256 = try await oracle.ask("encrypted_pem", ["passphrase": "correct horse battery", "p256": "true"])
        let other = try #require(p256["pem"]).bytes
        #expect(throws: CryptographyError.self) { try Ed25519PrivateKey(encryptedPEM: other, passphrase: passphrase) }
        #expect(throws: CryptographyError.self) { try Ed25519PrivateKey(encryptedPEM: [], passphrase: passphrase) }
        var damaged = pem
        damaged[pem.count / 2] ^= 1
        #expect(throws: CryptographyError.self) { try Ed25519PrivateKey(encryptedPEM: damaged, passphrase: passphrase) }
    }

    private func signature(ofKey key: [String: String]) async throws -> [UInt8] {
        let asked = ["privateKey": try #require(key["privateKey"]), "message": Hex.encode(message)]
        return try hex(#require(try await oracle.ask("sign_curve", asked)["signature"]))
    }

    private func expectValid(_ signature: [UInt8], _ publicKey: [UInt8]) async throws {
        for (signature, isValid) in [(signature, "true"), (signature.flipping(bit: 300), "false")] {
            let asked = [
                "publicKey": Hex.encode(publicKey), "message": Hex.encode(message), "signature": Hex.encode(signature),
            ]
            #expect(try await oracle.ask("verify_curve", asked)["isValid"] == isValid)
        }
    }

    @Test("Both sides can read the other side's P-256 keys, and agree on one shared secret")
    func agreement() async throws {
        let theirs = try await oracle.ask("new_p256_key")
        let theirKey = try P256PrivateKey(pkcs8: hex(#require(theirs["privateKey"])))
        let ourKey = try P256PrivateKey.generate()
        #expect(try P256PublicKey(subjectPublicKeyInfo: hex(#require(theirs["publicKey"]))) == theirKey.publicKey)
        let agreed = try await oracle.ask(
            "agree",
            [
                "privateKey": Hex.encode(try ourKey.pkcs8()),
                "publicKey": Hex.encode(theirKey.publicKey.subjectPublicKeyInfo),
            ])
        #expect(try hex(#require(agreed["sharedSecret"])) == theirKey.sharedSecret(with: ourKey.publicKey).revealed)
    }
}
