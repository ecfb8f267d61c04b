import Testing

@testable import CardCompanion

@Suite("Identifiers")
struct IdentifierTests {
    @Test(
        "One to sixty-four characters may be one",
        arguments: [
            "4", "4711", "BANK-1/é", " ", "日本", "😀", String(repeating: "x", count: 64),
            String(repeating: "😀", count: 64),
        ])
    func valid(_ text: String) {
        #expect(Identifier.isValid(text))
    }

    @Test("None, and more than sixty-four, may not; what counts are Unicode scalars, as in the database")
    func lengths() {
        #expect(!Identifier.isValid(""))
        #expect(!Identifier.isValid(String(repeating: "x", count: 65)))
        #expect(!Identifier.isValid(String(repeating: "e\u{301}", count: 33)))
        #expect(Identifier.isValid(String(repeating: "e\u{301}", count: 32)))
    }

    @Test("Control characters may not stand in one")
    func controls() {
        for value in Array(0x00..<0x20) + Array(0x7F..<0xA0) {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            #expect(!Identifier.isValid("a\(Character(scalar))b"), "U+\(String(value, radix: 16))")
        }
    }

    @Test("Line and paragraph separators, which some databases count as control characters, may not either")
    func separators() {
        for scalar in ["\u{2028}", "\u{2029}"] { #expect(!Identifier.isValid("a\(scalar)b")) }
    }
}
