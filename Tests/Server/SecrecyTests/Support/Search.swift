import Foundation
import ServerHarness

/// A byte string to search for.
struct Needle: Sendable {
    /// Its description, for test failures.
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: some Sequence<UInt8>) {
        self.name = name
        self.bytes = Array(bytes)
    }

    init(_ name: String, _ text: String) {
        self.init(name, text.utf8)
    }
}

/// Searches for many byte strings in one pass over the data.
///
/// Skips pages of zeros, because core dumps have very many. Therefore no needle can start with four zeros.
struct Search {
    private static let pageByteCount = 4096
    private static let tableBits: UInt32 = 20

    private let needles: [Needle]
    /// The indexes of the needles, by their first four bytes.
    private let byBeginning: [UInt32: [Int]]
    /// Whether a needle can start with a word, by the word's hash.
    private let mayBegin: [Bool]

    init(_ needles: [Needle]) {
        var byBeginning: [UInt32: [Int]] = [:]
        var mayBegin = [Bool](repeating: false, count: 1 << Self.tableBits)
        for (index, needle) in needles.enumerated() {
            precondition(needle.bytes.count >= 4, "a needle must have at least four bytes: \(needle.name)")
            let word = needle.bytes.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            precondition(word != 0, "a needle must not start with four zeros: \(needle.name)")
            byBeginning[word, default: []].append(index)
            mayBegin[Self.hash(word)] = true
        }
        (self.needles, self.byBeginning, self.mayBegin) = (needles, byBeginning, mayBegin)
    }

    /// The names of the needles found in the files, and in all files in the folders, each with the paths of those files.
    static func find(_ needles: [Needle], in paths: [String]) throws -> [String: [String]] {
        let search = Search(needles)
        var found: [String: [String]] = [:]
        for path in paths.flatMap(files) {
            let contents = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            for name in search.names(in: contents) { found[name, default: []].append(path) }
        }
        return found
    }

    /// The names of the needles found in a text.
    static func find(_ needles: [Needle], inText text: String) -> Set<String> {
        Search(needles).names(in: Data(text.utf8))
    }

    private static func files(at path: String) -> [String] {
        let manager = FileManager.default
        let names = (try? manager.subpathsOfDirectory(atPath: path)) ?? []
        return ([path] + names.map { "\(path)/\($0)" }).filter { path in
            (try? manager.attributesOfItem(atPath: path)).map { $0[.type] as? FileAttributeType == .typeRegular }
                ?? false
        }
    }

    private func names(in data: Data) -> Set<String> {
        var found: Set<Int> = []
        data.withUnsafeBytes { (buffer: UnsafeRawBufferPointer) in
            guard let base = buffer.baseAddress, buffer.count >= 4 else { return }
            mayBegin.withUnsafeBufferPointer { table in
                guard let table = table.baseAddress else { return }
                find(in: base.assumingMemoryBound(to: UInt8.self), buffer.count, table, &found)
            }
        }
        return Set(found.map { needles[$0].name })
    }

    /// Uses only integers and pointers, so that it is fast without optimization too.
    private func find(
        in bytes: UnsafePointer<UInt8>, _ count: Int, _ table: UnsafePointer<Bool>, _ found: inout Set<Int>
    ) {
        let zeros = [UInt8](repeating: 0, count: Self.pageByteCount)
        var word: UInt32 = 0
        var end = 0
        while end < count {
            if end % Self.pageByteCount == 0, word == 0, end + Self.pageByteCount <= count,
                memcmp(bytes + end, zeros, Self.pageByteCount) == 0
            {
                end += Self.pageByteCount
                continue
            }
            word = word >> 8 | UInt32(bytes[end]) << 24
            end += 1
            if table[Self.hash(word)], end >= 4 { check(bytes + (end - 4), count - (end - 4), word, &found) }
        }
    }

    private func check(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ word: UInt32, _ found: inout Set<Int>) {
        for index in byBeginning[word] ?? [] {
            let needle = needles[index].bytes
            if needle.count <= count, memcmp(bytes, needle, needle.count) == 0 { found.insert(index) }
        }
    }

    private static func hash(_ word: UInt32) -> Int {
        Int((word &* 0x9E37_79B1) >> (32 - tableBits))
    }
}

/// The rows of pixels of PNG images, as indexes into their palette.
enum Pixels {
    static func rows(of images: [[UInt8]]) async throws -> [[UInt8]] {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Oracles/pixels.py").path
        let question: JSON = ["images": .array(images.map { .string(Hex.encode($0)) })]
        let answer = try await TestCommand.run("python3", [script], stdin: question.text).succeeded().stdout
        return try JSON(parsing: answer).object?["rows"]?.array?.compactMap { $0.string.map(bytes) } ?? []
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.map { UInt8($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
