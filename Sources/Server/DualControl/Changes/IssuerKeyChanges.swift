package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
internal import Cryptography

/// `issuer-key add`.
package struct AddIssuerKey: Change {
    package static let command = "issuer-key add"

    let bank: Identifier
    let keyId: String
    let algorithm: String
    let publicKey: [UInt8]?
    /// A shared secret, sealed as the database has it.
    let sealedSecret: [UInt8]?

    package init(_ record: IssuerKeyRecord) {
        bank = record.bankId
        keyId = record.keyId
        algorithm = record.algorithm
        publicKey = record.publicKey
        sealedSecret = record.sealedSecret
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { keyId }

    private func record(_ now: Timestamp) -> IssuerKeyRecord {
        IssuerKeyRecord(
            keyId: keyId, bankId: bank, algorithm: algorithm, publicKey: publicKey, sealedSecret: sealedSecret,
            status: .active, createdAt: now)
    }

    package func effect(at now: Timestamp) -> [String] { ["\(algorithm), \(material)"] }

    private var material: String {
        publicKey.map { "public key with SHA-256 \(Hex.encode(SHA256.hash($0)))" } ?? "a shared secret"
    }

    package func details(in installation: Installation) async throws -> [String] {
        ["key '\(keyId)' for \(algorithm): \(material)"]
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        let record = record(installation.clock.now())
        return try await installation.withKeyring { [try InventoryObject(record, keyring: $0)] }
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        guard try await installation.store.issuerKeys(keyIds: [keyId]).isEmpty else { throw isThere }
    }

    private var isThere: CommandError { .refused("there is already a key '\(keyId)'") }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        guard try await installation.store.insertIssuerKey(record(installation.clock.now())) else { throw isThere }
        return Shown(
            text: "registered key '\(keyId)' of bank '\(bank)'", json: ["bank": bank.text, "keyId": keyId])
    }
}
