/// Why a text is not strict JSON (RFC 8259), and at which byte.
package struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: String, Sendable {
        case unexpectedByte = "unexpected byte"
        case unexpectedEnd = "unexpected end of the text"
        case invalidUTF8 = "invalid UTF-8"
        case invalidEscape = "invalid escape"
        case invalidNumber = "invalid number"
        case controlCharacter = "unescaped control character"
        case duplicateMember = "duplicate member name"
        case tooDeep = "nesting deeper than 16 levels"
        case notAnObject = "the value is not an object"
    }

    package let reason: Reason

    /// The offset of the byte where the error was found.
    package let offset: Int

    /// The reason and the position. It never contains a part of the text.
    package var description: String { "\(reason.rawValue) at byte \(offset)" }

    /// The same for somebody who has the text in an editor: line and column, from 1.
    package func description(in text: [UInt8]) -> String {
        let before = text.prefix(offset)
        let line = before.count { $0 == UInt8(ascii: "\n") } + 1
        let column = before.count - ((before.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1) + 1
        return "\(reason.rawValue) in line \(line), column \(column)"
    }
}
