internal import Foundation

/// Base64url without padding (RFC 7515 section 2).
enum Base64URL {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let standard = Data(bytes).base64EncodedString()
        return String(standard.compactMap { Self.translated[$0, default: $0] })
    }

    /// Decodes the canonical form only; nil for any other text.
    static func decode(_ text: some StringProtocol) -> Data? {
        let standard = text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        guard let bytes = Data(base64Encoded: String(standard) + padding), encode(bytes) == text else { return nil }
        return bytes
    }

    private static let translated: [Character: Character?] = ["+": "-", "/": "_", "=": nil]
}
