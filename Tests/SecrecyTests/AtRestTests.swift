import Foundation
import ServerHarness
import Testing

@Suite("Secrets at rest")
struct AtRestTests {
    @Test("A dump of the database holds none of them, in no form, nor a bare digest that could be tried out")
    func dump() async throws {
        let scene = try await Scene.shared.value
        let dump = try await TestCommand.run("pg_dump", [scene.superuserURL]).succeeded().stdout
        #expect(dump.contains("COPY public.cardholder"))
        let found = Search.find(scene.secrets + scene.digests + [scene.control], inText: dump)
        #expect(found == [scene.control.name])
    }

    @Test("The database's files, with its write-ahead log and its own log, hold none either")
    func files() async throws {
        let scene = try await Scene.shared.value
        _ = try await TestCommand.run("psql", ["-XAtqc", "CHECKPOINT", scene.superuserURL]).succeeded()
        let folder = try await scene.sql("SHOW data_directory").first ?? ""
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/pg_wal")
        #expect(names.contains { $0.count == 24 }, "there is no write-ahead log at \(folder)")
        let found = try Search.find(scene.secrets + scene.digests + [scene.control], in: [folder])
        #expect(found.keys.sorted() == [scene.control.name])
        let held = found[scene.control.name] ?? []
        #expect(held.contains { $0.contains("/base/") } && held.contains { $0.contains("/pg_wal/") })
    }

    @Test("The installation's own folder holds the vault's key and no other secret")
    func dataDirectory() async throws {
        let scene = try await Scene.shared.value
        let found = try Search.find(scene.secrets + scene.digests, in: [scene.installation.dataDirectory])
        #expect(found.isEmpty)
    }
}
