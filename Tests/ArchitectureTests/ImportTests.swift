import Foundation
import Testing

@Suite("Architecture")
struct ImportTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let sources = root.appending(path: "Sources")

    /// The modules with Swift sources.
    private static func modules() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { try !imports(of: $0).isEmpty || !files(of: $0).isEmpty }
    }

    private static func files(of module: String) throws -> [URL] {
        let folder = sources.appending(path: module)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".swift") }.map { folder.appending(path: $0) }
    }

    private static func imports(of module: String) throws -> Set<String> {
        let pattern = /^(?:(?:package|public|internal|private) )?import (\w+)/.anchorsMatchLineEndings()
        return try files(of: module).reduce(into: []) { imports, file in
            let text = try String(contentsOf: file, encoding: .utf8)
            imports.formUnion(text.matches(of: pattern).map { String($0.output.1) })
        }
    }

    /// The table under "Imports" in docs/architecture.md: the imports of each module.
    private static func documented() throws -> [String: Set<String>] {
        let text = try String(contentsOf: root.appending(path: "docs/architecture.md"), encoding: .utf8)
        let table =
            text.components(separatedBy: "\n## Imports\n").dropFirst().first?
            .components(separatedBy: "\n## ").first ?? ""
        var modules: [String: Set<String>] = [:]
        for line in table.split(separator: "\n").drop(while: { !$0.hasPrefix("|---") }).dropFirst() {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3 else { continue }
            let names = (cells[1] + ", " + cells[2]).components(separatedBy: ", ")
            modules[cells[0]] = Set(names).subtracting(["–"])
        }
        return modules
    }

    @Test("docs/architecture.md lists every module and exactly its imports")
    func table() throws {
        let documented = try Self.documented()
        #expect(try documented.keys.sorted() == Self.modules().sorted())
        for (module, imports) in documented {
            #expect(try Self.imports(of: module).sorted() == imports.sorted(), "\(module)")
        }
    }

    @Test("The domain imports no HTTP, no sockets, no SQL and no C")
    func domain() throws {
        let forbidden: Set = [
            "AsyncHTTPClient", "Glibc", "Hummingbird", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "PostgresLibPQ",
            "Foundation", "COpenSSL", "CLibPQ", "CCairo", "CZlib", "CLinux",
        ]
        #expect(try Self.imports(of: "CardCompanion").isDisjoint(with: forbidden))
    }

    @Test("The libraries for apps use nothing that needs a later iOS than 15")
    func client() throws {
        for module in ["CardCompanionAPI", "CardCompanionSDK", "EIDInterface", "EIDWorkflow"] {
            #expect(try Self.imports(of: module).isDisjoint(with: ["Synchronization", "Observation", "RegexBuilder"]))
            for file in try Self.files(of: module) {
                // Comments may name them.
                let code = try String(contentsOf: file, encoding: .utf8)
                    .replacing(/\/\/.*/, with: "")
                let pattern =
                    /\b(Mutex|Atomic|Duration|ContinuousClock|SuspendingClock|Regex|Span|InlineArray)\b|sleep\(for|filePath:/
                let later = code.matches(of: pattern)
                #expect(later.isEmpty, "\(file.lastPathComponent): \(later.map(\.output.0))")
            }
        }
    }

    @Test("Only the store imports the PostgreSQL client")
    func postgres() throws {
        let importers = try Self.modules().filter { try Self.imports(of: $0).contains("PostgresLibPQ") }
        #expect(importers == ["CardCompanionStore"])
    }
}
