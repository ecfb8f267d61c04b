import Foundation
import Glibc
import ServerHarness
import Testing

/// What a server does when the system limits its memory.
@Suite("Memory limit", .enabled("needs root that can mount") { try await PretendedGroup.isAvailable() })
struct MemoryLimitTests {
    private static let tooMany = 50

    @Test(
        "A server takes only as many connections as fit into its memory, and serves all of them",
        .enabled(if: MemoryGroup.isAvailable, "needs control groups of memory that it can write"))
    func asManyAsFit() async throws {
        // 128 MiB for the server, 256 for files of document sessions, and 320 KiB for each connection.
        let limit = 320
        let group = try MemoryGroup(limitMiB: 128 + 256 + limit * 320 / 1024)
        let server = try await TestInstallation().startServer(
            environment: ["HTTP_ADDRESS_CONNECTIONS": "10000", "HTTP_IDLE_TIMEOUT_SECONDS": "600"],
            launcher: group.launcher)
        let line = try #require(server.logLines(with: "The memory limit allows fewer connections").first)
        #expect(line.contains("connections=\(limit)"))

        var connections: [SocketConnection] = []
        for _ in 0..<limit + Self.tooMany {
            connections.append(try SocketConnection(to: server))
            // On a busy machine this one may be closed already. Then one of the others takes its place.
            try? await connections.last?.sendAll(Array("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        }
        var waiting = connections
        // The others wait, but for a few: the listener takes several connections at a time.
        try await eventually("as many connections as fit are served") {
            waiting.removeAll(where: Self.isAnswered)
            return waiting.count <= Self.tooMany
        }
        connections.forEach { $0.breakOff() }
        try await eventually("the server serves others again") {
            (try? await server.request("GET", "/health/ready"))?.status == 200
        }
        #expect(try await server.stop() == 0)
        #expect(try group.killedCount() == 0, "the system has ended nothing")
    }

    @Test(
        "A limit that is too low is in the log, with what to read", arguments: PretendedGroup.files)
    func tooLow(file: String) async throws {
        let server = try await TestInstallation().startServer(
            launcher: try PretendedGroup.launcher(file, "\(100 << 20)"))
        let line = try #require(server.logLines(with: "warning", "The memory limit is too low").first)
        for text in ["memoryMiB=100", "connections=100", "docs/operations.md"] {
            #expect(line.contains(text), "\(line)")
        }
    }

    @Test("A setting goes before what fits, and the log says that it can be too much")
    func configured() async throws {
        let server = try await TestInstallation().startServer(
            environment: ["HTTP_CONNECTIONS": "5000"],
            launcher: try PretendedGroup.launcher(PretendedGroup.files[0], "\(300 << 20)"))
        #expect(!server.logLines(with: "warning", "The memory limit is too low", "connections=5000").isEmpty)
    }

    @Test(
        "doctor says what a limit allows, and what is too low",
        arguments: [
            ("max", [:], "ok", "in this shell, memory has no limit"),
            ("9223372036854771712", [:], "ok", "in this shell, memory has no limit"),
            ("\(512 << 20)", [:], "ok", "in this shell, 512 MiB of memory allow 409 connections"),
            ("\(8192 << 20)", [:], "ok", "in this shell, 8192 MiB of memory allow 10000 connections"),
            ("\(64 << 20)", [:], "warning", "in this shell, 64 MiB of memory are too little for 100 connections"),
            (
                "\(512 << 20)", ["HTTP_CONNECTIONS": "5000"], "warning",
                "in this shell, 512 MiB of memory are too little for 5000 connections"
            ),
        ] as [(String, [String: String], String, String)])
    func doctor(limit: String, environment: [String: String], level: String, text: String) async throws {
        let installation = try await TestInstallation()
        let launcher = try PretendedGroup.launcher(PretendedGroup.files[0], limit)
        let result = try await TestCommand.run(
            launcher[0], launcher.dropFirst() + [CardCompanionBinary.path, "doctor"],
            environment: installation.environment.merging(environment) { $1 })
        let line = try #require(
            result.stdout.split(separator: "\n").first { $0.contains("of memory") || $0.contains("memory has") })
        #expect(line.hasPrefix(level) && line.hasSuffix(text), "\(result.stdout)")
        #expect(result.stdout.contains("MemoryMax in the systemd unit") == (level == "warning"))
    }

    @Test("With a private database, doctor counts its memory, too")
    func privateDatabase() async throws {
        let launcher = try PretendedGroup.launcher(PretendedGroup.files[0], "\(1 << 30)")
        let result = try await TestCommand.run(
            launcher[0],
            launcher.dropFirst() + [
                CardCompanionBinary.path, "doctor", "--data-directory", TestFolder.shared.unused("data"),
            ])
        #expect(result.stdout.contains("1024 MiB of memory allow 819 connections"), "\(result)")
    }

    /// Not 408, which is for a request that comes too late because this machine is busy.
    private static func isAnswered(_ connection: SocketConnection) -> Bool {
        let answer = (try? connection.receive()) ?? []
        return String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 ")
    }
}

/// A control group that limits memory. It ends with this value.
private final class MemoryGroup {
    private static let parent: String? = {
        let line = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8))?.split(separator: "\n")
            .first { $0.contains(":memory:") }
        let folder = line.map { "/sys/fs/cgroup/memory\($0.split(separator: ":", maxSplits: 2).last ?? "")" }
        return folder.flatMap { FileManager.default.isWritableFile(atPath: "\($0)/cgroup.procs") ? $0 : nil }
    }()

    static var isAvailable: Bool { parent != nil }

    private let folder: String

    init(limitMiB: Int) throws {
        folder = "\(try #require(Self.parent))/card-companion-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try "\(limitMiB << 20)".write(toFile: "\(folder)/memory.limit_in_bytes", atomically: false, encoding: .utf8)
    }

    deinit { rmdir(folder) }

    /// Starts a program in this group.
    var launcher: [String] { ["sh", "-c", #"echo $$ > "$0/cgroup.procs" && exec "$@""#, folder] }

    /// How many processes of the group the system has ended because they needed too much.
    func killedCount() throws -> Int {
        let text = try String(contentsOfFile: "\(folder)/memory.oom_control", encoding: .utf8)
        return try #require(text.firstMatch(of: /oom_kill (\d+)/).flatMap { Int($0.1) })
    }
}

/// Lets a program see a folder of ours as /sys/fs/cgroup.
private enum PretendedGroup {
    /// The files with limits that control groups of this machine have, of version 2 and of version 1.
    static let files: [String] = {
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return [("0::", "memory.max"), (":memory:", "memory.limit_in_bytes")]
            .filter { groups.contains($0.0) }.map(\.1)
    }()

    /// Whether this machine has control groups, and a process of ours can have mounts of its own. Root of a container often cannot.
    static func isAvailable() async throws -> Bool {
        guard geteuid() == 0, let file = files.first else { return false }
        let launcher = try launcher(file, "max")
        return try await TestCommand.run(launcher[0], launcher.dropFirst() + ["true"]).status == 0
    }

    static func launcher(_ file: String, _ limit: String) throws -> [String] {
        let folder = TestFolder.shared.unused("cgroup")
        let inner = file == "memory.max" ? folder : "\(folder)/memory"
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
        try "\(limit)\n".write(toFile: "\(inner)/\(file)", atomically: true, encoding: .utf8)
        return ["unshare", "--mount", "sh", "-c", #"mount --bind "$0" /sys/fs/cgroup && exec "$@""#, folder]
    }
}
