/// Reads a file of a chip, one command after the other: SELECT, READ BINARY of the header, READ BINARY of the rest.
package struct FileReading: Sendable {
    /// The longest offset of READ BINARY with an even instruction.
    package static let longestFileByteCount = 0x7FFF
    private static let headerByteCount = 4

    package enum Step: Sendable {
        case command(CommandAPDU)
        case file(Octets)
        /// Why the file cannot be read.
        case failed(String)
    }

    private enum State: Sendable {
        case selecting
        case readingHeader
        case reading(total: Int)
    }

    private let file: FileName
    /// The most that one READ BINARY asks for.
    private let chunkByteCount: Int
    private let byteCountLimit: Int
    private var state = State.selecting
    private var parts: [Octets] = []
    private var asked = 0

    /// - Parameters:
    ///   - chunkByteCount: the most that one command asks for.
    ///   - byteCountLimit: a longer file is not read.
    package init(_ file: FileName, chunkByteCount: Int, byteCountLimit: Int = longestFileByteCount) {
        self.file = file
        self.chunkByteCount = chunkByteCount
        self.byteCountLimit = min(byteCountLimit, Self.longestFileByteCount)
    }

    /// SELECT by file identifier, without an answer (Doc 9303-10 section 3.6.2).
    package var first: CommandAPDU {
        CommandAPDU(instruction: 0xA4, p1: 0x02, p2: 0x0C, data: file.identifier)
    }

    /// Takes the answer to the last command.
    package mutating func receive(_ response: ResponseAPDU) -> Step {
        switch state {
        case .selecting:
            guard response.status == .success else { return .failed("SELECT ended with \(response.status)") }
            state = .readingHeader
            return read(upTo: Self.headerByteCount)
        case .readingHeader:
            if let problem = append(response) { return .failed(problem) }
            guard count >= Self.headerByteCount else { return read(upTo: Self.headerByteCount) }
            guard let total = total(), total <= byteCountLimit else {
                return .failed("the file has another tag or is too long")
            }
            state = .reading(total: total)
            return next(total)
        case .reading(let total):
            if let problem = append(response) { return .failed(problem) }
            return next(total)
        }
    }

    private var count: Int { parts.reduce(0) { $0 + $1.count } }

    private mutating func append(_ response: ResponseAPDU) -> String? {
        guard response.status == .success || response.status == .endOfFile else {
            return "READ BINARY ended with \(response.status)"
        }
        guard 1...asked ~= response.data.count else { return "READ BINARY gave \(response.data.count) bytes" }
        parts.append(response.data)
        return nil
    }

    /// The length of the file, from its header.
    private func total() -> Int? {
        let header = Octets(joining: parts)
        guard let tag = try? TLVReader.tag(at: header), tag == file.tag,
            let length = try? TLVReader.length(at: header, after: tag), let contentCount = length.contentCount
        else { return nil }
        return length.headerCount + contentCount
    }

    private mutating func next(_ total: Int) -> Step {
        count < total
            ? read(upTo: total) : count == total ? .file(Octets(joining: parts)) : .failed("the file is too long")
    }

    private mutating func read(upTo end: Int) -> Step {
        asked = min(end - count, chunkByteCount)
        return .command(
            CommandAPDU(
                instruction: 0xB0, p1: UInt8(count >> 8), p2: UInt8(truncatingIfNeeded: count), expectedCount: asked))
    }
}
