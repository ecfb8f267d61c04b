/// The text of a key block, as people hand it over: in one line or in several, with blanks around each, and perhaps with the
/// letter that a payShield writes before it.
package struct KeyBlockText: Sendable, Hashable {
    /// The key block alone.
    package let text: String
    /// Whether the letter R was before it: the key scheme of key blocks of X9.143 in the commands of a payShield.
    package let hadSchemeLetter: Bool

    /// - Throws: ``KeyBlockError`` for a key of a payShield that is not a key block of X9.143.
    package init(_ text: String) throws(KeyBlockError) {
        // A blank at the end of a line can be part of a label. Then the length or the MAC is wrong.
        let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.map(Self.trimmed)
        var block = Array(lines.joined())[...]
        hadSchemeLetter = block.first == UInt8(ascii: "R") && Self.isStartOfBlock(block.dropFirst())
        if hadSchemeLetter { block = block.dropFirst() }
        if let scheme = Self.keyScheme(of: block) {
            throw KeyBlockError(
                .version, "it is a key of a payShield in key scheme \(scheme), not a key block. \(Self.wayThatWorks)")
        }
        if Self.digitsOfBareKeys.contains(where: { Self.isHex(block, count: $0) }) {
            throw KeyBlockError(
                .version,
                "it is only hex digits, not a key block. If it is a component, give it with --components. If it is a key of "
                    + "a payShield under its LMK: \(Self.wayThatWorks)")
        }
        self.text = String(decoding: block, as: UTF8.self)
    }

    /// What to do about a key that no other machine can open.
    static let wayThatWorks =
        "Export the key there as a key block, under a key that the bank has here: command A8, key scheme R, version B or D"

    private static func trimmed(_ line: Substring.UTF8View) -> Substring.UTF8View {
        let start = line.drop { $0 <= 0x20 }
        let end = start.lastIndex { $0 > 0x20 }.map { start.index(after: $0) } ?? start.startIndex
        return start[..<end]
    }

    /// A version, and the length in four digits.
    private static func isStartOfBlock(_ text: ArraySlice<UInt8>) -> Bool {
        guard let version = text.first, text.count > lengthDigits else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(version)
            && text.dropFirst().prefix(lengthDigits).allSatisfy(isDigit)
    }

    private static let lengthDigits = 4

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    // MARK: - Keys of a payShield that are not key blocks

    /// How many hex digits follow the letter of a key scheme.
    private static let digitsOfSchemes: [(letter: Character, digits: Int)] = [
        ("U", 32), ("T", 48), ("X", 32), ("Y", 48), ("Z", 16),
    ]

    /// A key or a component of Triple DES or AES.
    private static let digitsOfBareKeys = [16, 32, 48, 64]

    /// The key scheme of a key of a payShield; nil for any other text.
    ///
    /// Schemes U and T are under a variant of an LMK, the key of one payShield. S is a key block under an LMK. X, Y and Z are
    /// encrypted without a header.
    private static func keyScheme(of text: ArraySlice<UInt8>) -> Character? {
        guard let first = text.first else { return nil }
        let rest = text.dropFirst()
        for (letter, digits) in digitsOfSchemes where first == letter.asciiValue && isHex(rest, count: digits) {
            return letter
        }
        let isBlock = rest.count > lengthDigits && rest.prefix(1 + lengthDigits).allSatisfy(isDigit)
        return first == UInt8(ascii: "S") && isBlock ? "S" : nil
    }

    private static func isHex(_ text: ArraySlice<UInt8>, count: Int) -> Bool {
        text.count == count && text.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }
}
