/// Why a text is not JSON as RFC 8259 has it, and at which byte.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: String, Sendable {
        case unexpectedByte = "unexpected byte"
        case unexpectedEnd = "the text ends too soon"
        case invalidUTF8 = "not UTF-8"
        case invalidEscape = "invalid escape"
        case invalidNumber = "invalid number"
        case controlCharacter = "unescaped control character"
        case duplicateMember = "duplicate member name"
        case tooDeep = "nested too deep"
        case notAnObject = "not an object"
    }

    /// What is wrong.
    public let reason: Reason

    /// The offset of the byte at which it shows.
    public let offset: Int

    /// Never holds a part of the text itself.
    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
