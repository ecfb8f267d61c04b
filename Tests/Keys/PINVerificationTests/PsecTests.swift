import Cryptography
import PINVerification
import PythonOracle
import SecureMemory
import Testing

/// Values against another implementation, for thousands of random cards.
@Suite("PVVs and offsets with psec", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PsecTests {
    private static let cardCount = 4000

    private let oracle = PythonOracle(script: "Oracles/psec_oracle.py")

    private func ask(_ question: String, _ cases: [String]) async throws -> [String] {
        let answers = try await oracle.ask(question, ["cases": cases.joined(separator: "\n")])
        return try #require(answers["values"]).split(separator: "\n").map(String.init)
    }

    @Test("psec makes the same PVVs")
    func pvv() async throws {
        var (cases, ours) = ([String](), [String]())
        for _ in 0..<Self.cardCount {
            let card = try Card(keyByteCounts: [16])
            let method = try #require(VisaPVV(keyIndex: Int.random(in: VisaPVV.keyIndexes)))
            cases.append("\(card.keyText) \(method.keyIndex) \(card.pin) \(card.pan)")
            ours.append(try method.value(of: secret(card.pin), pan: secret(card.pan), key: card.key).digits)
        }
        #expect(try await ask("pvv", cases) == ours)
    }

    @Test("psec makes the same offsets, and gets the PIN back from ours")
    func offset() async throws {
        var (cards, cases, offsets) = ([Card](), [(before: String, after: String)](), [String]())
        for _ in 0..<Self.cardCount {
            let card = try Card(keyByteCounts: [16, 24])
            let table = try #require(DecimalizationTable(Card.table()))
            let count = Int.random(in: 4...min(16, card.pan.count))
            let start = Int.random(in: 1...card.pan.count - count + 1)
            let pad = String(Int.random(in: 0...15), radix: 16, uppercase: true)
            let data = try #require(ValidationData("\(start):\(count):\(pad)"))
            let method = try #require(IBM3624(table: table, validationData: data, pinLength: card.pin.count))
            cards.append(card)
            cases.append(("\(card.keyText) \(table.text)", "\(card.pan) \(start) \(count) \(pad)"))
            offsets.append(try method.offset(of: secret(card.pin), pan: secret(card.pan), key: card.key).digits)
        }
        let asked = zip(cases, cards).map { "\($0.before) \($1.pin) \($0.after)" }
        #expect(try await ask("offset", asked) == offsets)
        let back = zip(cases, offsets).map { "\($0.before) \($1) \($0.after)" }
        #expect(try await ask("pin", back) == cards.map(\.pin))
    }
}

/// A card, a PIN and a key, drawn by chance.
private struct Card {
    let key: BlockCipher
    let keyText: String
    let pan: String
    let pin: String

    init(keyByteCounts: [Int]) throws {
        let bytes = SecureRandom.bytes(count: keyByteCounts.randomElement() ?? 16)
        key = try BlockCipher(.tripleDES, key: bytes)
        keyText = Hex.encode(bytes)
        pan = Self.digits(13...19)
        pin = Self.digits(PINVerificationError.pinLengths)
    }

    private static func digits(_ lengths: ClosedRange<Int>) -> String {
        (0..<Int.random(in: lengths)).map { _ in String(Int.random(in: 0...9)) }.joined()
    }

    /// Ten different digits, six of them twice.
    static func table() -> String {
        let digits = (0...9).shuffled()
        return (digits + digits.prefix(6)).shuffled().map(String.init).joined()
    }
}
