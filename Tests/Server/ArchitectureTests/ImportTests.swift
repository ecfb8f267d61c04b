import Foundation
import Testing

@Suite("Architecture")
struct ImportTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let sources = root.appending(path: "Sources")

    /// The folders of the modules with Swift sources, by name. They are in groups.
    private static let folders = Result {
        try folders(in: sources).flatMap { try folders(in: $0) }
            .filter { folder in try files(in: folder).contains { $0.pathExtension == "swift" } }
            .reduce(into: [:]) { $0[$1.lastPathComponent] = $1 }
    }

    /// Those with anything but what Python leaves behind.
    private static func folders(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
            .filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
            .filter { try files(in: $0).contains { !["", "pyc"].contains($0.pathExtension) } }
    }

    private static func files(in folder: URL) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appending(path: $0) }
    }

    private static func modules() throws -> [String] { Array(try folders.get().keys) }

    private static func files(of module: String) throws -> [URL] {
        try files(in: #require(folders.get()[module])).filter { $0.pathExtension == "swift" }
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

    @Test("Each group says what each of its modules is for", arguments: ["Sources", "Tests"])
    func groups(root: String) throws {
        let groups = try Self.folders(in: Self.root.appending(path: root))
        #expect((2...8).contains(groups.count))
        for group in groups {
            let modules = try Self.folders(in: group)
            #expect(modules.count > 1, "\(group.path)")
            let text = try String(contentsOf: group.appending(path: "README.md"), encoding: .utf8)
            guard root == "Sources" else { continue }
            for module in modules {
                #expect(text.contains("`\(module.lastPathComponent)`"), "\(module.path) in its group's README")
            }
        }
    }

    @Test(
        "A group imports only the groups below it",
        arguments: [
            "Documents": ["Keys", "StrictJSON"], "Keys": ["StrictJSON", "System"],
            "Foundations": ["SecureMemory", "System"], "EID": ["SecureMemory", "StrictJSON"],
            "Clients": ["CardCompanionAPI"], "System": [],
        ])
    func groupsBelow(group: String, others: [String]) throws {
        let folders = try Self.folders.get()
        let allowed = Set(others + [group])
        let members = folders.filter { $0.value.deletingLastPathComponent().lastPathComponent == group }.keys
        for module in members {
            for imported in try Self.imports(of: module) {
                guard let folder = folders[imported] else { continue }
                let place = folder.deletingLastPathComponent().lastPathComponent
                #expect(allowed.contains(imported) || allowed.contains(place), "\(module) imports \(imported)")
            }
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

    @Test("The model imports nothing: its values need neither PostgreSQL nor C")
    func model() throws {
        #expect(try Self.imports(of: "CardCompanionModel") == [])
    }

    @Test("The server's program contains nothing that plays a bank, a phone or a chip")
    func production() throws {
        var modules: Set<String> = ["card-companion"]
        var found = modules
        while let module = found.popFirst() {
            let imports = try Self.imports(of: module).intersection(Self.modules())
            found.formUnion(imports.subtracting(modules))
            modules.formUnion(imports)
        }
        #expect(modules.contains("CardCompanionStore"))
        #expect(modules.filter { $0.contains("Simulation") || $0.contains("andbox") } == [])
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

    /// ArgumentParser would find out all names at each start, which takes 10 ms.
    @Test("Every command says its name")
    func commandNames() throws {
        let unnamed = /CommandConfiguration\(\s*(?!commandName:)[a-z]/
        var count = 0
        for module in try Self.modules() {
            for file in try Self.files(of: module) {
                let text = try String(contentsOf: file, encoding: .utf8)
                count += text.matches(of: /CommandConfiguration\(/).count
                #expect(text.firstMatch(of: unnamed) == nil, "\(file.path)")
            }
        }
        #expect(count > 50)
    }
}
