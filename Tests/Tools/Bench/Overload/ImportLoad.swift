import Foundation
import ServerHarness

/// Imports the same cardholders again and again, while something else is measured.
struct ImportLoad {
    let service: BenchService
    private let file: String
    /// Few enough that several imports end within a step.
    private static let lines = 5_000
    private static let pauseSeconds = 1.0

    init(_ service: BenchService) async throws {
        self.service = service
        file = try await BenchService.importFile(Self.lines, service.bank.id, service.ecKey)
    }

    /// Begins no import after some seconds.
    ///
    /// - Returns: the lines per second that were written.
    func run(seconds: Double) async throws -> Double {
        let start = Nanoseconds.now()
        var elapsed: Double { Double(Nanoseconds.now() - start) / 1e9 }
        var written = 0
        while elapsed < seconds {
            if try await importOnce() {
                written += Self.lines
            } else {
                try await Task.sleep(for: .seconds(Self.pauseSeconds))
            }
        }
        return Double(written) / elapsed
    }

    /// - Returns: false if the server was too busy.
    private func importOnce() async throws -> Bool {
        let call = try await ImportCall(file, service)
        let tls = service.usesTLS ? try TLSSession(TLSSession.clientContext()) : nil
        let connection = try Connection(port: service.server.port, tls)
        let fields =
            [("Host", RequestBatch.host), ("Connection", "close"), ("Transfer-Encoding", "chunked")] + call.fields
        let lines = fields.map { "\($0): \($1)\r\n" }.joined()
        // A server that refuses reads no further: its answer says why.
        try? send("\(call.method) \(call.path) HTTP/1.1\r\n\(lines)\r\n", call.pieces, to: connection)
        let answer = String(decoding: try connection.receiveToEnd(), as: UTF8.self)
        if answer.contains("\"committed\":true") { return true }
        guard answer.isEmpty || answer.hasPrefix("HTTP/1.1 503") else {
            throw LoadFailed(description: "an import failed: \(answer.prefix(600))")
        }
        return false
    }

    private func send(_ head: String, _ pieces: FilePieces, to connection: Connection) throws {
        try send(Array(head.utf8), to: connection)
        for piece in pieces {
            try send(Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8), to: connection)
        }
        try send(Array("0\r\n\r\n".utf8), to: connection)
    }

    private func send(_ bytes: [UInt8], to connection: Connection) throws {
        try bytes.withUnsafeBytes { try connection.send($0) }
    }
}
