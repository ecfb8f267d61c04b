import CardCompanionModel
import Testing

@testable import CardCompanionStore

@Suite("Identifiers")
struct IdentifierTests {
    @Test(
        "A text of 1 to 64 characters is valid",
        arguments: [
            "4", "4711", "BANK-1/é", " ", "日本", "😀", String(repeating: "x", count: 64),
            String(repeating: "😀", count: 64),
        ])
    func valid(_ text: String) {
        #expect(isValid(text))
    }

    @Test("A text with no character, or with more than 64 Unicode scalars, is invalid")
    func lengths() {
        #expect(!isValid(""))
        #expect(!isValid(String(repeating: "x", count: 65)))
        #expect(!isValid(String(repeating: "e\u{301}", count: 33)))
        #expect(isValid(String(repeating: "e\u{301}", count: 32)))
    }

    @Test("A text with a control character is invalid")
    func controls() {
        for value in Array(0x00..<0x20) + Array(0x7F..<0xA0) {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            #expect(!isValid("a\(Character(scalar))b"), "U+\(String(value, radix: 16))")
        }
    }

    @Test("A text with a line or paragraph separator is invalid (some databases treat these as control characters)")
    func separators() {
        for scalar in ["\u{2028}", "\u{2029}"] { #expect(!isValid("a\(scalar)b")) }
    }

    @Test("Identifiers are equal only if their bytes are equal")
    func bytes() throws {
        let (composed, decomposed) = (try #require(identifier("\u{e9}")), try #require(identifier("e\u{301}")))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, composed]).count == 2)
    }

    private func identifier(_ text: String) -> Identifier? { Identifier(text) }

    private func isValid(_ text: String) -> Bool { identifier(text) != nil }
}
