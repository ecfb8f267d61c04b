internal import SecureMemory

/// The structure of a JSON text: member names and the positions of values, but no values.
enum JSONNode: Sendable {
    case null
    case bool(Bool)
    case number(Range<Int>)
    /// The range between the quotation marks.
    case string(Range<Int>)
    case array([JSONNode])
    case object([JSONName: JSONNode])
}

/// The name of a member. Names are compared byte for byte (RFC 8259 section 8.3). A `String` would also equal a canonically
/// equivalent string with other scalars.
struct JSONName: Hashable, Sendable {
    let text: String

    static func == (one: JSONName, other: JSONName) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

/// Reads one JSON text (RFC 8259). It is strict wherever the RFC leaves a choice: UTF-8 without a byte order mark, no
/// duplicate member names at any level, no lone surrogates, nothing after the value, and a limit on nesting.
struct JSONScanner {
    static let maximumDepth = 16
    /// Most objects have no more members, so that their tables do not grow.
    private static let usualMemberCount = 6

    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    static func scan(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONNode {
        var scanner = JSONScanner(bytes: bytes)
        let node = try scanner.value(depth: 0)
        scanner.skipWhitespace()
        guard scanner.position == bytes.count else { throw scanner.error(.unexpectedByte) }
        return node
    }

    private init(bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONNode {
        guard depth <= Self.maximumDepth else { throw error(.tooDeep) }
        skipWhitespace()
        switch peek {
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || JSONString.isDigit(byte): return .number(try number())
        case nil: throw error(.unexpectedEnd)
        default: throw error(.unexpectedByte)
        }
    }

    private mutating func object(depth: Int) throws(JSONError) -> [JSONName: JSONNode] {
        var members: [JSONName: JSONNode] = [:]
        position += 1
        skipWhitespace()
        if skip(UInt8(ascii: "}")) { return members }
        // Only here: a text of many small objects must not take much more memory than it has bytes.
        if depth == 0 { members.reserveCapacity(Self.usualMemberCount) }
        while true {
            skipWhitespace()
            let start = position
            guard peek == UInt8(ascii: "\"") else { throw error(peek == nil ? .unexpectedEnd : .unexpectedByte) }
            let name = JSONName(text: JSONString(bytes, try string()).text)
            skipWhitespace()
            try expect(UInt8(ascii: ":"))
            let value = try value(depth: depth + 1)
            guard members.updateValue(value, forKey: name) == nil else {
                throw JSONError(reason: .duplicateMember, offset: start)
            }
            skipWhitespace()
            if skip(UInt8(ascii: "}")) { return members }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func array(depth: Int) throws(JSONError) -> [JSONNode] {
        var elements: [JSONNode] = []
        position += 1
        skipWhitespace()
        if skip(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value(depth: depth + 1))
            skipWhitespace()
            if skip(UInt8(ascii: "]")) { return elements }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func literal(_ text: StaticString, _ node: JSONNode) throws(JSONError) -> JSONNode {
        for index in 0..<text.utf8CodeUnitCount {
            try expect(text.utf8Start[index])
        }
        return node
    }

    /// number = [ "-" ] int [ frac ] [ exp ]
    private mutating func number() throws(JSONError) -> Range<Int> {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits() }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
            try digits()
        }
        return start..<position
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = peek, JSONString.isDigit(byte) { position += 1 }
        guard position > start else { throw error(.invalidNumber) }
    }

    private mutating func string() throws(JSONError) -> Range<Int> {
        position += 1
        let start = position
        while let byte = peek {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return start..<position - 1
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw error(.controlCharacter)
            case 0x20..<0x80: position += 1
            default: try multibyteCharacter()
            }
        }
        throw error(.unexpectedEnd)
    }

    private mutating func escape() throws(JSONError) {
        guard position + 1 < bytes.count else { throw error(.unexpectedEnd) }
        guard bytes[position + 1] == UInt8(ascii: "u") else {
            guard JSONString.unescaped(bytes[position + 1]) != nil else { throw error(.invalidEscape) }
            position += 2
            return
        }
        guard let unit = JSONString.codeUnit(bytes, at: position) else { throw error(.invalidEscape) }
        position += 6
        guard UTF16.isSurrogate(unit) else { return }
        guard UTF16.isLeadSurrogate(unit), let trail = JSONString.codeUnit(bytes, at: position),
            UTF16.isTrailSurrogate(trail)
        else { throw error(.invalidEscape) }
        position += 6
    }

    /// Reads well-formed UTF-8 (Unicode standard, table 3-7): no overlong form, no surrogate, nothing above U+10FFFF.
    private mutating func multibyteCharacter() throws(JSONError) {
        let lead = bytes[position]
        let (length, second): (Int, ClosedRange<UInt8>)
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw error(.invalidUTF8)
        }
        guard position + length <= bytes.count, second ~= bytes[position + 1],
            (2..<length).allSatisfy({ 0x80...0xBF ~= bytes[position + $0] })
        else { throw error(.invalidUTF8) }
        position += length
    }

    private var peek: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard skip(byte) else { throw error(peek == nil ? .unexpectedEnd : .unexpectedByte) }
    }

    private mutating func skipWhitespace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason: reason, offset: position)
    }
}
