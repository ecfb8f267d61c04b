import Foundation
import SystemPackage
import Testing

@testable import EmbeddedPostgres

/// For root only: PostgreSQL runs as another user than the program.
@Suite(.serialized, .enabled(if: ServerUser.runsAsRoot, "needs root"))
struct RootTests {
    @Test func `PostgreSQL runs as an unprivileged user, who owns the cluster but nothing above it`() async throws {
        try await TestServer.with { server in
            try await server.use { _ in
                let cluster = try await server.cluster
                let processID = try #require(try cluster.postmaster?.processID)
                let user = cluster.folder.serverUser.id
                #expect(user != 0)
                #expect(try Stat(FilePath("/proc/\(processID)")).userID.rawValue == user)
                #expect(try Stat(cluster.folder.cluster).userID.rawValue == user)
                #expect(try Stat(cluster.folder.path).userID.rawValue == 0)
            }
        }
    }

    @Test func `PostgreSQL keeps no capability and no group of root's, and cannot get any`() async throws {
        try await TestServer.with { server in
            try await server.use { _ in
                let processID = try #require(try await server.postmasterID)
                let status = try #require(try TextFile.read(FilePath("/proc/\(processID)/status")))
                for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
                    #expect(status.contains("\(set):\t0000000000000000\n"), "\(set)")
                }
                #expect(status.contains("NoNewPrivs:\t1\n"))
                #expect(status.contains(/Groups:\s*\n/))
            }
        }
    }

    @Test func `Other users cannot connect, even if the socket's folder is open`() async throws {
        try await TestServer.with { server in
            try await server.use { postgres in
                let nobody = try #require(ServerUser(name: "nobody"))
                let folder = try await server.cluster.folder
                #expect(try await !psql(postgres.connectionString, "SELECT 1", user: nobody).isSuccess)
                #expect(try await psql(postgres.connectionString, "SELECT 1", user: folder.serverUser).isSuccess)
                chmod(server.data.string, 0o755)
                chmod(folder.socket.string, 0o755)
                let answer = try await psql(postgres.connectionString, "SELECT 1", user: nobody)
                #expect(!answer.isSuccess)
                #expect(answer.output.contains("Peer authentication failed"))
            }
        }
    }

    @Test func `If PostgreSQL's user cannot enter the data folder, the cluster is in the system folder`() async throws {
        try await TestServer.with { server in
            chmod(server.base.string, 0o700)
            defer { chmod(server.base.string, 0o755) }
            let system = try Directory.makeUnique("/tmp/embedded-postgres-system", owner: .current, mode: 0o711)
            defer { try? FileManager.default.removeItem(atPath: system.string) }
            var server = server
            server.configuration.systemDirectory = system

            try await server.use { _ = try await query($0, "CREATE TABLE t AS SELECT 42 AS a") }
            let folder = try await server.cluster.folder.path
            #expect(folder.removingLastComponent() == system)
            #expect(try TextFile.read(folder.appending("data-folder")) == "\(server.data.appending("postgres"))\n")
            try await server.use { try await expect($0, "SELECT a FROM t", gives: "42") }

            try FileManager.default.moveItem(atPath: folder.string, toPath: folder.string + ".away")
            let error = await #expect(throws: EmbeddedPostgresError.self) { try await server.open() }
            #expect(error?.code == .folderUnusable, "a lost cluster must not be replaced by an empty one")

            try FileManager.default.removeItem(atPath: server.data.string)
            try await server.use { postgres in
                try await expect(postgres, "SELECT count(*) FROM pg_tables WHERE tablename = 't'", gives: "0")
            }
        }
    }

    @Test func `Another user's folder still belongs to that user after root used it`() async throws {
        try await TestServer.with { server in
            let nobody = try #require(ServerUser(name: "nobody"))
            try Directory.make(server.data, owner: nobody)
            try Directory.make(server.data.appending("postgres"), owner: nobody)
            try await server.use { try await expect($0, "SELECT 1", gives: "1") }
            let folder = try await server.cluster.folder
            #expect(folder.serverUser == nobody)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path.string)
            #expect(names.count >= 8)
            for name in names {
                let stat = try Stat(folder.path.appending(name), followTargetSymlink: false)
                #expect(stat.userID.rawValue == nobody.id, "\(name)")
            }
        }
    }
}
