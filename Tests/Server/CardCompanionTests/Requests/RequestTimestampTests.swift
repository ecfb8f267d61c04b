import CardCompanionModel
import Testing

@testable import CardCompanion

@Suite("Request timestamp")
struct RequestTimestampTests {
    @Test("Ten decimal digits are read as Unix seconds")
    func form() throws {
        for (text, seconds) in [("1700000000", 1_700_000_000), ("0000000000", 0), ("9999999999", 9_999_999_999)] {
            let timestamp = try #require(RequestTimestamp(text))
            #expect(timestamp.seconds == Int64(seconds))
            #expect(timestamp.text == text)
        }
    }

    @Test(
        "Any other text is nil",
        arguments: [
            "", "170000000", "17000000000", "-170000000", "+170000000", " 170000000", "170000000 ", "1700000.00",
            "1.7e9     ", "17000000a0", "0x65920080", "\u{0661}700000000", "１７０", "1700000000\n", "1e10000000",
            "\u{661}\u{667}\u{660}\u{660}\u{660}",
        ])
    func otherForms(_ text: String) {
        #expect(RequestTimestamp(text) == nil)
    }

    @Test("A missing timestamp is nil")
    func absent() {
        #expect(RequestTimestamp(nil) == nil)
    }

    @Test("A timestamp is valid up to exactly the tolerance, in both directions")
    func window() throws {
        let timestamp = try #require(RequestTimestamp("1700000000"))
        for (offset, isWithin) in [(-301, false), (-300, true), (0, true), (300, true), (301, false)] as [(Int64, Bool)]
        {
            let now = Timestamp(seconds: 1_700_000_000 + offset)
            #expect(timestamp.isWithin(toleranceSeconds: 300, of: now) == isWithin, "\(offset)")
            #expect(timestamp.lagSeconds(at: now) == offset)
        }
    }

    @Test("The difference to the server's clock is said in words, one second in the singular")
    func skew() throws {
        let timestamp = try #require(RequestTimestamp("1700000000"))
        for (offset, words) in [
            (-2, "2 seconds ahead of"), (-1, "1 second ahead of"), (1, "1 second behind"), (301, "301 seconds behind"),
        ] as [(Int64, String)] {
            let now = Timestamp(seconds: 1_700_000_000 + offset)
            #expect(timestamp.skew(at: now) == "\(words) the server's clock")
        }
    }

    @Test("Fractions of a second are ignored")
    func partsOfASecond() throws {
        let timestamp = try #require(RequestTimestamp("1700000000"))
        let now = Timestamp(microseconds: 1_700_000_300_999_999)
        #expect(timestamp.isWithin(toleranceSeconds: 300, of: now))
    }

    @Test("The smallest and largest timestamps are outside the tolerance, without overflow")
    func extremes() throws {
        for text in ["0000000000", "9999999999"] {
            let timestamp = try #require(RequestTimestamp(text))
            #expect(!timestamp.isWithin(toleranceSeconds: 3600, of: Timestamp(seconds: 1_700_000_000)))
        }
    }
}
