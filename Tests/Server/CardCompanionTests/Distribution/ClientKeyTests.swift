import Cryptography
import Foundation
import Testing

@testable import CardCompanion

@Suite("Client key parsing")
struct ClientKeyTests {
    @Test("RSA keys of 2048 to 4096 bits are accepted", arguments: [2048, 3072, 4096])
    func sizes(_ bits: Int) throws {
        let key = try RSAPrivateKey.generate(bits: bits).publicKey
        let text = Base64.encode(key.subjectPublicKeyInfo)
        #expect(RSAPublicKey(clientKey: text)?.modulusBits == bits)
    }

    @Test(
        "RSA keys with an unsupported size or exponent are refused",
        arguments: [
            (1024, 65537, false), (2040, 65537, false), (2048, 65537, true), (4104, 65537, false), (8192, 65537, false),
            (2048, 3, false), (2048, 17, false), (2048, 1, false), (2048, 65536, false), (2048, 65539, true),
            (2048, 65535, false), (2048, Int(UInt32.max), true), (2048, 0, false),
        ] as [(Int, Int, Bool)])
    func sizesAndExponents(_ bits: Int, _ exponent: Int, _ isTaken: Bool) {
        let key = RSAPublicKey(clientKey: Base64.encode(subjectPublicKeyInfo(bits: bits, exponent: exponent)))
        #expect((key != nil) == isTaken)
    }

    @Test("Invalid base64, and base64 of anything but a key, is refused")
    func garbage() throws {
        let text = Base64.encode(try RSAPrivateKey.generate(bits: 2048).publicKey.subjectPublicKeyInfo)
        let url = text.replacing("+", with: "-").replacing("/", with: "_")
        for other in ["", " \(text)", "\(text)\n", String(text.dropLast()), "\(text)AAAA", "AAAA", "x", "\(url)--"] {
            #expect(RSAPublicKey(clientKey: other) == nil)
            #expect(P256PublicKey(clientKey: other) == nil)
        }
        #expect(RSAPublicKey(clientKey: nil) == nil)
        #expect(P256PublicKey(clientKey: nil) == nil)
        #expect(P256PublicKey(clientKey: text) == nil, "an RSA key is not an EC key")
    }

    @Test("Parsing a key with a changed byte, or one that is cut short, does not crash")
    func mutations() throws {
        let der = try RSAPrivateKey.generate(bits: 2048).publicKey.subjectPublicKeyInfo
        for index in der.indices {
            var changed = der
            changed[index] ^= 0x80
            _ = RSAPublicKey(clientKey: Base64.encode(changed))
            _ = RSAPublicKey(clientKey: Base64.encode(Array(der.prefix(index))))
        }
    }

    /// A SubjectPublicKeyInfo whose modulus is an odd number of `bits` bits.
    private func subjectPublicKeyInfo(bits: Int, exponent: Int) -> [UInt8] {
        var modulus = [UInt8](repeating: 0xC5, count: bits / 8)
        modulus[modulus.count - 1] |= 1
        var exponentBytes = withUnsafeBytes(of: exponent.bigEndian) { Array($0.drop { $0 == 0 }) }
        if exponentBytes.isEmpty { exponentBytes = [0] }
        let key = der(0x30, integer(modulus) + integer(exponentBytes))
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return der(0x30, algorithm + der(0x03, [0] + key))
    }

    private func integer(_ bytes: [UInt8]) -> [UInt8] {
        der(0x02, (bytes.first ?? 0) >= 0x80 ? [0] + bytes : bytes)
    }

    private func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        switch content.count {
        case ..<0x80: [tag, UInt8(content.count)] + content
        case ..<0x100: [tag, 0x81, UInt8(content.count)] + content
        default: [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        }
    }
}
