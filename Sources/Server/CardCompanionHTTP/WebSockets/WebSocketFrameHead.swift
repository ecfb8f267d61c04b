internal import Cryptography

/// The head of a frame (RFC 6455 section 5.2): of a client's frame, which is masked, or of the server's, which is not.
struct WebSocketFrameHead {
    enum Opcode: UInt8 {
        case continuation = 0x0
        case text = 0x1
        case binary = 0x2
        case close = 0x8
        case ping = 0x9
        case pong = 0xA

        var isControl: Bool { rawValue >= 0x8 }
    }

    let opcode: Opcode
    let isFinal: Bool
    /// How much of the payload has not come.
    private(set) var missingByteCount: Int
    private let mask: [UInt8]
    private var place = 0

    /// Reads what has come of the head of a client's frame.
    ///
    /// - Returns: nil if it is not complete.
    /// - Throws: ``WebSocketReader/Failure/invalidFrames``: there are no extensions, so the reserved bits must be 0; a client's
    ///   frame must be masked; a length must be as short as it can be.
    init?(_ bytes: [UInt8]) throws(WebSocketReader.Failure) {
        guard let first = bytes.first else { return nil }
        guard first & 0x70 == 0, let opcode = Opcode(rawValue: first & 0xF) else { throw .invalidFrames }
        guard bytes.count >= 2 else { return nil }
        guard bytes[1] & 0x80 != 0 else { throw .invalidFrames }
        let lengthByteCount = Self.extendedLengthByteCount(bytes[1] & 0x7F)
        guard bytes.count == 2 + lengthByteCount + 4 else { return nil }
        let extended = UInt64(bigEndianBytes: bytes[2..<2 + lengthByteCount])
        let length = lengthByteCount == 0 ? UInt64(bytes[1] & 0x7F) : extended
        let shortest: UInt64 = [0: 0, 2: 126, 8: 65_536][lengthByteCount] ?? 0
        guard length >= shortest, length <= Int.max else { throw .invalidFrames }
        self.opcode = opcode
        isFinal = first & 0x80 != 0
        missingByteCount = Int(length)
        mask = Array(bytes.suffix(4))
    }

    /// Unmasks the next bytes of the payload where they are (section 5.3).
    mutating func unmask(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices {
            bytes[index] ^= mask[(place + index) & 3]
        }
        place = (place + bytes.count) & 3
        missingByteCount -= bytes.count
    }

    private static func extendedLengthByteCount(_ length: UInt8) -> Int {
        switch length {
        case 126: 2
        case 127: 8
        default: 0
        }
    }

    /// The head of a frame of the server: a whole message, not masked.
    static func bytes(_ opcode: Opcode, payloadByteCount count: Int) -> [UInt8] {
        let first = 0x80 | opcode.rawValue
        return switch count {
        case ...125: [first, UInt8(count)]
        case ...0xFFFF: [first, 126] + UInt16(count).bigEndianBytes
        default: [first, 127] + UInt64(count).bigEndianBytes
        }
    }
}
