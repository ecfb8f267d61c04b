import Foundation
import SystemPackage
import Testing

@testable import EmbeddedPostgres

@Suite(.serialized) struct EmbeddedPostgresTests {
    @Test func `The first open creates a cluster that listens only on its socket`() async throws {
        try await TestServer.with { server in
            try await server.use { postgres in
                #expect(await postgres.isOwner)
                let settings = ["server_encoding", "lc_collate", "data_checksums", "listen_addresses", "fsync"]
                for (name, value) in zip(settings, ["UTF8", "C", "on", "", "on"]) {
                    try await expect(postgres, "SHOW \(name)", gives: value)
                }
                #expect(
                    try await query(postgres, "SELECT current_database(), usesuper FROM pg_user WHERE usename = user")
                        == "card_companion|f")
                try await expect(postgres, "CREATE TABLE t (a int); SELECT count(*) FROM t", gives: "0")
            }
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `The second open finds the data of the first`() async throws {
        try await TestServer.with { server in
            try await server.use { _ = try await query($0, "CREATE TABLE t AS SELECT 42 AS a") }
            try await server.use { try await expect($0, "SELECT a FROM t", gives: "42") }
        }
    }

    @Test func `A guest reaches the owner's server and leaves it running`() async throws {
        try await TestServer.with { server in
            try await server.use { owner in
                let postmaster = try await server.postmasterID
                try await server.use { guest in
                    #expect(await !guest.isOwner)
                    #expect(guest.connectionString == owner.connectionString)
                    try await expect(guest, "SELECT 1", gives: "1")
                }
                #expect(try await server.postmasterID == postmaster)
                try await expect(owner, "SELECT 1", gives: "1")
            }
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `The last process that closes stops the server, whether owner or guest`() async throws {
        try await TestServer.with { server in
            let owner = try await server.open()
            let guest = try await server.open()
            await owner.close()
            try await expect(guest, "SELECT 1", gives: "1")
            await guest.close()
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `A second close has no effect`() async throws {
        try await TestServer.with { server in
            let first = try await server.open()
            await first.close()
            try await server.use { second in
                await first.close()
                try await expect(second, "SELECT 1", gives: "1")
            }
        }
    }

    @Test func `Several that open an empty folder at the same time share one server`() async throws {
        try await TestServer.with { server in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await server.use { postgres in
                            try await query(postgres, "SELECT system_identifier FROM pg_control_system()")
                        }
                    }
                }
                let clusters = try await group.reduce(into: Set()) { $0.insert($1) }
                #expect(clusters.count == 1)
            }
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `A long path with special characters works`() async throws {
        let name = "a'b \"c\" $(d) \\e, `f` é " + String(repeating: "x", count: 100)
        try await TestServer.with(name) { server in
            try await server.use { postgres in
                try await expect(postgres, "SELECT 1", gives: "1")
                let folder = try await server.cluster.folder
                let socket = try #require(SocketDirectory.current(of: folder))
                #expect(SocketDirectory.isUsable(socket))
                let stat = try Stat(socket, followTargetSymlink: false)
                #expect(stat.permissions == .ownerReadWriteExecute && stat.userID.rawValue == folder.serverUser.id)
                try await server.use { try await expect($0, "SELECT 1", gives: "1") }
            }
            let socket = try #require(SocketDirectory.current(of: try await server.cluster.folder))
            try FileManager.default.removeItem(atPath: socket.string)
            try await server.use { try await expect($0, "SELECT 1", gives: "1") }
            let next = try #require(SocketDirectory.current(of: try await server.cluster.folder))
            try FileManager.default.removeItem(atPath: next.string)
        }
    }

    @Test func `A cancelled open leaves no server behind`() async throws {
        try await TestServer.with { server in
            try await server.use { _ in }
            await withTaskGroup { group in
                group.addTask {
                    let error = await #expect(throws: EmbeddedPostgresError.self) { try await server.open() }
                    #expect(error?.code == .cancelled)
                }
                group.cancelAll()
            }
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `A cluster of another version is refused and not changed`() async throws {
        try await TestServer.with { server in
            try await server.use { _ = try await query($0, "CREATE TABLE t AS SELECT 42 AS a") }
            let file = try await server.cluster.folder.cluster.appending("PG_VERSION").string
            let version = try String(contentsOfFile: file, encoding: .utf8)
            try "13\n".write(toFile: file, atomically: false, encoding: .utf8)
            let error = await #expect(throws: EmbeddedPostgresError.self) { try await server.open() }
            #expect(error?.code == .versionMismatch)
            #expect(error?.description.contains("postgresql-13") == true)
            try version.write(toFile: file, atomically: false, encoding: .utf8)
            try await server.use { try await expect($0, "SELECT a FROM t", gives: "42") }
        }
    }

    @Test func `A data folder that cannot be created is refused`() async throws {
        try await TestServer.with("file/data") { server in
            try Data().write(to: URL(filePath: server.base.appending("file").string))
            let error = await #expect(throws: EmbeddedPostgresError.self) { try await server.open() }
            #expect(error?.code == .folderUnusable)
            #expect(error?.description.contains("file/data") == true)
            try FileManager.default.removeItem(atPath: server.base.appending("file").string)
        }
    }
}
