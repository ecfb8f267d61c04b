import StrictJSON
import Testing

@Suite("Object members")
struct MemberTests {
    @Test(
        "A duplicate name is refused at any level, with and without escapes",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":2}"#, #"{"b":{"a":1,"a":2}}"#,
            #"[{"a":1,"a":2}]"#, #"{"é":1,"\u00e9":2}"#, #"{"😀":1,"\ud83d\ude00":2}"#, #"{"":1,"":2}"#,
            #"{"a\/b":1,"a/b":2}"#,
        ])
    func duplicates(_ text: String) {
        #expect(refusal(text.bytes)?.reason == .duplicateMember)
    }

    @Test("Canonically equivalent names are different names")
    func namesAreCharacters() throws {
        // Each pair is canonically equivalent in Unicode. JSON compares code units (RFC 8259 section 8.3).
        for (name, other) in [("K", "\u{212A}"), ("\u{E9}", "e\u{301}"), ("\u{C5}", "\u{212B}")] {
            let text = try HeldText(#"{"\#(name)":"1","\#(other)":"2"}"#.bytes)
            #expect(text.text(of: name) == "1")
            #expect(text.text(of: other) == "2")
        }
        let kelvin = try HeldText("{\"rsaPublic\u{212A}ey\":\"x\"}".bytes)
        #expect(kelvin.kind(of: "rsaPublicKey") == nil)
    }

    @Test("Names are case-sensitive")
    func caseMatters() throws {
        let text = try HeldText(#"{"a":"1","A":"2"}"#.bytes)
        #expect(text.text(of: "a") == "1")
        #expect(text.text(of: "A") == "2")
    }

    @Test("A member is read only as its own type")
    func kinds() throws {
        let text = try HeldText(
            #"{"s":"x","e":"","n":12.5,"t":true,"f":false,"z":null,"a":["p","q"],"m":["p",1],"o":{"s":"y"}}"#.bytes)
        #expect(text.kind(of: "s") == .string)
        #expect(text.kind(of: "n") == .number)
        #expect(text.kind(of: "t") == .bool)
        #expect(text.kind(of: "z") == .null)
        #expect(text.kind(of: "a") == .array)
        #expect(text.kind(of: "o") == .object)
        #expect(text.kind(of: "missing") == nil)
        #expect(text.text(of: "s") == "x")
        #expect(text.text(of: "n") == "12.5")
        for name in ["t", "f", "z", "a", "o", "missing"] { #expect(text.text(of: name) == nil) }
        for name in ["n", "t", "z", "a", "o", "missing"] { #expect(text.secret(of: name) == nil) }
        #expect(text.strings("a") == ["p", "q"])
        #expect(text.strings("m") == nil)
        #expect(text.strings("s") == nil)
        #expect(text.isEmptyString("e"))
        for name in ["s", "n", "z", "a", "missing"] { #expect(!text.isEmptyString(name)) }
    }

    @Test("The escapes of a secret string are decoded")
    func secretEscapes() throws {
        let text = try HeldText(#"{"code":"a\u0041\n\ud83d\ude00é"}"#.bytes)
        #expect(text.secret(of: "code") == "aA\n😀é".bytes)
    }

    @Test("The text is kept as it was received")
    func receivedBytes() throws {
        let received = #" { "a" : "\u0041" } "#.bytes
        #expect(try HeldText(received).received == received)
    }

    @Test("JSONText refuses other values than objects", arguments: ["[]", "1", #""a""#, "null", "true", "[{}]"])
    func notAnObject(_ text: String) {
        #expect(throws: JSONError.self) { _ = try HeldText(text.bytes) }
        #expect(refusal(text.bytes) == nil)
    }

    @Test("An error names the position, and contains nothing of the text")
    func errorsAreSilent() throws {
        for text in [#"{"pin":"73519284x"#, #"{"pin":73519284x}"#, #"{"73519284":1,"73519284":2}"#] {
            let error = try #require(refusal(text.bytes))
            #expect(!error.description.contains("7351"))
            #expect(error.description.contains("at byte \(error.offset)"))
        }
    }
}
