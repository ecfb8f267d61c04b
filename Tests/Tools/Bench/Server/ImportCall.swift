import Crypto
import Foundation
import ServerHarness

/// A signed call that imports a file of cardholders.
struct ImportCall {
    let method: String
    let path: String
    /// The header's fields that say who calls, and what the body is.
    let fields: [(name: String, value: String)]
    let pieces: FilePieces

    init(_ file: String, _ service: BenchService) async throws {
        pieces = FilePieces(path: file)
        var hash = SHA256()
        for piece in pieces { hash.update(data: piece) }
        var call = IssuerCall("POST", "/v1/banks/\(service.bank.id)/cardholders:import")
        call.authority = RequestBatch.host
        call.components.append("content-digest")
        call.digest = .value("sha-256=:\(Data(hash.finalize()).base64EncodedString()):")
        call.headers = [("Content-Type", "application/x-ndjson")]
        (method, path) = (call.method, call.path)
        fields = try call.signedFields(service.issuer, for: service.server)
    }
}

/// The bytes of a file, in pieces.
struct FilePieces: Sequence, Sendable {
    let path: String
    private static let byteCount = 1 << 16

    func makeIterator() -> AnyIterator<[UInt8]> {
        let file = FileHandle(forReadingAtPath: path)
        return AnyIterator {
            guard let piece = try? file?.read(upToCount: Self.byteCount), !piece.isEmpty else { return nil }
            return Array(piece)
        }
    }
}
