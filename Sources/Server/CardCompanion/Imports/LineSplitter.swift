package import SecureMemory

/// Splits chunks of bytes into lines. It drops the content of a line over the limit.
package struct LineSplitter: Sendable {
    /// A line, without its end.
    package enum Line: Sendable {
        case whole(SharedSecret)
        case tooLong
    }

    private let byteLimit: Int
    private var parts: [SharedSecret] = []
    private var count = 0

    /// The kept bytes of the unfinished line.
    var heldByteCount: Int { parts.reduce(0) { $0 + $1.bytes.count } }

    /// - Parameter byteLimit: the longest line.
    package init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The lines that end in this chunk.
    package mutating func split(_ chunk: SharedSecret) -> [Line] {
        var lines: [Line] = []
        var start = 0
        while start < chunk.bytes.count {
            let end = chunk.bytes.withBytes { Self.lineEnd(in: $0, from: start) }
            hold(chunk, start..<(end ?? chunk.bytes.count))
            guard let end else { break }
            lines.append(takeLine())
            start = end + 1
        }
        return lines
    }

    /// A loop over indexes is fast without optimization too.
    private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\n") { return index }
            index += 1
        }
        return nil
    }

    /// The last line, if it has no line break.
    package mutating func finish() -> Line? {
        count == 0 ? nil : takeLine()
    }

    private mutating func hold(_ chunk: SharedSecret, _ range: Range<Int>) {
        count += range.count
        guard count <= byteLimit else {
            parts = []
            return
        }
        parts.append(
            SharedSecret(
                chunk.bytes.withBytes {
                    SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[range]), in: .ordinary)
                }))
    }

    private mutating func takeLine() -> Line {
        defer { (parts, count) = ([], 0) }
        guard count <= byteLimit else { return .tooLong }
        var line = SecretBuffer(capacity: count, in: .ordinary)
        for part in parts { line.append(part.bytes) }
        return .whole(SharedSecret(line.finish()))
    }
}
