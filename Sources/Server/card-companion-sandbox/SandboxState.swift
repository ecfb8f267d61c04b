import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import EMRTD
import EMRTDSimulation
import Foundation
import KeyVault
import SecureMemory

/// A made-up state that issues documents of the sandbox's cardholders. Its keys come from a seed in a file, so that the server and
/// `show-document` play the same state. Only the sandbox's bank trusts it.
struct SandboxState: Sendable {
    static let clientId = "sandbox-app"
    /// The seed in hex, a space, and when the state was founded (Unix seconds).
    static let file = "documents.txt"
    private static let fileByteLimit = 200

    let issuer: SimulatedIssuer

    /// - Parameter directory: the sandbox's folder.
    init(directory: String) throws {
        let path = "\(directory)/\(Self.file)"
        let text = try InputFile.read(path, byteLimit: Self.fileByteLimit)
        let parts = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard parts.count == 2, let seed = Hex.decode(String(parts[0])), seed.count == SeededKeys.seedByteCount,
            let foundedAt = Int64(parts[1])
        else { throw CommandError.badInput("\(path) has no seed of a simulated state") }
        let keys = SeededKeys(seed: SharedSecret(SecretBytes(copying: seed)))
        issuer = try SimulatedIssuer(at: foundedAt) { try keys.next(on: $0) }
    }

    /// The text of the file of a new state.
    static func founded(at now: Timestamp) -> String {
        "\(Hex.encode(SecureRandom.bytes(count: SeededKeys.seedByteCount))) \(now.seconds)\n"
    }

    /// The made-up document of a cardholder.
    static func holder(_ uniqueId: String) -> SimulatedHolder {
        let digest = Hex.encode(Array(SHA256.hash(Array(uniqueId.utf8)).prefix(3))).uppercased()
        return SimulatedHolder(name: "SANDBOX<<\(uniqueId.uppercased())", documentNumber: "SB\(digest)")
    }
}

extension Sandbox {
    private var isStateFounded: Bool { FileManager.default.fileExists(atPath: "\(directory)/\(SandboxState.file)") }

    /// Whether there is a state that the bank trusts, and a client. The folder can be older than the database.
    func hasDocuments(_ installation: Installation) async throws -> Bool {
        guard isStateFounded, try await installation.store.trustList(scope: Self.bankId) != nil else { return false }
        return try await installation.store.currentDocumentClient(id: SandboxState.clientId) != nil
    }

    /// Founds the state of the sandbox if there is none, lets the bank trust it, and adds the client.
    func makeDocuments(_ installation: Installation, _ keyring: Keyring) async throws {
        let (store, now) = (installation.store, installation.clock.now())
        if !isStateFounded {
            try write(SecretBytes(copying: Array(SandboxState.founded(at: now).utf8)), to: SandboxState.file)
        }
        let issuer = try SandboxState(directory: directory).issuer
        let list = try issuer.masterList(of: [issuer.certificate], signingTime: now.seconds)
        let found = try TrustListImport(list, root: issuer.certificate, now: now)
        let record = try found.record(scope: Self.bankId, keyring: keyring, now: now)
        try await installation.changingInventory {
            var change = InventoryChange()
            change.addOnly(InventoryObject(trustRoot: record.root, scope: Self.bankId))
            change.add(InventoryObject(record))
            return change
        } _: {
            _ = try await store.putTrustList(record)
        }
        let client = DocumentClientRecord(
            clientId: SandboxState.clientId, bankId: Self.bankId, isUnbound: false, resultURL: nil,
            resultIsPrivate: false, status: .active, createdAt: now)
        try await installation.adding(InventoryObject(client)) { _ = try await store.insertDocumentClient(client) }
    }
}
