import ServerHarness
import Testing

/// The commands that register, list, disable and enable keys of back-ends.
@Suite("card-companion issuer-key")
struct KeyCommandTests {
    @Test("Of a bank's two keys both are accepted; after one is disabled, only the other is")
    func rotation() async throws {
        let service = try await Service.shared.value
        let old = try await service.makeBackend()
        let holder = try await old.created()
        var new = old
        new.issuer = try await service.installation.makeIssuer(for: old.bank, algorithm: .ecdsaP256SHA256)
        for backend in [old, new] { #expect(try await backend.get(holder.uniqueId).status == 200) }
        let disable = ["issuer-key", "disable", "--bank", old.bank.id, old.issuer.keyId]
        try await service.installation.run(disable).succeeded()
        for server in [service.server, try await Service.second.value] {
            let call = IssuerCall("GET", old.path(holder.uniqueId))
            #expect(try await server.call(call, by: old.issuer).status == 401)
            #expect(try await server.call(call, by: new.issuer).status == 200)
        }
    }

    @Test("The list shows a bank's keys with algorithm and status, and no secret")
    func list() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(algorithm: .hmacSHA256)
        let second = try await service.installation.makeIssuer(for: backend.bank, algorithm: .rsaV15SHA256)
        let disable = ["issuer-key", "disable", "--bank", backend.bank.id, backend.issuer.keyId]
        try await service.installation.run(disable).succeeded()
        let command = ["issuer-key", "list", "--bank", backend.bank.id]
        let shown = try await service.installation.run(command + ["--json"]).succeeded()
        let keys = try JSON(parsing: shown.stdout).array?.compactMap(\.object) ?? []
        let described = keys.map { key in ["keyId", "algorithm", "status"].map { key[$0]?.string ?? "" } }
        #expect(
            Set(described) == [
                [backend.issuer.keyId, "hmac-sha256", "DISABLED"], [second.keyId, "rsa-v1_5-sha256", "ACTIVE"],
            ])
        let secret = try backend.issuer.privateKeyText()
        let table = try await service.installation.run(command).succeeded().stdout
        for text in [backend.issuer.keyId, second.keyId, "DISABLED", "ACTIVE"] { #expect(table.contains(text)) }
        #expect(!table.contains(secret) && !shown.stdout.contains(secret))
    }

    @Test("A key id that any bank already uses is refused")
    func sameName() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend()
        let holder = try await backend.created()
        let other = try await service.makeBackend()
        for bank in [backend.bank, other.bank] {
            let again = try TestIssuer(bankId: bank.id, keyId: backend.issuer.keyId)
            let result = try await service.installation.register(again)
            #expect(result.status == 1)
            #expect(result.stderr.contains(backend.issuer.keyId))
        }
        #expect(try await backend.get(holder.uniqueId).status == 200)
    }

    @Test("An unknown bank or key is refused")
    func unknown() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let registered = try await service.installation.register(try TestIssuer(bankId: "nowhere"))
        let other = try await service.makeBackend()
        let results = [
            registered, try await service.installation.run(["issuer-key", "list", "--bank", "nowhere"]),
            try await service.installation.run(["issuer-key", "disable", "--bank", backend.bank.id, "nothing"]),
            // The key belongs to another bank.
            try await service.installation.run(
                ["issuer-key", "disable", "--bank", other.bank.id, backend.issuer.keyId]),
        ]
        #expect(results.map(\.status) == [66, 66, 66, 66])
        for (result, name) in zip(results, ["nowhere", "nowhere", "nothing", backend.issuer.keyId]) {
            #expect(result.stderr.contains(name) && result.stdout.isEmpty, "\(result.stderr)")
        }
        #expect(try await backend.get("nobody").status == 404)
    }

    @Test("A key that does not fit the algorithm is refused, and nothing is registered")
    func wrongMaterial() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let rsa = try TestIssuer(bankId: bank.id, algorithm: .rsaPSSSHA512)
        let ed25519 = try TestIssuer(bankId: bank.id)
        let attempts: [(algorithm: String, option: String, text: String, words: String)] = [
            ("ed25519", "--public-key", try rsa.publicKeyText(), "ed25519"),
            ("ecdsa-p256-sha256", "--public-key", try ed25519.publicKeyText(), "ecdsa-p256-sha256"),
            ("rsa-pss-sha512", "--public-key", Self.shortRSAKey, "rsa-pss-sha512"),
            ("ed25519", "--public-key", "no PEM", "ed25519"),
            ("ed25519", "--public-key", try ed25519.privateKeyText(), "ed25519"),
            ("hmac-sha256", "--hex-file", "00112233445566", "hmac-sha256"),
            ("hmac-sha256", "--hex-file", "not hex", "hex"),
            // As good as no key at all.
            ("hmac-sha256", "--hex-file", String(repeating: "00", count: 32), "drawn by chance"),
            (
                "hmac-sha256", "--hex-file",
                (0..<32).map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined(),
                "drawn by chance"
            ),
            ("hmac-sha256", "--public-key", try ed25519.publicKeyText(), "--hex-file"),
            ("ed25519", "--hex-file", "00112233445566778899aabbccddeeff", "--public-key"),
        ]
        for attempt in attempts {
            let file = try TestFolder.shared.write(attempt.text, named: "material")
            let result = try await service.installation.run([
                "issuer-key", "add", "--bank", bank.id, "--key-id", Unique.name("key"), "--algorithm",
                attempt.algorithm, attempt.option, file,
            ])
            #expect(result.status == 65, "\(attempt.algorithm) \(attempt.option): \(result.stderr)")
            #expect(result.stderr.contains(attempt.words), "\(result.stderr)")
        }
        let shown = try await service.installation.run(["issuer-key", "list", "--bank", bank.id, "--json"])
        #expect(try JSON(parsing: shown.stdout) == [])
    }

    @Test("A missing or unknown argument is reported")
    func usage() async throws {
        let service = try await Service.shared.value
        let command = ["issuer-key", "add", "--bank", "b", "--key-id", "k", "--algorithm"]
        let algorithm = try await service.installation.run(command + ["rot13", "--public-key", "k.pem"])
        #expect(algorithm.status == 64 && algorithm.stderr.contains("ed25519"))
        let file = try await service.installation.run(command + ["ed25519", "--public-key", "/nonexistent/k.pem"])
        #expect(file.status == 66 && file.stderr.contains("/nonexistent/k.pem"))
        let neither = try await service.installation.run(command + ["ed25519"])
        #expect(neither.status == 65 && neither.stderr.contains("--public-key"))
    }

    /// RSA of 1024 bits, made by `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024`.
    private static let shortRSAKey = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCyh4ETfwiYeQgL8+yYV0BdxyC0
        iIY7sR1J0oXON7yjZgGviSjIRTn6c1bnBrfg/cBiJ/YDnpF1BwSENTFQGBiwqEhz
        gTnYlYI5MkMYagtVrLQVRsfX6xnqfBuSQNVqlUdlI9u+ZPx+bQV7WkDGkz8v5si8
        ZdLfWHQzmf4zOKmlEQIDAQAB
        -----END PUBLIC KEY-----
        """
}
