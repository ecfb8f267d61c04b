/// A command for a chip (ISO/IEC 7816-4 section 5.2).
package struct CommandAPDU: Hashable, Sendable {
    /// Without the bits of secure messaging.
    package let instructionClass: UInt8
    package let instruction: UInt8
    package let p1: UInt8
    package let p2: UInt8
    package let data: [UInt8]
    /// How many bytes are expected at most, 1 to 65536; nil for none.
    package let expectedCount: Int?

    package init(
        instructionClass: UInt8 = 0, instruction: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [],
        expectedCount: Int? = nil
    ) {
        self.instructionClass = instructionClass
        self.instruction = instruction
        self.p1 = p1
        self.p2 = p2
        self.data = data
        self.expectedCount = expectedCount
    }

    var header: [UInt8] { [instructionClass, instruction, p1, p2] }

    /// Odd instructions have data that are elements themselves (ISO/IEC 7816-4 section 5.4.2).
    var hasOddInstruction: Bool { instruction & 1 == 1 }

    /// The command without secure messaging. The lengths are short if the data allow it.
    package var encoded: [UInt8] {
        let isExtended = data.count > 255 || (expectedCount ?? 0) > 256
        guard isExtended else {
            let length = data.isEmpty ? [] : [UInt8(data.count)]
            return header + length + data + (expectedCount.map { [UInt8(truncatingIfNeeded: $0)] } ?? [])
        }
        let length = data.isEmpty ? [] : Self.bigEndian(data.count)
        let expected = expectedCount.map { Self.bigEndian($0) } ?? []
        return header + [0] + length + data + expected
    }

    static func bigEndian(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// Reads a command with short or extended lengths.
    ///
    /// - Throws: `FormatError`.
    package init(_ bytes: [UInt8]) throws(FormatError) {
        guard bytes.count >= 4 else { throw FormatError("a command has fewer than 4 bytes") }
        let (data, expected) = try Self.body(Array(bytes[4...]))
        self.init(
            instructionClass: bytes[0], instruction: bytes[1], p1: bytes[2], p2: bytes[3], data: data,
            expectedCount: expected)
    }

    private static func body(_ body: [UInt8]) throws(FormatError) -> ([UInt8], Int?) {
        guard let first = body.first else { return ([], nil) }
        let isExtended = first == 0 && body.count >= 3
        let fieldCount = isExtended ? 2 : 1
        let fields = isExtended ? Array(body.dropFirst()) : body
        let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
        let greatest = isExtended ? 65_536 : 256
        let expected = { (count: Int) in count == 0 ? greatest : count }
        if fields.count == fieldCount { return ([], expected(number(fields[...]))) }
        let count = number(fields[..<fieldCount])
        let rest = fields.count - fieldCount - count
        guard count > 0, rest == 0 || rest == fieldCount else {
            throw FormatError("the lengths of a command are wrong")
        }
        let data = Array(fields[fieldCount..<fieldCount + count])
        return (data, rest == 0 ? nil : expected(number(fields[(fieldCount + count)...])))
    }
}

/// A chip's answer (ISO/IEC 7816-4 section 5.3).
package struct ResponseAPDU: Sendable {
    package let data: Octets
    package let status: StatusWord

    package init(data: Octets, status: StatusWord) {
        self.data = data
        self.status = status
    }

    /// Reads an answer without secure messaging.
    ///
    /// - Throws: `FormatError` if there are fewer than two bytes, or more than 65538.
    package init(_ bytes: Octets) throws(FormatError) {
        guard 2...65_538 ~= bytes.count else { throw FormatError("an answer has \(bytes.count) bytes") }
        data = bytes.dropLast(2)
        status = StatusWord(rawValue: UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
    }
}

/// The status at the end of an answer (ISO/IEC 7816-4 section 5.6).
package struct StatusWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static let success = StatusWord(rawValue: 0x9000)
    /// The file ended before the expected count.
    package static let endOfFile = StatusWord(rawValue: 0x6282)
    package static let secureMessagingObjectsMissing = StatusWord(rawValue: 0x6987)
    package static let secureMessagingObjectsIncorrect = StatusWord(rawValue: 0x6988)
    package static let wrongLength = StatusWord(rawValue: 0x6700)
    package static let securityStatusNotSatisfied = StatusWord(rawValue: 0x6982)
    package static let conditionsNotSatisfied = StatusWord(rawValue: 0x6985)
    package static let incorrectData = StatusWord(rawValue: 0x6A80)
    package static let fileNotFound = StatusWord(rawValue: 0x6A82)
    package static let wrongParameters = StatusWord(rawValue: 0x6B00)
    package static let unknownInstruction = StatusWord(rawValue: 0x6D00)

    package var bytes: [UInt8] { CommandAPDU.bigEndian(Int(rawValue)) }

    package var description: String {
        String(0x10000 | Int(rawValue), radix: 16, uppercase: true).dropFirst().description
    }
}
