import Foundation
import PythonOracle
import Testing

@Suite(
    "Test vectors in Python", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PythonTests {
    private static let generated = [
        "bindings", "defined-pins", "delivered-pins", "keypads", "macs", "negative", "signatures", "thumbprints",
        "tokens",
    ]
    /// Recorded by `SessionVectorTests`.
    private static let recorded = ["documents"]

    @Test("cryptography, jwcrypto and the standard library confirm every vector", arguments: generated + recorded)
    func check(_ file: String) async throws {
        let answers = try await PythonOracle(script: "Oracles/check_vectors.py").ask(file)
        #expect(answers.filter { $0.value != "ok" } == [:])
        #expect(Set(answers.keys) == (try Self.names(in: file)))
    }

    @Test("The generator reproduces the committed files byte for byte")
    func generator() async throws {
        let answers = try await PythonOracle(script: "Oracles/make_vectors.py").ask("compare")
        #expect(answers == Dictionary(uniqueKeysWithValues: Self.generated.map { ($0, "true") }))
    }

    @Test("The folder contains no other files")
    func noOtherFiles() throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: VectorFile.folder.path)
        #expect(found.sorted() == ((Self.generated + Self.recorded).map { "\($0).json" } + ["README.md"]).sorted())
    }

    /// The names that the script must answer for: `list: name` of each key, vector and case.
    private static func names(in file: String) throws -> Set<String> {
        let lists = try VectorFile.read(file, as: Names.self).get().lists
        return Set(lists.flatMap { list, names in names.map { "\(list): \($0)" } })
    }
}

/// The names of all elements in a file's lists.
private struct Names: Decodable {
    let lists: [String: [String]]

    private struct Named: Decodable {
        let name: String
    }

    private struct ListName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ListName.self)
        var lists: [String: [String]] = [:]
        for key in container.allKeys where key.stringValue != "about" {
            lists[key.stringValue] = try container.decode([Named].self, forKey: key).map(\.name)
        }
        self.lists = lists
    }
}
