import HTTPSignatures
import Testing

@Suite("Names of a server")
struct AuthorityTests {
    @Test(
        "A name is read in any case, and without a default port",
        arguments: [
            ("pin.example.com", "pin.example.com"), ("PIN.Example.COM", "pin.example.com"),
            ("pin.example.com:443", "pin.example.com"), ("pin.example.com:80", "pin.example.com"),
            ("pin.example.com:8443", "pin.example.com:8443"), ("localhost", "localhost"),
            ("localhost:65535", "localhost:65535"), ("192.0.2.1:8080", "192.0.2.1:8080"),
            ("xn--bcher-kva.example", "xn--bcher-kva.example"), ("1.example", "1.example"),
            (String(repeating: "a", count: 63) + ".example", String(repeating: "a", count: 63) + ".example"),
        ])
    func name(text: String, expected: String) throws {
        #expect(try #require(Authority(text)).description == expected)
    }

    @Test(
        "Anything else is no name",
        arguments: [
            "", ".", ":", ":80", "https://pin.example.com", "pin.example.com/", "pin.example.com:", "a:b", "a:1:2",
            "a:0", "a:65536", "a:08443", "a:+80", "a:-1", "a: 80", " a", "a b", "a_b", "a..b", ".a", "a.", "-a", "a-",
            "a.-b", "bücher.example", "a\u{0}", "user@a", "*", "*.example.com", "[::1]", "::1", "192.0.2",
            "192.0.2.256",
            "192.0.02.1", "4711", String(repeating: "a", count: 64), "é",
            (0..<64).map { _ in "aaa" }.joined(separator: "."), "\u{212A}.example",
        ])
    func noName(text: String) {
        // The Kelvin sign in the last one is 'k' in lower case.
        #expect(Authority(text) == nil)
    }
}
