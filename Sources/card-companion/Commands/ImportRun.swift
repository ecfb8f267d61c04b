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
    private var progress = ProgressBar(total: nil)

    init(_ cardholders: CardholderImport, asJSON: Bool) {
        self.cardholders = cardholders
        self.asJSON = asJSON
    }

    /// Reads to the end of the file, then writes what was good.
    mutating func read(_ file: Int32) async throws -> Summary {
        do {
            try await readLines(file)
            try await write()
            return summary
        } catch {
            try? await cardholders.discard()
            throw error
        }
    }

    private mutating func write() async throws {
        progress = ProgressBar(total: cardholders.stagedCount)
        defer { progress.finish() }
        while case let results = try await cardholders.merge(), !results.isEmpty {
            try report(results)
            let done = summary.created + summary.replaced
            progress.update(done: done, count: done)
        }
    }

    private mutating func readLines(_ file: Int32) async throws {
        var status = stat()
        let isFile = fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        progress = ProgressBar(total: isFile ? Int(status.st_size) : nil)
        defer { progress.finish() }
        var lines = LineSplitter(byteLimit: CardholderImport.lineByteLimit)
        var bytesRead = 0
        while let chunk = try readChunk(file) {
            bytesRead += chunk.bytes.count
            for line in lines.split(chunk) { try report(try await cardholders.add(line)) }
            progress.update(done: bytesRead, count: cardholders.lineCount)
        }
        if let last = lines.finish() { try report(try await cardholders.add(last)) }
        try report(try await cardholders.finish())
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
            if asJSON { print(try Terminal.encode(result)) }
        }
    }
}
