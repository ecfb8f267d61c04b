public import SecureMemory

/// Cuts what comes in chunks into lines; of a line beyond the limit only the fact is kept.
public struct LineSplitter: Sendable {
    /// A line, without its end.
    public enum Line: Sendable {
        case whole(SharedSecret)
        case tooLong
    }

    private let byteLimit: Int
    private var parts: [SharedSecret] = []
    private var count = 0

    /// How many bytes are held of the line that has not ended.
    var heldByteCount: Int { parts.reduce(0) { $0 + $1.bytes.count } }

    /// - Parameter byteLimit: the longest line that is kept.
    public init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The lines that end in this chunk.
    public mutating func split(_ chunk: SharedSecret) -> [Line] {
        var lines: [Line] = []
        var start = 0
        while start < chunk.bytes.count {
            let end = chunk.bytes.withBytes { $0[start...].firstIndex(of: UInt8(ascii: "\n")) }
            hold(chunk, start..<(end ?? chunk.bytes.count))
            guard let end else { break }
            lines.append(takeLine())
            start = end + 1
        }
        return lines
    }

    /// The last line, where it has no line break.
    public mutating func finish() -> Line? {
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
                chunk.bytes.withBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }))
    }

    private mutating func takeLine() -> Line {
        defer { (parts, count) = ([], 0) }
        guard count <= byteLimit else { return .tooLong }
        var line = SecretBuffer(capacity: count)
        for part in parts { line.append(part.bytes) }
        return .whole(SharedSecret(line.finish()))
    }
}
