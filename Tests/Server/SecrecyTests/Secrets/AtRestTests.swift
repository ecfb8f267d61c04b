import Foundation
import ServerHarness
import Testing

@Suite("Secrets at rest")
struct AtRestTests {
    @Test("A database dump contains no secret in any encoding, and no unkeyed digest that could be brute-forced")
    func dump() async throws {
        let scene = try await Scene.shared.value
        let dump = try await TestCommand.run("pg_dump", [scene.superuserURL]).succeeded().stdout
        #expect(dump.contains("COPY card_companion.cardholder"))
        let found = Search.find(scene.secrets + scene.digests + [scene.control], inText: dump)
        #expect(found == [scene.control.name])
    }

    @Test("The database's files, including the write-ahead log and its log file, contain no secret")
    func files() async throws {
        let scene = try await Scene.shared.value
        _ = try await TestCommand.run("psql", ["-XAtqc", "CHECKPOINT", scene.superuserURL]).succeeded()
        let folder = try await scene.sql("SHOW data_directory").first ?? ""
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/pg_wal")
        #expect(names.contains { $0.count == 24 }, "no write-ahead log in \(folder)")
        let found = try Search.find(scene.secrets + scene.digests + [scene.control], in: [folder])
        #expect(found.keys.sorted() == [scene.control.name])
        let held = found[scene.control.name] ?? []
        #expect(held.contains { $0.contains("/base/") } && held.contains { $0.contains("/pg_wal/") })
    }

    @Test("The data folder contains no secret except the vault's key")
    func dataDirectory() async throws {
        let scene = try await Scene.shared.value
        let found = try Search.find(scene.secrets + scene.digests, in: [scene.installation.dataDirectory])
        #expect(found.isEmpty)
    }
}
