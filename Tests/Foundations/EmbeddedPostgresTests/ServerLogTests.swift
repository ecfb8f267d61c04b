import Foundation
import SystemPackage
import Testing

@testable import EmbeddedPostgres

@Suite(.serialized) struct ServerLogTests {
    @Test func `A log above its limit is emptied while the server runs, and its end is kept`() async throws {
        try await TestServer.with { server in
            let log = try await server.use { _ in
                let log = try await server.cluster.log
                let handle = try #require(FileHandle(forWritingAtPath: log.path.string))
                try handle.seekToEnd()
                let line = Data((String(repeating: "x", count: 1023) + "\n").utf8)
                for _ in 0...Int(ServerLog.limitBytes) / line.count { try handle.write(contentsOf: line) }
                try handle.write(contentsOf: Data("the last line\n".utf8))
                try handle.close()
                log.trim()
                #expect(log.byteCount == 0)
                #expect(try TextFile.read(FilePath("\(log.path).1"))?.hasSuffix("the last line\n") == true)
                return log
            }
            #expect(log.tail().hasSuffix("database system is shut down"))
            #expect(!log.tail().contains("\0"))
        }
    }

    @Test func `A log within its limit is not changed`() async throws {
        try await TestServer.with { server in
            try await server.use { _ in
                let log = try await server.cluster.log
                let before = log.byteCount
                log.trim()
                #expect(before > 0 && log.byteCount == before)
            }
        }
    }

    @Test func `No value of a statement reaches the log`() async throws {
        try await TestServer.with { server in
            try await server.use { postgres in
                let failures = [
                    "SELECT 'marker-4711'::int", "SELECT 'marker-4711' FROM nowhere",
                    "CREATE TABLE t (a text PRIMARY KEY); INSERT INTO t VALUES ('marker-4711'), ('marker-4711')",
                    "CREATE TABLE u (a text CHECK (a = '')); INSERT INTO u VALUES ('marker-4711')",
                    "PREPARE p(text) AS SELECT $1::int; EXECUTE p('marker-4711')",
                    "DO $$ BEGIN RAISE WARNING 'marker-4711'; RAISE EXCEPTION 'marker-4711'; END $$",
                ]
                for failure in failures {
                    let answer = try await psql(postgres.connectionString, failure)
                    #expect(!answer.isSuccess && answer.output.contains("marker-4711") || failure.contains("nowhere"))
                }
            }
            let log = try #require(try TextFile.read(try await server.cluster.log.path))
            #expect(log.contains("ready to accept connections"))
            #expect(!log.contains("marker"))
        }
    }
}
