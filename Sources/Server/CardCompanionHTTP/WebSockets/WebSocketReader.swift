internal import Cryptography
internal import SecureMemory

/// Reads the frames of a client and joins them to messages (RFC 6455 sections 5 and 7). A pure state machine: it gets bytes and
/// gives messages. What a message contains goes into memory that is wiped, byte by byte as it comes: so a frame is never in a
/// buffer that grows and leaves copies behind, which is why the decoder of NIOWebSocket is not used here.
struct WebSocketReader: ~Copyable {
    enum Message: ~Copyable {
        case text(SecretBytes)
        case binary(SecretBytes)
        case ping([UInt8])
        case pong
        /// The code is nil, and the reason empty, if the client gives none.
        case close(code: UInt16?, reason: String)
    }

    /// Why nothing more can be read.
    enum Failure: Error {
        /// The frames break RFC 6455.
        case invalidFrames
        /// A text is not UTF-8.
        case invalidText
        /// A message is longer, or has more frames, than the server takes.
        case tooLong
    }

    /// The most frames that one message can have.
    static let fragmentLimit = 1_024
    private static let controlByteLimit = 125

    /// The longest messages, in bytes. They can change from message to message.
    var textByteLimit: Int
    var binaryByteLimit: Int

    /// What has come of the head of a frame.
    private var head: [UInt8] = []
    /// The frame whose payload is being read.
    private var frame: WebSocketFrameHead?
    private var payload = Payload()

    init(textByteLimit: Int, binaryByteLimit: Int) {
        self.textByteLimit = textByteLimit
        self.binaryByteLimit = binaryByteLimit
    }

    /// What has come of a message that is not complete, in bytes.
    var partByteCount: Int { payload.messageByteCount }

    /// Reads until a message is complete.
    ///
    /// - Parameter input: the bytes that have come. What was read is taken away, and unmasked where it is: its owner must wipe it.
    /// - Returns: nil if more bytes are needed.
    mutating func next(_ input: inout Slice<UnsafeMutableRawBufferPointer>) throws(Failure) -> Message? {
        while true {
            guard try readHead(&input), let frame = readPayload(&input) else { return nil }
            self.frame = nil
            if frame.opcode.isControl { return try controlMessage(frame.opcode) }
            if frame.isFinal { return try dataMessage() }
        }
    }

    /// - Returns: whether the head of a frame is complete.
    private mutating func readHead(_ input: inout Slice<UnsafeMutableRawBufferPointer>) throws(Failure) -> Bool {
        guard frame == nil else { return true }
        while let byte = input.popFirst() {
            head.append(byte)
            guard let frame = try WebSocketFrameHead(head) else { continue }
            head.removeAll(keepingCapacity: true)
            try payload.begin(frame, textByteLimit: textByteLimit, binaryByteLimit: binaryByteLimit)
            self.frame = frame
            return true
        }
        return false
    }

    /// - Returns: the frame, if its payload is complete.
    private mutating func readPayload(_ input: inout Slice<UnsafeMutableRawBufferPointer>) -> WebSocketFrameHead? {
        guard var frame else { return nil }
        let count = min(frame.missingByteCount, input.count)
        let bytes = UnsafeMutableRawBufferPointer(rebasing: input.prefix(count))
        frame.unmask(bytes)
        payload.append(UnsafeRawBufferPointer(bytes), of: frame.opcode)
        input = input.dropFirst(count)
        self.frame = frame
        return frame.missingByteCount == 0 ? frame : nil
    }

    private mutating func dataMessage() throws(Failure) -> Message {
        let isText = payload.isText
        let bytes = payload.takeMessage()
        guard isText else { return .binary(bytes) }
        guard bytes.withBytes(Self.isUTF8) else { throw .invalidText }
        return .text(bytes)
    }

    private mutating func controlMessage(_ opcode: WebSocketFrameHead.Opcode) throws(Failure) -> Message {
        let bytes = payload.takeControl()
        switch opcode {
        case .ping: return .ping(bytes)
        case .pong: return .pong
        default:
            let code = try Self.closeCode(bytes)
            return .close(code: code, reason: String(decoding: bytes.dropFirst(2), as: UTF8.self))
        }
    }

    /// The code of a close frame (section 5.5.1), which must be one that can be sent (section 7.4).
    private static func closeCode(_ bytes: [UInt8]) throws(Failure) -> UInt16? {
        guard !bytes.isEmpty else { return nil }
        guard bytes.count >= 2 else { throw .invalidFrames }
        let code = UInt16(bigEndianBytes: bytes[..<2])
        guard [1000...1003, 1007...1014, 3000...4999].contains(where: { $0 ~= code }) else { throw .invalidFrames }
        guard bytes.dropFirst(2).withBytes(isUTF8) else { throw .invalidText }
        return code
    }

    private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.allSatisfy({ $0 < 0x80 }) { return true }
        var (decoder, rest) = (UTF8(), bytes.makeIterator())
        while true {
            switch decoder.decode(&rest) {
            case .scalarValue: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }

    /// What has come of a message, and of a control frame, which can come between the frames of a message.
    private struct Payload: ~Copyable {
        /// The room for a message at first. It grows with what comes, and not with what is announced.
        private static let roomByteCount = 1024

        private enum Kind { case text, binary }

        private var kind: Kind?
        private var fragmentCount = 0
        private var message = SecretBuffer(capacity: 0, in: .ordinary)
        private var control: [UInt8] = []

        mutating func begin(
            _ frame: WebSocketFrameHead, textByteLimit: Int, binaryByteLimit: Int
        ) throws(Failure) {
            guard !frame.opcode.isControl else {
                guard frame.isFinal, frame.missingByteCount <= controlByteLimit else { throw .invalidFrames }
                return
            }
            guard (kind == nil) != (frame.opcode == .continuation) else { throw .invalidFrames }
            if frame.opcode != .continuation {
                kind = frame.opcode == .text ? .text : .binary
                fragmentCount = 0
                message = SecretBuffer(capacity: Self.roomByteCount, in: .ordinary)
            }
            fragmentCount += 1
            let byteLimit = isText ? textByteLimit : binaryByteLimit
            guard fragmentCount <= fragmentLimit, frame.missingByteCount <= byteLimit - message.count else {
                throw .tooLong
            }
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer, of opcode: WebSocketFrameHead.Opcode) {
            if opcode.isControl { control += bytes } else { message.append(bytes) }
        }

        mutating func takeControl() -> [UInt8] {
            defer { control = [] }
            return control
        }

        var messageByteCount: Int { message.count }

        var isText: Bool { kind == .text }

        mutating func takeMessage() -> SecretBytes {
            var taken = SecretBuffer(capacity: 0, in: .ordinary)
            swap(&taken, &message)
            kind = nil
            return taken.finish()
        }
    }
}
