/// What INVALID says about a command that is not JSON: the words of the AusweisApp's own parser, and the byte where it
/// stopped.
///
/// The parser is Qt's. Its rules are followed here as far as they can be seen from outside (`make test-eid`).
struct ParseFailure {
    private enum Fault: String, Error {
        case unterminatedObject = "unterminated object"
        case missingNameSeparator = "missing name separator"
        case unterminatedArray = "unterminated array"
        case missingValueSeparator = "missing value separator"
        case illegalValue = "illegal value"
        case terminationByNumber = "invalid termination by number"
        case illegalNumber = "illegal number"
        case illegalEscape = "invalid escape sequence"
        case unterminatedString = "unterminated string"
        case missingObject = "object is missing after a comma"
        case tooDeep = "too deeply nested document"
        case garbage = "garbage at the end of the document"
    }

    private static let depthLimit = 1024

    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var depth = 0

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Nil if that parser finds nothing wrong.
    static func text(of bytes: UnsafeRawBufferPointer) -> String? {
        var parser = ParseFailure(bytes)
        do throws(Fault) {
            try parser.readDocument()
            return nil
        } catch {
            return "\(error.rawValue) (offset: \(parser.place))"
        }
    }

    private mutating func readDocument() throws(Fault) {
        switch nextToken() {
        case UInt8(ascii: "{"): try readObject()
        case UInt8(ascii: "["): try readArray()
        default: throw .illegalValue
        }
        if skipSpace() { throw .garbage }
    }

    private mutating func readObject() throws(Fault) {
        try enter()
        var token = nextToken()
        while token == UInt8(ascii: "\"") {
            try readMember()
            token = nextToken()
            guard token == UInt8(ascii: ",") else { break }
            token = nextToken()
            if token == UInt8(ascii: "}") { throw .missingObject }
        }
        guard token == UInt8(ascii: "}") else { throw .unterminatedObject }
        depth -= 1
    }

    private mutating func readMember() throws(Fault) {
        try readString()
        guard nextToken() == UInt8(ascii: ":") else { throw .missingNameSeparator }
        guard skipSpace() else { throw .unterminatedObject }
        try readValue()
    }

    private mutating func readArray() throws(Fault) {
        try enter()
        guard skipSpace() else { throw .unterminatedArray }
        var isDone = bytes[place] == UInt8(ascii: "]")
        if isDone { place += 1 }
        while !isDone {
            guard skipSpace() else { throw .unterminatedArray }
            try readValue()
            let token = nextToken()
            isDone = token == UInt8(ascii: "]")
            guard isDone || token == UInt8(ascii: ",") else {
                throw skipSpace() ? .missingValueSeparator : .unterminatedArray
            }
        }
        depth -= 1
    }

    private mutating func enter() throws(Fault) {
        depth += 1
        if depth > Self.depthLimit { throw .tooDeep }
    }

    private mutating func readValue() throws(Fault) {
        place += 1
        switch bytes[place - 1] {
        case UInt8(ascii: "n"): try readRest("ull")
        case UInt8(ascii: "t"): try readRest("rue")
        case UInt8(ascii: "f"): try readRest("alse")
        case UInt8(ascii: "\""): try readString()
        case UInt8(ascii: "["): try readArray()
        case UInt8(ascii: "{"): try readObject()
        case UInt8(ascii: ","): throw .illegalValue
        case UInt8(ascii: "]"), UInt8(ascii: "}"): throw .missingObject
        default:
            place -= 1
            try readNumber()
        }
    }

    /// The rest of a literal. Something must follow it.
    private mutating func readRest(_ rest: StaticString) throws(Fault) {
        guard bytes.count - place > rest.utf8CodeUnitCount else { throw .illegalValue }
        for count in 0..<rest.utf8CodeUnitCount {
            place += 1
            guard bytes[place - 1] == rest.utf8Start[count] else { throw .illegalValue }
        }
    }

    private mutating func readNumber() throws(Fault) {
        skipIf { $0 == UInt8(ascii: "-") }
        var digitCount = 0
        if skipIf({ $0 == UInt8(ascii: "0") }) { digitCount = 1 } else { digitCount = skipDigits() }
        if skipIf({ $0 == UInt8(ascii: ".") }) { digitCount += skipDigits() }
        var hasExponent = true
        if skipIf({ $0 | 0x20 == UInt8(ascii: "e") }) {
            skipIf { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
            hasExponent = skipDigits() > 0
        }
        guard place < bytes.count else { throw .terminationByNumber }
        guard digitCount > 0, hasExponent else { throw .illegalNumber }
    }

    /// The string after its first quotation mark. Something must follow it.
    private mutating func readString() throws(Fault) {
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            if bytes[place] == UInt8(ascii: "\\") { try readEscape() } else { place += 1 }
        }
        place += 1
        if place >= bytes.count { throw .unterminatedString }
    }

    private mutating func readEscape() throws(Fault) {
        place += 1
        guard place < bytes.count else { throw .unterminatedString }
        place += 1
        guard bytes[place - 1] == UInt8(ascii: "u") else { return }
        guard place <= bytes.count - 4 else { throw .illegalEscape }
        for _ in 0..<4 {
            guard Character(Unicode.Scalar(bytes[place])).isHexDigit else { throw .illegalEscape }
            place += 1
        }
    }

    // MARK: Bytes

    /// Skips white space; false at the end.
    private mutating func skipSpace() -> Bool {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
        return place < bytes.count
    }

    /// The next byte that is not white space; nil at the end.
    private mutating func nextToken() -> UInt8? {
        guard skipSpace() else { return nil }
        place += 1
        return bytes[place - 1]
    }

    @discardableResult
    private mutating func skipIf(_ condition: (UInt8) -> Bool) -> Bool {
        guard place < bytes.count, condition(bytes[place]) else { return false }
        place += 1
        return true
    }

    private mutating func skipDigits() -> Int {
        let start = place
        while skipIf({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) {}
        return place - start
    }
}
