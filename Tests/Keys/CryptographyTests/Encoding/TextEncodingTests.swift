import Cryptography
import SecureMemory
import Testing

@Suite("Hex and base64")
struct TextEncodingTests {
    @Test("Hex is written in lower case and read in either case")
    func hexText() {
        #expect(Hex.encode([0x00, 0x9f, 0xa0, 0xff]) == "009fa0ff")
        #expect(Hex.encode([]).isEmpty)
        #expect(Hex.decode("009fA0fF") == [0x00, 0x9f, 0xa0, 0xff])
        #expect(Hex.decode("") == [])
    }

    @Test(
        "Text other than an even number of hex digits is refused",
        arguments: ["0", "0g", "g0", " 00", "0x00", "00\n", "００"])
    func notHex(text: String) {
        #expect(Hex.decode(text) == nil)
        #expect(Hex.decodeSecret(text.bytes)?.count == nil)
    }

    @Test("Secret hex gives the same bytes as public hex")
    func secretHex() {
        #expect(Hex.decodeSecret("00c0FFee".bytes)?.revealed == [0x00, 0xc0, 0xff, 0xee])
        #expect(Hex.decodeSecret([])?.revealed == [])
    }

    @Test("Base64 has the texts of RFC 4648 section 10", arguments: rfc4648)
    func base64(plain: String, padded: String) {
        let unpadded = String(padded.prefix { $0 != "=" })
        #expect(Base64.encode(plain.bytes) == padded)
        #expect(Base64.decode(padded) == plain.bytes)
        #expect(Base64URL.encode(plain.bytes) == unpadded)
        #expect(Base64URL.decode(unpadded) == plain.bytes)
    }

    @Test("Base64 and base64url differ in the last two characters of the alphabet")
    func alphabets() {
        #expect(Base64.encode([0xfb, 0xff, 0xbf]) == "+/+/")
        #expect(Base64URL.encode([0xfb, 0xff, 0xbf]) == "-_-_")
        #expect(Base64.decode("-_-_") == nil)
        #expect(Base64URL.decode("+/+/") == nil)
    }

    @Test("Decoding reverses encoding at every length")
    func roundTrips() {
        for count in 0..<70 {
            let bytes = SecureRandom.bytes(count: count)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "Base64 that is not canonical is refused",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "==", "====", "Z===", "Zg==Zg==", "Zg==\n", " Zg==",
            "Zm9v\r\nZm9v",
            "Zm9vY", "Zm9vYg", "Zm9v====", "Z=g=", "Zm9é",
        ])
    func notBase64(text: String) {
        #expect(Base64.decode(text) == nil)
        #expect(Base64.decodeSecret(Array(text.utf8))?.count == nil)
    }

    @Test("Secret base64 gives the same bytes as public base64", arguments: 0...67)
    func secretBase64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
        let text = Array(Base64.encode(bytes).utf8)
        #expect(Base64.decodeSecret(text)?.withBytes { Array($0) } == bytes)
    }

    @Test(
        "Base64url that is not canonical is refused",
        arguments: ["Z", "Zg==", "Zh", "Zm9", "Zm9vY", "Zm9v\n", " Zg", "Z g", "Zm9v="])
    func notBase64URL(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}

private let rfc4648 = [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
]
