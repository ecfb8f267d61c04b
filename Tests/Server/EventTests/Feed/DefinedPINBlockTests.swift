import Foundation
import PythonOracle
import ServerHarness
import Testing

/// Defined PINs as PIN blocks of format 1, which the bank's HSM opens: here psec.
@Suite("Defined PINs as PIN blocks", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct DefinedPINBlockTests {
    private static let oracle = PythonOracle(script: "../../../Keys/PINBlocksTests/Oracles/psec_oracle.py")
    private static let settings = ["--defined-pins", "deliver", "--pin-blocks", "iso-1", "--defined-pin-key", "zpk"]

    private func importKey(
        _ key: [UInt8], into bank: EventBank, algorithm: String = "tdes", direction: String = "encrypt"
    ) async throws {
        try await bank.service.installation.importKey(
            key, label: "zpk", into: bank.id,
            ["--usage", "pin-encryption", "--algorithm", algorithm, "--direction", direction])
    }

    private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

    @Test("A pin.defined event has the PIN as a block of format 1 under the bank's key, inside the sealed value")
    func delivered() async throws {
        let bank = try await EventService.shared.value.makeBank(Self.settings)
        let certificate = try await bank.service.installation.importEncryptionCertificate(into: bank.bank)
        let key = random(24)
        try await importKey(key, into: bank)
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        #expect(try await bank.define(bank.holders[0], "580241") == 0)
        let events = try await bank.events()
        #expect(events.map(\.type) == ["pin.defined", "pin.defined"])
        var blocks: Set<String> = []
        for (event, pin) in zip(events, ["7391", "580241"]) {
            let sealed = try SealedValue(try #require(event.data["pin"]?.string))
            #expect(sealed.header["cty"] == "pinBlock" && sealed.header["iss"]?.string == bank.id)
            #expect(sealed.header["sub"]?.string == event.uniqueId && sealed.header["jti"]?.string == event.id)
            let members = try #require(try JSON(parsing: sealed.open(with: certificate.privateKey)).object)
            #expect(members.keys.sorted() == ["block", "format", "key"])
            #expect(members["format"] == "iso-1" && members["key"] == "zpk")
            let block = try #require(members["block"]?.string)
            let field = try #require(
                try await Self.oracle.ask("field", ["key": Hex.encode(key), "block": block])["field"])
            #expect(field.count == 16 && field.hasPrefix("1\(pin.count)\(pin)"))
            blocks.insert(block)
        }
        #expect(blocks.count == 2)
    }

    @Test(
        "Without a usable key of the bank nobody can define a PIN, and bank show says why",
        arguments: [("tdes", "decrypt"), ("aes", "encrypt")])
    func undeliverable(algorithm: String, direction: String) async throws {
        let bank = try await EventService.shared.value.makeBank(Self.settings)
        let installation = bank.service.installation
        _ = try await installation.importEncryptionCertificate(into: bank.bank)
        func reason() async throws -> String? {
            let json = try await installation.run(["bank", "show", bank.id, "--json"]).succeeded().stdout
            return try JSON(parsing: json).object?["definitionIsOff"]?.string
        }
        #expect(try await bank.define(bank.holders[0], "7391") == 114)
        #expect(try await reason()?.contains("'zpk'") == true)
        try await importKey(random(16), into: bank, algorithm: algorithm, direction: direction)
        #expect(try await bank.define(bank.holders[0], "7391") == 114)
        #expect(try await reason()?.contains("'zpk'") == true)
        for command in ["disable", "remove"] {
            try await installation.run(["key", command, "--bank", bank.id, "zpk"]).succeeded()
        }
        try await importKey(random(16), into: bank)
        #expect(try await reason() == nil)
        #expect(try await bank.define(bank.holders[0], "7391") == 0)
        try await installation.run(["key", "disable", "--bank", bank.id, "zpk"]).succeeded()
        #expect(try await bank.define(bank.holders[0], "580241") == 114)
    }
}
