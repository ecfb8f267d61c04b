import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer
import Cryptography
import HTTPSignatures

extension AuditCommand {
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keys",
            abstract: "Shows the public keys that verify seals of the audit trail.",
            discussion: """
                With --json, it is a JWK set (RFC 7517), for somebody who verifies an export. Give it to them apart \
                from the export, and compare the keys' thumbprints (kid) by another way.

                EXAMPLES
                  card-companion audit keys
                  card-companion audit keys --json > keys.json
                """)

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let keys = try await Installation.run(options) { installation in
                try await installation.withSeals(signs: false) { try await $0.keys.verifiers() }
            }
            let set = KeySet(keys: keys.compactMap { KeySet.Key($0.key, $0.value) }.sorted { $0.kid < $1.kid })
            let table = TextTable.text(["KEY", "HOLDER"], set.keys.map { [$0.kid, $0.holder] })
            try Terminal.show(table, json: set, asJSON: output.json)
        }
    }
}

/// A JWK set (RFC 7517).
private struct KeySet: Encodable {
    struct Key: Encodable {
        var kty = "EC"
        var crv = "P-256"
        var use = "sig"
        var alg = "ES256"
        let kid: String
        let x: String
        let y: String
        /// `token`, `recorded` (another token, as the database says) or `server`.
        let holder: String

        /// Nil for a key that signs no seals.
        init?(_ keyId: String, _ verifier: SealKeys.Verifier) {
            guard case .ecdsaP256SHA256(let key) = verifier.key else { return nil }
            kid = keyId
            x = Base64URL.encode(key.x)
            y = Base64URL.encode(key.y)
            holder = verifier.holder.rawValue
        }
    }

    let keys: [Key]
}
