import Foundation
import SecureMemory
import Testing

@Suite("Secret buffer")
struct SecretBufferTests {
    @Test("All kinds of parts are appended in order, beyond the initial capacity")
    func parts() {
        var buffer = SecretBuffer(capacity: 1)
        var expected: [UInt8] = []
        for round in 0..<200 {
            buffer.append("é\(round)")
            buffer.append([0xFF, 0x00] as [UInt8])
            buffer.append(byte: UInt8(ascii: " "), repeating: round % 3)
            buffer.append(SecretBytes(copying: Array("secret".utf8)))
            expected +=
                Array("é\(round)".utf8) + [0xFF, 0x00] + [UInt8](repeating: 0x20, count: round % 3)
                + Array("secret".utf8)
            #expect(buffer.count == expected.count)
        }
        #expect(buffer.finish().revealed == expected)
    }

    @Test("An empty buffer has no bytes")
    func empty() {
        #expect(SecretBuffer().finish().count == 0)
    }

    @Test("Base64 equals Foundation's at every length")
    func base64() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }
            var buffer = SecretBuffer(capacity: 1)
            buffer.append("<")
            buffer.appendBase64(bytes)
            buffer.append(">")
            #expect(text(buffer.finish()) == "<\(Data(bytes).base64EncodedString())>")
        }
    }

    @Test("Base64url has its own alphabet and no padding, and does not change earlier bytes")
    func base64URL() {
        for length in 0...70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 41 &+ 251) }
            var buffer = SecretBuffer(capacity: 1)
            buffer.append("+/=")
            buffer.appendBase64(bytes, .urlSafe)
            buffer.append("+/=")
            let encoded = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            #expect(text(buffer.finish()) == "+/=\(encoded)+/=")
        }
    }

    @Test("Hex has two lower-case digits per byte")
    func hex() {
        let all = [UInt8](UInt8.min...UInt8.max)
        var buffer = SecretBuffer(capacity: 1)
        buffer.appendHex(all)
        #expect(text(buffer.finish()) == all.map { String(format: "%02x", $0) }.joined())
    }

    private func text(_ secret: borrowing SecretBytes) -> String {
        String(decoding: secret.revealed, as: UTF8.self)
    }
}
