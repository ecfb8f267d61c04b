import Cryptography
import SecureMemory
import Testing

/// Decodes hexadecimal digits. White space is ignored.
func hex(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    try #require(Hex.decode(String(text.filter { !$0.isWhitespace })), sourceLocation: sourceLocation)
}

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

extension [UInt8] {
    /// A copy with one bit flipped.
    func flipping(bit: Int) -> [UInt8] {
        var copy = self
        copy[bit / 8] ^= 1 << UInt8(bit % 8)
        return copy
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
