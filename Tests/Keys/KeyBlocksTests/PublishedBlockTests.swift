import Foundation
import KeyBlocks
import Testing

/// A key block that somebody has published, with its source. docs/key-blocks.md lists them.
struct PublishedBlock: Decodable, Sendable, CustomTestStringConvertible {
    let maker: String
    /// A name in ``PublishedBlocks/sources``.
    let source: String
    let block: String
    /// In hex; nil if it is not public.
    let protectionKey: String?
    /// The key inside, in hex, as the source or psec gives it.
    let key: String?
    /// The field that refuses it; nil if it is read.
    let refused: String?
    /// In the words of the page.
    let outcome: String

    var testDescription: String { "\(maker) \(block.prefix(17))" }

    /// Reads the block as `key import` does, and opens it if its protection key is public.
    func read() throws -> SymmetricKey? {
        let block = try KeyBlock(KeyBlockText(block).text)
        guard let protectionKey else { return nil }
        let key: SymmetricKey
        do {
            key = try SymmetricKey(block.header.version.algorithm, hex: protectionKey)
        } catch let error as InvalidKey {
            throw WeakProtectionKey(reason: error)
        }
        return try block.key(under: ProtectionKey(key, .decrypt))
    }

    /// The protection key is one that the server does not import.
    struct WeakProtectionKey: Error { let reason: InvalidKey }
}

struct PublishedBlocks: Decodable, Sendable {
    let sources: [String: String]
    let blocks: [PublishedBlock]

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    static let all = Result {
        try JSONDecoder().decode(
            PublishedBlocks.self, from: Data(contentsOf: folder.appending(path: "Published/blocks.json")))
    }

    /// docs/key-blocks.md.
    static func page() throws -> String {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/key-blocks.md"), encoding: .utf8)
    }
}

@Suite("Published key blocks")
struct PublishedBlockTests {
    @Test("Each is read, or refused for the reason that the page gives")
    func outcomes() throws {
        let blocks = try PublishedBlocks.all.get().blocks
        #expect(blocks.count >= 64)
        for block in blocks { try check(block) }
        #expect(blocks.count { $0.refused == nil && $0.protectionKey != nil } >= 14)
    }

    private func check(_ block: PublishedBlock) throws {
        let name = Comment(rawValue: block.testDescription)
        do {
            let key = try block.read()
            #expect(block.refused == nil, name)
            #expect(key?.text.uppercased() == (block.protectionKey == nil ? nil : block.key), name)
        } catch let error as KeyBlockError {
            #expect(error.field.description == block.refused, "\(name): \(error)")
        } catch is PublishedBlock.WeakProtectionKey {
            #expect(block.refused == KeyBlockError.Field.protectionKey.description, name)
        }
    }

    @Test("The page lists each with its header, outcome and source")
    func page() throws {
        let (published, page) = (try PublishedBlocks.all.get(), try PublishedBlocks.page())
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && $0.contains("`") }
        #expect(rows.count == published.blocks.count)
        for (row, block) in zip(rows, published.blocks) {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let start = block.block.prefix(block.block.hasPrefix("R") ? 17 : 16)
            #expect(cells.count == 4 && cells[0] == block.maker && cells[1].hasPrefix("`\(start)`"), "\(row)")
            #expect(cells.dropFirst(2) == [block.outcome, block.source], "\(row)")
            #expect(block.outcome.hasPrefix("refused: ") == (block.refused != nil), "\(row)")
        }
        for (name, place) in published.sources { #expect(page.contains("- **\(name)**: \(place)"), "\(name)") }
        #expect(Set(published.blocks.map(\.source)) == Set(published.sources.keys))
    }
}
