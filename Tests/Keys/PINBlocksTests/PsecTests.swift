import Cryptography
import PINBlocks
import PythonOracle
import Testing

/// Both directions against another implementation. psec has no format 1.
@Suite("PIN blocks with psec", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PsecTests {
    private let oracle = PythonOracle(script: "Oracles/psec_oracle.py")

    @Test(
        "Each side opens the other side's blocks",
        arguments: [
            (PINBlockFormat.iso0, 16), (.iso0, 24), (.iso3, 16), (.iso3, 24), (.iso4, 16), (.iso4, 24), (.iso4, 32),
        ])
    func bothWays(format: PINBlockFormat, keyByteCount: Int) async throws {
        let lock = try Lock(format, key: Hex.encode(SecureRandom.bytes(count: keyByteCount)))
        for (pin, pan) in [
            ("1234", "5432101234567891"), ("98765", "1234567890123"), ("123456789012", "1234567890123456789"),
        ] {
            var asked = ["format": format.rawValue, "key": lock.keyText, "pin": pin, "pan": pan]
            let theirs = try hex(#require(try await oracle.ask("encrypt", asked)["block"]))
            #expect(try lock.decrypted(theirs, pan: pan) == pin)
            asked["block"] = Hex.encode(try lock.encrypted(pin, pan: pan))
            #expect(try await oracle.ask("decrypt", asked)["pin"] == pin)
        }
    }
}
