import Crypto
import Foundation
import SecureMemory
import Testing

@testable import CardCompanion

@Suite("HMAC key import")
struct HMACKeyImportTests {
    @Test("The key check value (KCV) matches the one computed with swift-crypto", arguments: [16, 17, 32, 64, 65, 128])
    func keyCheckValue(length: Int) throws {
        let key = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 73 &+ 5) }
        let hex = key.map { String(format: "%02x", $0) }.joined()
        let code = HMAC<SHA256>.authenticationCode(for: Data(), using: SymmetricKey(data: key))
        let expected = Array(code).prefix(3).map { String(format: "%02X", $0) }.joined()
        for text in [hex, hex.uppercased(), " \t\r\n\(hex)\n", "\(hex)\r\n"] {
            #expect(try kcv(text) == expected)
        }
    }

    private static func digits(_ count: Int) -> String { String(repeating: "a7", count: count) }

    private static let noKeys: [String] = [
        "", " \n", "deadbeef", digits(15), digits(129), digits(16) + "a", String(repeating: "g7", count: 16),
        "0x" + digits(16), String(repeating: "a7 ", count: 16), digits(8) + "\n" + digits(8),
        String(repeating: "é", count: 16), digits(16) + "\u{0}",
    ]

    @Test("A text that is not hex of 16 to 128 bytes is refused, and the error does not quote it", arguments: noKeys)
    func refusals(_ text: String) throws {
        let error = #expect(throws: InvalidSetting.self) { _ = try kcv(text) }
        #expect(try #require(error).description.contains("a7") == false)
    }

    private func kcv(_ text: String) throws -> String {
        try HMACKeyImport(hex: SecretBytes(text)).kcv
    }
}
