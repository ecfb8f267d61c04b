import StrictJSON
import Testing

@Suite("JSON grammar (RFC 8259)")
struct GrammarTests {
    @Test("Each kind of value is read")
    func values() throws {
        let text = #" { "a" : [ 1 , -0.5e+3 , true , false , null , "x" ] , "b" : { } , "c" : [ ] , "" : "" } "#
        #expect(
            try JSONValue(parsing: text.bytes)
                == .object([
                    "a": .array([.number("1"), .number("-0.5e+3"), .bool(true), .bool(false), .null, .string("x")]),
                    "b": .object([:]), "c": .array([]), "": .string(""),
                ]))
    }

    @Test("Numbers keep their text, however large they are")
    func numberText() throws {
        for text in ["0", "-0", "10", "1.50", "1e400", "1E-7", "123456789012345678901234567890.000"] {
            #expect(try JSONValue(parsing: text.bytes) == .number(text))
        }
    }

    @Test(
        "Invalid numbers are refused",
        arguments: ["-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x10", "1_000", "NaN", "Infinity", "-Infinity"])
    func badNumbers(_ text: String) {
        #expect(refusal(text.bytes) != nil)
    }

    @Test("Escapes are decoded")
    func escapes() throws {
        let text = #""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\ude00""#
        #expect(try JSONValue(parsing: text.bytes) == .string("\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}\u{1f600}"))
    }

    @Test(
        "Invalid escapes are refused",
        arguments: [
            #""\x""#, #""\""#, #""\u""#, #""\u12""#, #""\u12g4""#, #""\u+123""#, #""\U0041""#, #""\'""#, #""\0""#,
            #""\u12\u0034""#,
        ])
    func badEscapes(_ text: String) {
        #expect(refusal(text.bytes) != nil)
    }

    @Test(
        "A lone surrogate is refused, whichever half is missing",
        arguments: [
            #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#, #""\ud83d\ud83d""#,
            #""\ude00\ud83d""#, #""\uD800\uDBFF""#,
        ])
    func loneSurrogates(_ text: String) {
        #expect(refusal(text.bytes)?.reason == .invalidEscape)
    }

    @Test("Every control character in a string is refused, but accepted if escaped")
    func controlCharacters() throws {
        for byte in UInt8(0)..<0x20 {
            #expect(refusal([0x22, byte, 0x22])?.reason == .controlCharacter)
            let digits = String(byte, radix: 16)
            let escaped = "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "\""
            #expect(try JSONValue(parsing: escaped.bytes) == .string(String(Unicode.Scalar(byte))))
        }
        #expect(refusal([0x22, 0x7F, 0x22]) == nil)
    }

    @Test("Only four characters count as white space")
    func whitespace() {
        for byte in UInt8.min...UInt8.max {
            let isSpace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
            let isDigit = UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            #expect(
                (refusal([byte] + "1".bytes) == nil)
                    == (isSpace || byte == UInt8(ascii: "-") || (isDigit && byte > 0x30)))
            #expect((refusal("1".bytes + [byte]) == nil) == (isSpace || isDigit))
        }
    }

    @Test(
        "Anything that is not JSON is refused before, after and between the tokens",
        arguments: [
            "", " ", "{}{}", "{} x", "[1,]", "[,1]", "{,}", #"{"a":1,}"#, #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, #"{'a':1}"#,
            #"{"a":1 "b":2}"#, "[1 2]", "tru", "truE", "nul", "True", "// x\n1", "/* */1", "\u{FEFF}{}", "[", "]", "{",
            #"{"a":1"#, #""a"#, "undefined",
        ])
    func garbage(_ text: String) {
        #expect(refusal(text.bytes) != nil)
    }

    @Test("A text that is cut off at any byte is refused")
    func truncation() {
        let whole = #"{"a":[1,-2.5e3,"\u00e9\ud83d\ude00",true,false,null,{"b":"ÿ"}]}"#.bytes
        for end in whole.indices {
            #expect(refusal(Array(whole[..<end])) != nil, "the first \(end) bytes are read")
        }
        #expect(refusal(whole) == nil)
    }

    @Test("Nesting is accepted up to sixteen levels")
    func depth() {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            func nested(_ levels: Int) -> [UInt8] {
                (String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)).bytes
            }
            #expect(refusal(nested(16)) == nil)
            #expect(refusal(nested(17))?.reason == .tooDeep)
        }
        #expect(refusal([UInt8](repeating: UInt8(ascii: "["), count: 1_000_000))?.reason == .tooDeep)
    }
}
