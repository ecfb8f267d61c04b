import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import EmbeddedPostgres

@Suite(.serialized) struct RecoveryTests {
    @Test func `A killed server is restarted with its data, until the task is cancelled`() async throws {
        try await TestServer.with { server in
            let postgres = try await server.open()
            _ = try await query(postgres, "CREATE TABLE t AS SELECT 42 AS a")
            try await withThrowingTaskGroup { group in
                group.addTask { try await postgres.run() }
                let killed = try #require(try await server.postmasterID)
                kill(killed, SIGKILL)
                try await eventually { try await psql(postgres.connectionString, "SELECT a FROM t").output == "42\n" }
                #expect(try await server.postmasterID != killed)
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `A guest that runs becomes the owner when the owner closes`() async throws {
        try await TestServer.with { server in
            let owner = try await server.open()
            let guest = try await server.open()
            try await withThrowingTaskGroup { group in
                group.addTask { try await guest.run() }
                await owner.close()
                try await eventually { await guest.isOwner }
                kill(try #require(try await server.postmasterID), SIGKILL)
                try await eventually { try await psql(guest.connectionString, "SELECT 1").isSuccess }
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(try await server.postmasterID == nil)
        }
    }

    @Test func `A server whose owner was killed is taken over, and stopped at the end`() async throws {
        try await TestServer.with { server in
            try await server.use { _ in }
            // The state after an owner was killed: a server, and no lock.
            let cluster = try await server.cluster
            let socketDirectory = try SocketDirectory.prepare(in: cluster.folder)
            try await cluster.bringUp(socketDirectory: socketDirectory)
            let left = try #require(try cluster.postmaster?.processID)
            try await server.use { postgres in
                #expect(await postgres.isOwner)
                #expect(try await server.postmasterID == left)
                try await expect(postgres, "SELECT 1", gives: "1")
            }
            #expect(try cluster.postmaster == nil)
        }
    }

    @Test func `A running server with other settings is restarted`() async throws {
        try await TestServer.with { server in
            let cluster = try await server.cluster
            let socketDirectory = try SocketDirectory.prepare(in: cluster.folder)
            try await cluster.bringUp(socketDirectory: socketDirectory)
            let left = try #require(try cluster.postmaster?.processID)
            let settings = try #require(try TextFile.read(cluster.folder.settings))
            try TextFile.write(settings + "jit = on\n", to: cluster.folder.settings, owner: .current)
            try await server.use { postgres in
                #expect(try await server.postmasterID != left)
                try await expect(postgres, "SHOW jit", gives: "off")
            }
        }
    }

    @Test func `A stale postmaster.pid is ignored, even if another process has its number now`() async throws {
        try await TestServer.with { server in
            let cluster = try await server.cluster
            try await cluster.bringUp(socketDirectory: try SocketDirectory.prepare(in: cluster.folder))
            kill(try #require(try cluster.postmaster?.processID), SIGKILL)
            try await eventually { try cluster.postmaster == nil }
            try await withProcess(of: cluster.folder.serverUser) { processID in
                try replaceProcessID(in: cluster.folder.cluster.appending("postmaster.pid"), with: processID)
                try await server.use { try await expect($0, "SELECT 1", gives: "1") }
                #expect(kill(processID, 0) == 0, "the other process was stopped")
            }
        }
    }

    @Test func `An interrupted initdb is repeated`() async throws {
        try await TestServer.with { server in
            let folder = try await server.cluster.folder
            try Directory.make(folder.staging, owner: folder.serverUser)
            let half = folder.staging.appending("cluster")
            try Directory.make(half, owner: folder.serverUser)
            try "15\n".write(toFile: half.appending("PG_VERSION").string, atomically: false, encoding: .utf8)
            try await server.use { try await expect($0, "SELECT 1", gives: "1") }
            #expect(!FileManager.default.fileExists(atPath: folder.staging.string))
        }
    }

    @Test func `If a server does not start, the error has the end of its log`() async throws {
        try await TestServer.with { server in
            try await server.use { _ in }
            let control = try await server.cluster.folder.cluster.appending("global/pg_control").string
            try FileManager.default.removeItem(atPath: control)
            let error = await #expect(throws: EmbeddedPostgresError.self) { try await server.open() }
            #expect(error?.code == .commandFailed)
            #expect(error?.description.contains("could not find the database system") == true)
        }
    }

    /// Runs a process of another program during `body`.
    private func withProcess(of user: ServerUser, _ body: (Int32) async throws -> Void) async throws {
        let asUser = ["--reuid", "\(user.id)", "--regid", "\(user.groupID)", "--clear-groups", "--", "sleep", "600"]
        _ = try await Subprocess.run(
            .name(ServerUser.runsAsRoot ? "setpriv" : "sleep"),
            arguments: Arguments(ServerUser.runsAsRoot ? asUser : ["600"]), input: .none, output: .discarded,
            error: .discarded
        ) { execution in
            try await body(execution.processIdentifier.value)
            try execution.send(signal: .kill)
        }
    }

    private func replaceProcessID(in file: FilePath, with processID: Int32) throws {
        var lines = try #require(try TextFile.read(file)).split(separator: "\n", omittingEmptySubsequences: false)
        lines[0] = "\(processID)"
        let handle = try #require(FileHandle(forWritingAtPath: file.string))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(lines.joined(separator: "\n").utf8))
        try handle.close()
    }
}
