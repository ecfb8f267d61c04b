import Crypto
import Foundation
import ServerHarness
import Testing

/// Lines that are generated on demand, in pieces of `perPiece` lines.
struct Lines: Sequence, Sendable {
    let count: Int
    let perPiece: Int
    let line: @Sendable (_ number: Int) -> String

    init(count: Int, perPiece: Int, line: @escaping @Sendable (_ number: Int) -> String) {
        self.count = count
        self.perPiece = perPiece
        self.line = line
    }

    func makeIterator() -> some IteratorProtocol<[UInt8]> {
        stride(from: 0, to: count, by: perPiece).lazy.map { start in
            Array((start..<Swift.min(start + perPiece, count)).map(line).joined().utf8)
        }.makeIterator()
    }

    var contentDigest: String {
        var hash = SHA256()
        for piece in self { hash.update(data: piece) }
        return "sha-256=:\(Data(hash.finalize()).base64EncodedString()):"
    }
}

/// Sends a body in parts over one connection.
struct Sender {
    private(set) var sentByteCount = 0
    private var pieces: [[UInt8]].Iterator
    private var piece: ArraySlice<UInt8> = []

    /// After this many pauses without progress, the server counts as stalled.
    private static let pauses = 100
    private static let pause = Duration.milliseconds(30)

    init(_ lines: Lines) {
        pieces = Array(lines).makeIterator()
    }

    /// Sends until the server stops reading.
    mutating func sendUntilStalled(_ connection: SocketConnection) async throws {
        var stalled = 0
        while stalled < Self.pauses, fill() {
            if try send(connection) > 0 {
                stalled = 0
            } else {
                stalled += 1
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Sends the rest and reads at the same time; returns all received bytes.
    mutating func sendRestAndRead(_ connection: SocketConnection) async throws -> [UInt8] {
        var answer: [UInt8] = []
        while true {
            let sent = fill() ? try send(connection) : 0
            guard let received = try connection.receive() else { return answer }
            answer += received
            if sent == 0, received.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private mutating func fill() -> Bool {
        if piece.isEmpty { piece = pieces.next()?[...] ?? [] }
        return !piece.isEmpty
    }

    private mutating func send(_ connection: SocketConnection) throws -> Int {
        let count = try connection.send(piece)
        piece = piece.dropFirst(count)
        sentByteCount += count
        return count
    }
}

extension TestServer {
    /// The resident memory of the process, in bytes (VmRSS).
    func residentBytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }
}
