import Testing

@testable import CardCompanionHTTP

@Suite("The field traceparent")
struct TraceParentTests {
    private static let usual = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A value of version 00 is taken as it is")
    func whole() {
        #expect(TraceParent(Self.usual)?.text == Self.usual)
        let unsampled = "00-00000000000000000000000000000001-0000000000000001-00"
        #expect(TraceParent(unsampled)?.text == unsampled)
    }

    @Test("Of a later version, the four parts are taken that are known")
    func later() {
        let later = "cc" + Self.usual.dropFirst(2)
        #expect(TraceParent(later)?.text == later)
        #expect(TraceParent(later + "-what-the-future-will-be-like")?.text == later)
        #expect(TraceParent(later + ".what") == nil)
        #expect(TraceParent(later + "0") == nil)
    }

    @Test(
        "Any other value is ignored",
        arguments: [
            "", "-", "00", usual + "-", usual + "0", usual + " ", " " + usual, usual.uppercased(),
            "ff" + usual.dropFirst(2),
            "0" + usual, String(usual.dropLast()), String(usual.dropFirst()), usual.replacing("-", with: "_"),
            usual.replacing("4bf9", with: "4bfg"), usual.replacing("4bf9", with: "4b\u{e9}"),
            usual.replacing("4bf9", with: "4b-9"), usual + "\n", usual.replacing("00f067aa", with: "00f067A\u{0}"),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x", usual + "," + usual,
            String(repeating: "0", count: 100_000),
        ])
    func wrong(value: String) {
        #expect(TraceParent(value) == nil)
    }
}
