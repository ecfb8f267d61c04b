import CryptoExtras
import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The bank's program of examples/to_host.py, run by a connector.
@Suite(
    "The example of a bank's program", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct HostExampleTests {
    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../examples/to_host.py").standardized.path

    /// The files that own-bank.sh makes.
    private func write(_ exporter: Exporter, cards: [String: String], to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let issuer = exporter.backend.issuer
        let pem = try exporter.encryptionKey.privateKey.pemRepresentation
        let files = [
            "sandbox.json": JSON.object([
                "bankId": .string(exporter.backend.bank.id), "issuerKeyId": .string(issuer.keyId),
            ]).text,
            "issuer-key.pem": try issuer.privateKeyText(), "signing-key.pem": pem, "encryption-key.pem": pem,
            "hmac.hex": "00", "cards.json": JSON.object(cards.mapValues { .string($0) }).text,
        ]
        for (name, text) in files { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
    }

    /// What the example has in place of the issuer's host has one file per cardholder.
    private static func card(of holder: TestCardholder, in host: String) -> String {
        "\(host)/\(Hex.encode(SHA256.hash(data: Array(holder.uniqueId.utf8)))).json"
    }

    private static func value(_ card: String) throws -> [String: JSON] {
        try #require(try JSON(parsing: [UInt8](Data(contentsOf: URL(filePath: card)))).object)
    }

    @Test("The host gets the PVV that psec makes; what cannot be exported fails with a reason")
    func pvv() async throws {
        let exporter = try await Exporter(
            Exporter.settings + ["--forward-defined-pins", "true"], kinds: [Exporter.Kind.all[3]])
        let backend = exporter.backend
        let (known, unknown, other) = (
            try await backend.created(), try await backend.created(), try await backend.created()
        )
        let (folder, pan) = (TestFolder.shared.unused("files"), Exporter.pan())
        try write(exporter, cards: [known.uniqueId: pan, other.uniqueId: pan], to: folder)
        let connector = try ConnectorUnderTest(
            of: backend, on: try await exporter.installation, folder: folder,
            program: [
                PythonOracle.interpreter, "-B", Self.program, backend.server.url, folder, "--key", "pvk", "--cards",
                "\(folder)/cards.json", "--host", "\(folder)/host",
            ])
        try await exporter.define(known, "7391")
        try await backend.waitForState("effective", of: known, connector)
        let card = Self.card(of: known, in: "\(folder)/host")
        let pvv = try await exporter.psecPVV("7391", pan)
        #expect(try Self.value(card)["pvv"]?.string == pvv)
        // The same line again, after the host has the value: the same call gets the same answer.
        try FileManager.default.removeItem(atPath: card)
        try await exporter.installation.run([
            "cardholder", "forward-again", "--bank", backend.bank.id, known.uniqueId,
        ]).succeeded()
        try await connector.wait(for: "the value again") {
            FileManager.default.fileExists(atPath: card)
        }
        #expect(try Self.value(card)["pvv"]?.string == pvv)
        #expect(try await backend.definedPIN(known)?["state"]?.string == "effective")

        for (holder, reason) in [
            (unknown, "the bank knows no card of this cardholder"), (other, "the server refuses the export: pan-bound"),
        ] {
            try await exporter.define(holder, "7391")
            try await backend.waitForState("failed", of: holder, connector)
            #expect(try await backend.definedPIN(holder)?["reason"]?.string == reason)
        }
        // A run of the program that took long: the host has a newer PIN meanwhile.
        let newer = try JSON.object(Self.value(card).merging(["definedAtMilliseconds": 9_999_999_999_999]) { $1 }).text
        try newer.write(toFile: card, atomically: true, encoding: .utf8)
        try await exporter.define(known, "4826")
        try await backend.waitForState("failed", of: known, connector)
        #expect(
            try await backend.definedPIN(known)?["reason"]?.string == "the host has a newer PIN of this cardholder")
        #expect(try String(contentsOfFile: card, encoding: .utf8) == newer)
        #expect(await connector.stop() == 0)
    }
}
