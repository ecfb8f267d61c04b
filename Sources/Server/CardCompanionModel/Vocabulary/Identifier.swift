/// What names a bank, a cardholder, a transaction or a key: 1 to 64 characters, none of them a control character.
///
/// Two identifiers are equal if their bytes are, as in the database and in an HMAC. (A `String` also equals one that is
/// composed of other scalars.)
package struct Identifier: Sendable, CustomStringConvertible {
    /// The most Unicode scalars. The schema has the same limit.
    package static let maximumLength = 64

    /// What an identifier must be, for error messages.
    package static let rule = "1 to \(maximumLength) printable characters"

    package let text: String

    /// - Returns: nil if the text is not an identifier.
    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard (1...Self.maximumLength).contains(scalars.count),
            scalars.allSatisfy({ !Self.unprintable.contains($0.properties.generalCategory) })
        else { return nil }
        self.text = text
    }

    package var description: String { text }

    /// Line and paragraph separators would break a line of the log, and are control characters in some locales.
    private static let unprintable: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
}

extension Identifier: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let identifier = Identifier(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an identifier")
        }
        self = identifier
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Identifier: ExpressibleByStringLiteral {
    /// An identifier in the source code. It must be valid.
    package init(stringLiteral text: StaticString) {
        guard let identifier = Identifier(text.description) else {
            preconditionFailure("'\(text)' is not an identifier")
        }
        self = identifier
    }
}

extension Identifier: Hashable {
    package static func == (left: Identifier, right: Identifier) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}
