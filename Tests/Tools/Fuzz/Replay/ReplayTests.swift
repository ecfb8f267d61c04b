import Foundation
import FuzzedParsers
import Testing

/// The inputs of Tests/Tools/Fuzz: those that the fuzzer begins with, and those that once were a fault.
@Suite("Replay of the fuzzer's inputs")
struct ReplayTests {
    @Test("Each parser reads its inputs without a crash", arguments: HostileParser.allCases)
    func replay(_ parser: HostileParser) throws {
        let inputs = try inputs(of: parser, in: "corpus")
        #expect(inputs.count >= 3, "a parser needs some inputs to begin with")
        for input in inputs + (try self.inputs(of: parser, in: "regressions")) {
            parser.read(input)
            // Cut off, and followed by more.
            for count in stride(from: 0, to: input.count, by: max(1, input.count / 16)) {
                parser.read(Array(input.prefix(count)))
            }
            parser.read(input + input)
        }
    }

    @Test("Each folder of inputs belongs to a parser", arguments: ["corpus", "regressions"])
    func folders(_ kind: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder(kind).path)
        #expect(Set(names).isSubset(of: HostileParser.allCases.map(\.rawValue) + ["README.md"]))
    }

    private func inputs(of parser: HostileParser, in kind: String) throws -> [[UInt8]] {
        let folder = folder(kind).appending(path: parser.rawValue)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.map { Array(try Data(contentsOf: $0)) }
    }

    private func folder(_ kind: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: kind)
    }
}
