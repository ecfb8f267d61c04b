import Foundation
import ServerHarness

/// A byte string that must be somewhere, or nowhere.
struct Needle: Sendable {
    /// What it is, for who reads a failure.
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

/// Looks for any number of byte strings in one passage over the data.
///
/// Pages of zeros, of which a core has very many, are passed over: no needle begins with four zeros.
struct Search {
    private static let pageByteCount = 4096
    private static let tableBits: UInt32 = 20

    private let needles: [Needle]
    /// By their first four bytes.
    private let byBeginning: [UInt32: [Int]]
    /// Whether a needle may begin with a word, by the word's hash.
    private let mayBegin: [Bool]

    init(_ needles: [Needle]) {
        var byBeginning: [UInt32: [Int]] = [:]
        var mayBegin = [Bool](repeating: false, count: 1 << Self.tableBits)
        for (index, needle) in needles.enumerated() {
            precondition(needle.bytes.count >= 4, "a needle is too short to mean anything: \(needle.name)")
            let word = needle.bytes.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            precondition(word != 0, "a needle begins with zeros: \(needle.name)")
            byBeginning[word, default: []].append(index)
            mayBegin[Self.hash(word)] = true
        }
        (self.needles, self.byBeginning, self.mayBegin) = (needles, byBeginning, mayBegin)
    }

    /// The needles that the files, and all files in the folders, hold; with the names of the files.
    static func find(_ needles: [Needle], in paths: [String]) throws -> [String: [String]] {
        let search = Search(needles)
        var found: [String: [String]] = [:]
        for path in paths.flatMap(files) {
            let contents = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
            for name in search.names(in: contents) { found[name, default: []].append(path) }
        }
        return found
    }

    /// The needles that a text holds.
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

    /// A loop of nothing but integers and pointers, which is fast in a debug build too.
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
