import ServerHarness

/// Requests, as the bytes that are sent.
struct RequestBatch: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    var count: Int { ends.count }

    /// The mean length of a request.
    var meanByteCount: Int { count == 0 ? 0 : bytes.count / count }

    mutating func append(
        _ method: String, _ path: String, headers: [(name: String, value: String)] = [], body: [UInt8]
    ) {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: \(Self.host)\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        bytes += Array("\(head)\r\n".utf8) + body
        ends.append(bytes.count)
    }

    mutating func post(_ path: String, _ members: [String: JSON]) {
        append(
            "POST", path, headers: [("Content-Type", "application/json")], body: Array(JSON.object(members).text.utf8))
    }

    /// Appends some of another batch's requests.
    mutating func append(_ other: RequestBatch, _ range: Range<Int>) {
        for index in range {
            other.withRequest(index) { bytes += Array($0) }
            ends.append(bytes.count)
        }
    }

    mutating func append(_ other: RequestBatch) {
        let offset = bytes.count
        bytes += other.bytes
        ends += other.ends.map { $0 + offset }
    }

    /// Requests from `range`, without copying the rest.
    func part(_ range: Range<Int>) -> RequestBatch {
        let start = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
        var part = RequestBatch()
        part.ends = ends[range].map { $0 - start }
        part.bytes = Array(bytes[start..<(start + (part.ends.last ?? 0))])
        return part
    }

    func withRequest<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { all in
            try body(UnsafeRawBufferPointer(rebasing: all[(index == 0 ? 0 : ends[index - 1])..<ends[index]]))
        }
    }

    /// The name that back-ends sign.
    static let host = "bench.example"
}
