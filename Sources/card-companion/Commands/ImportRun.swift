import CardCompanion
import Foundation
import Glibc
import SecureMemory

/// Reads a file of cardholders line by line, in constant memory, and tells what becomes of each.
struct ImportRun {
    /// How it ended.
    struct Summary: Sendable {
        var created = 0
        var replaced = 0
        var refused = 0

        var text: String { "\(created) created, \(replaced) replaced, \(refused) refused" }
    }

    private static let chunkByteCount = 65_536

    private var cardholders: CardholderImport
    private let asJSON: Bool
    private var summary = Summary()
    private var progress = ProgressBar(total: 0)

    init(_ cardholders: CardholderImport, asJSON: Bool) {
        self.cardholders = cardholders
        self.asJSON = asJSON
    }

    /// Reads to the end of the file.
    mutating func read(_ file: Int32) async throws -> Summary {
        var status = stat()
        progress = ProgressBar(total: fstat(file, &status) == 0 ? Int(status.st_size) : 0)
        defer { progress.finish() }
        var lines = LineSplitter(byteLimit: CardholderImport.lineByteLimit)
        var bytesRead = 0
        while let chunk = try readChunk(file) {
            bytesRead += chunk.bytes.count
            for line in lines.split(chunk) { try await take(line) }
            progress.update(done: bytesRead, count: summary.created + summary.replaced + summary.refused)
        }
        if let last = lines.finish() { try await take(last) }
        try report(try await cardholders.finish())
        return summary
    }

    private func readChunk(_ file: Int32) throws -> SharedSecret? {
        var failure: Int32 = 0
        let bytes = SecretBytes(capacity: Self.chunkByteCount) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            failure = count < 0 ? errno : 0
            return max(count, 0)
        }
        guard failure == 0 else {
            throw CommandError.refused("the file cannot be read on: \(String(cString: strerror(failure)))")
        }
        return bytes.count == 0 ? nil : SharedSecret(bytes)
    }

    private mutating func take(_ line: LineSplitter.Line) async throws {
        switch line {
        case .whole(let secret): try report(try await cardholders.add(line: secret.bytes.copy()))
        case .tooLong: try report([cardholders.refuseOverlongLine()])
        }
    }

    private mutating func report(_ results: [CardholderImport.Result]) throws {
        for result in results {
            switch result.outcome {
            case .created: summary.created += 1
            case .replaced: summary.replaced += 1
            case .refused(let error):
                summary.refused += 1
                if !asJSON {
                    progress.finish()
                    Terminal.note("line \(result.line): \(error)")
                }
            }
            if asJSON { print(try Terminal.encode(Report(result))) }
        }
    }

    private struct Report: Encodable {
        let line: Int
        let uniqueId: String?
        let result: String
        let error: String?

        init(_ result: CardholderImport.Result) {
            line = result.line
            uniqueId = result.uniqueId
            switch result.outcome {
            case .created: (self.result, error) = ("created", nil)
            case .replaced: (self.result, error) = ("replaced", nil)
            case .refused(let reason): (self.result, error) = ("refused", "\(reason)")
            }
        }
    }
}

/// Cuts what comes in chunks into lines; of a line beyond the limit only the fact is kept.
struct LineSplitter {
    enum Line {
        case whole(SharedSecret)
        case tooLong
    }

    private let byteLimit: Int
    private var parts: [SharedSecret] = []
    private var count = 0

    init(byteLimit: Int) {
        self.byteLimit = byteLimit
    }

    /// The lines that end in this chunk.
    mutating func split(_ chunk: SharedSecret) -> [Line] {
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
    mutating func finish() -> Line? {
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
