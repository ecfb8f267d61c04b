import Foundation
import StrictJSON
import Testing

@Suite("Agreement with Foundation")
struct AgreementTests {
    private static let seeds = [
        #"{"bankId":"B1","uniqueId":"u\u00e9","timestamp":1700000000,"pin":null,"list":[1,2.5,-3e2,true]}"#,
        #"[{"a":{"b":["\ud83d\ude00","\\\"",""]}},-0,0.001,1E5,"😀"]"#, #"{"":"","a":[[],{},""]}"#,
    ]
    private static let inserted = Array("{}[]\",:\\u0123456789abdefnrt.+-E \n\t'/".utf8) + [0x00, 0x80, 0xC3, 0xFF]

    @Test(
        "A mutated text that is accepted is accepted by Foundation too, with the same content",
        arguments: [1, 2, 3] as [UInt64])
    func mutations(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var taken = 0
        for _ in 0..<4000 {
            let bytes = Self.mutated(using: &random)
            guard let value = try? JSONValue(parsing: bytes), Self.fitsDouble(value) else { continue }
            taken += 1
            // Foundation accepts more texts than RFC 8259 allows, so only this direction can be tested.
            let other = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            let expected = try #require(other, "Foundation refuses \(String(decoding: bytes, as: UTF8.self))")
            #expect(Self.isSame(value, expected), "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(taken > 100, "too few texts were accepted for a useful test")
    }

    private static func mutated(using random: inout SeededRandom) -> [UInt8] {
        var bytes = Array((seeds.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let byte = inserted.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes[place] = byte
            case 1: bytes.insert(byte, at: place)
            default: bytes.remove(at: place)
            }
        }
        return bytes
    }

    /// Whether all its numbers are finite as `Double`, which Foundation needs.
    private static func fitsDouble(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let text): Double(text)?.isFinite ?? false
        case .array(let elements): elements.allSatisfy(fitsDouble)
        case .object(let members): members.values.allSatisfy(fitsDouble)
        default: true
        }
    }

    private static func isSame(_ value: JSONValue, _ other: Any) -> Bool {
        switch (value, other) {
        case (.null, is NSNull): true
        case (.bool(let bool), let other as NSNumber): other.boolValue == bool
        case (.number(let text), let other as NSNumber): isSame(text, other)
        case (.string(let text), let other as String): text == other
        case (.array(let elements), let others as [Any]):
            elements.count == others.count && zip(elements, others).allSatisfy { isSame($0, $1) }
        case (.object(let members), let others as [String: Any]):
            members.count == others.count
                && members.allSatisfy { name, value in others[name].map { isSame(value, $0) } ?? false }
        default: false
        }
    }

    private static func isSame(_ text: String, _ other: NSNumber) -> Bool {
        let (mine, theirs) = (Double(text) ?? .nan, other.doubleValue)
        return mine == theirs || abs(mine - theirs) <= abs(mine) * 1e-12
    }
}
