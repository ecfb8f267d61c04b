import CardCompanion
import CardCompanionModel
import Cryptography
import HTTPSignatures
import Testing

/// Seals of a token's key, and of the server's, which whoever has the memory of a server can use.
@Suite("Seals of tokens")
struct SealOfTokenTests {
    private let token: P256PrivateKey
    private let server: P256PrivateKey

    init() throws {
        token = try P256PrivateKey.generate()
        server = try P256PrivateKey.generate()
    }

    private func verifier(_ keyId: String) -> SealKeys.Verifier? {
        switch keyId {
        case "token": SealKeys.Verifier(key: .ecdsaP256SHA256(token.publicKey), holder: .token)
        case "server": SealKeys.Verifier(key: .ecdsaP256SHA256(server.publicKey), holder: .server)
        default: nil
        }
    }

    /// A chain of seals, each by a key.
    private func verified(_ seals: [(key: String, kind: AuditSealRecord.Kind)]) throws -> AuditVerifier {
        var verifier = AuditVerifier(hasToken: true, key: verifier)
        var previous: AuditSealRecord?
        for (index, (keyId, kind)) in seals.enumerated() {
            var seal = AuditSealRecord(
                number: Int64(index + 1), epoch: (previous?.epoch ?? 1) + (kind == .epoch ? 1 : 0), kind: kind,
                sealedAt: Timestamp(seconds: 1_800_000_000 + Int64(index)), note: "a reason", heads: [],
                previousHash: previous?.hash ?? [], hash: [], keyId: keyId, signature: [])
            seal.hash = seal.expectedHash
            let key = keyId == "server" ? server : token
            seal.signature = try SigningKey.ecdsaP256SHA256(key).sign(seal.signedText)
            verifier.read(seal)
            previous = seal
        }
        verifier.finish()
        return verifier
    }

    @Test("A server's seal after a token's is a fault, and stays the only one")
    func downgrade() throws {
        let verifier = try verified([
            ("server", .regular), ("token", .regular), ("server", .regular), ("token", .regular),
        ])
        #expect(verifier.faults == [.weakerKey(seal: 3)])
    }

    @Test("A server's seal covers no seal of a key that was removed, if there is a token")
    func removedKey() throws {
        let hidden = try verified([("removed", .regular), ("server", .regular)])
        #expect(hidden.faults == [.unknownSealKey(seal: 1, keyId: "removed")])
        #expect(try verified([("removed", .regular), ("token", .regular)]).faults == [])
    }

    @Test("A token's seals can follow a server's")
    func upgrade() throws {
        #expect(try verified([("server", .regular), ("token", .regular), ("token", .regular)]).faults == [])
    }

    @Test("A new epoch can go back to a server's key, and says so")
    func epoch() throws {
        let verifier = try verified([("token", .regular), ("server", .epoch), ("server", .regular)])
        #expect(verifier.faults == [])
        #expect(verifier.epochs.map(\.leavesToken) == [true])
        #expect(verifier.epochs.map(\.reason) == ["a reason"])
        #expect(verifier.epochs.map(\.number) == [2])
        #expect(try verified([("token", .regular), ("token", .epoch)]).epochs.map(\.leavesToken) == [false])
    }
}
