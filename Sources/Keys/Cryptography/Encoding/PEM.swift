package import SecureMemory

/// PEM (RFC 7468): DER as text.
package enum PEM {
    static let publicKeyLabel = "PUBLIC KEY"

    /// The greatest size of a public key's text. A key of 8192 bits needs 1.5 KiB.
    private static let byteCountLimit = 16_384
    private static let lineLength = 64

    /// The DER of a text with exactly one block, a public key (section 13). Lines before and after the block are
    /// ignored, unless they start with five hyphens too.
    ///
    /// - Throws: `invalidKey`.
    package static func decodePublicKey(
        _ source: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        guard source.octetCount <= byteCountLimit, let der = decode(source, label: publicKeyLabel) else {
            throw failure(.invalidKey)
        }
        return der
    }

    /// The DER of a text with exactly one block of a label; nil if the text is anything else.
    package static func decode(_ source: borrowing some ByteSource & ~Copyable, label: String) -> [UInt8]? {
        guard let text = String(validating: source.publicCopy(), as: UTF8.self) else { return nil }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(trimmed)
        let boundaries = lines.indices.filter { lines[$0].hasPrefix("-----") }
        guard boundaries.map({ lines[$0] }) == ["BEGIN", "END"].map({ "-----\($0) \(label)-----" }) else { return nil }
        return Base64.decode(lines[boundaries[0] + 1..<boundaries[1]].joined())
    }

    /// The PEM text. It ends with a line end.
    static func text(of der: [UInt8], label: String) -> String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(lineLength)))
            rest = rest.dropFirst(lineLength)
        }
        return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }

    private static func trimmed(_ line: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var line = line.drop(while: isSpace)
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }
}
