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

    /// A PIN, a PAN and a key, drawn by chance.
    private struct Draw {
        let lock: Lock
        let pin: String
        let pan: String

        init(_ format: PINBlockFormat) throws {
            let keyByteCount = try #require(format.cipher.keyByteCounts.randomElement())
            lock = try Lock(format, key: Hex.encode(SecureRandom.bytes(count: keyByteCount)))
            pin = Self.digits(PINBlock.pinLengths)
            pan = Self.digits(format.panLengths)
        }

        private static func digits(_ lengths: ClosedRange<Int>) -> String {
            (0..<Int.random(in: lengths)).map { _ in String(Int.random(in: 0...9)) }.joined()
        }

        /// For the oracle. `value` is the PIN or the block.
        func line(_ value: String) -> String { "\(lock.format.rawValue) \(lock.keyText) \(value) \(pan)" }
    }

    @Test(
        "Thousands of PINs, PANs and keys of all lengths go both ways",
        arguments: [PINBlockFormat.iso0, .iso3, .iso4])
    func randomBlocks(format: PINBlockFormat) async throws {
        let draws = try (0..<2000).map { _ in try Draw(format) }
        func ask(_ question: String, _ answer: String, _ lines: [String]) async throws -> [String] {
            let answers = try await oracle.ask(question, ["cases": lines.joined(separator: "\n")])
            return try #require(answers[answer]).split(separator: "\n").map(String.init)
        }
        let ours = try draws.map { $0.line(Hex.encode(try $0.lock.encrypted($0.pin, pan: $0.pan))) }
        #expect(try await ask("decrypt_many", "pins", ours) == draws.map(\.pin))
        let theirs = try await ask("encrypt_many", "blocks", draws.map { $0.line($0.pin) })
        try #require(theirs.count == draws.count)
        for (draw, block) in zip(draws, theirs) {
            #expect(try draw.lock.decrypted(hex(block), pan: draw.pan) == draw.pin, "\(draw.line(draw.pin))")
        }
    }
}
