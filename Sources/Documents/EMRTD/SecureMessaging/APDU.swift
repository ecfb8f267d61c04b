internal import Cryptography

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
        let length = data.isEmpty ? [] : UInt16(truncatingIfNeeded: data.count).bigEndianBytes
        let expected = expectedCount.map { UInt16(truncatingIfNeeded: $0).bigEndianBytes } ?? []
        return header + [0] + length + data + expected
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
        let greatest = isExtended ? 65_536 : 256
        let expected = { (count: Int) in count == 0 ? greatest : count }
        if fields.count == fieldCount { return ([], expected(Int(bigEndianBytes: fields))) }
        let count = Int(bigEndianBytes: fields[..<fieldCount])
        let rest = fields.count - fieldCount - count
        guard count > 0, rest == 0 || rest == fieldCount else {
            throw FormatError("the lengths of a command are wrong")
        }
        let data = Array(fields[fieldCount..<fieldCount + count])
        return (data, rest == 0 ? nil : expected(Int(bigEndianBytes: fields[(fieldCount + count)...])))
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
        status = StatusWord(bytes.dropFirst(bytes.count - 2))
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

    /// - Parameter bytes: two.
    init(_ bytes: Octets) {
        rawValue = UInt16(bigEndianBytes: bytes.bytes)
    }

    package var bytes: [UInt8] { rawValue.bigEndianBytes }

    package var description: String { Hex.encode(bytes).uppercased() }
}
