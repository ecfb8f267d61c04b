import Foundation
import ServerHarness
import Testing

/// A process can have only so many files and connections open. What a server does near that limit.
@Suite("Open files")
struct DescriptorTests {
    /// How often the number of open files must be the same, at intervals of 50 milliseconds.
    private static let settledPolls = 60

    @Test("The server raises its limit of open files to the most that it can have")
    func raised() async throws {
        let server = try await TestInstallation().startServer(launcher: ["prlimit", "--nofile=1024:4096"])
        let limits = try String(contentsOfFile: "/proc/\(server.processID)/limits", encoding: .utf8)
        #expect(limits.contains(/Max open files +4096 +4096/))
    }

    @Test("A limit of connections that does not fit is refused, with the setting and what to do")
    func tooMany() async throws {
        let result = try await TestCommand.run(
            "timeout",
            [
                "60", "prlimit", "--nofile=1000:1000", CardCompanionBinary.path, "serve", "--http-port", "0",
                "--http-connections", "5000", "--data-directory", TestFolder.shared.unused("data"),
            ])
        #expect(result.status == 78)
        for text in ["http.connections", "5000", "1000", "LimitNOFILE", "ulimit -n"] {
            #expect(result.stderr.contains(text), "\(result.stderr)")
        }
    }

    @Test("Without a setting, the limit of connections is lowered to what fits")
    func lowered() async throws {
        let server = try await TestInstallation().startServer(launcher: ["prlimit", "--nofile=1000:1000"])
        #expect(try await server.request("GET", "/health/ready").status == 200)
        #expect(!server.logLines(with: "fewer connections").isEmpty)
    }

    @Test("A server without a free descriptor does not take its PostgreSQL for dead")
    func doubt() async throws {
        let server = try await TestServer.withPrivateDatabase()
        try await unlessEndedByDispatch(server) {
            let postgres = try postmaster(of: server)
            try await waitUntilSettled(server)
            try await limit(server, to: 3)
            // The server looks at PostgreSQL once a second.
            try await eventually("the server says that it cannot watch PostgreSQL") {
                !server.logLines(with: "could not be watched").isEmpty
            }
            try await Task.sleep(for: .seconds(3))
            try await limit(server, to: 4096)
            let answer = try? await server.request("GET", "/health/ready")
            return [
                "the server is ready": answer?.status == 200,
                "the server has not taken PostgreSQL for dead": server.logLines(with: "PostgreSQL died").isEmpty,
                "PostgreSQL is the same": try postmaster(of: server) == postgres,
                "the server ends with status 0": try await server.stop() == 0,
                "PostgreSQL has ended": !isRunning(postgres),
            ]
        }
    }

    @Test("A server that stops without a free descriptor does not leave its PostgreSQL behind")
    func stopping() async throws {
        let server = try await TestServer.withPrivateDatabase()
        try await unlessEndedByDispatch(server) {
            let postgres = try postmaster(of: server)
            try await waitUntilSettled(server)
            try await limit(server, to: 3)
            kill(server.processID, SIGTERM)
            try await Task.sleep(for: .seconds(5))
            try await limit(server, to: 4096)
            return [
                "the server ends with status 0": try await server.ended() == 0,
                "PostgreSQL has ended": !isRunning(postgres),
            ]
        }
    }

    /// libdispatch, on which Swift's tasks run, counts its running threads in /proc when they are busy, and ends the process if
    /// it has no descriptor for that (`_dispatch_workq_monitor_pools`). On a busy machine this happens before the test is done.
    /// It is the reason why a server lowers its limit of connections to what its descriptors allow.
    ///
    /// - Parameter body: returns what must be true, and whether it is.
    private func unlessEndedByDispatch(
        _ server: TestServer, _ body: () async throws -> [String: Bool]
    ) async throws {
        let wrong: [String]
        do {
            wrong = try await body().filter { !$0.value }.keys.sorted()
        } catch {
            wrong = ["\(error)"]
        }
        guard !wrong.isEmpty else { return }
        // A server that a trap ends already is not ended by this signal.
        try await server.kill9()
        if try await server.ended() == SIGILL {
            withKnownIssue("libdispatch ended the server") { Issue.record("\(wrong)") }
        } else {
            Issue.record("\(wrong)\n\(server.log)")
        }
    }

    /// Waits until a server has opened what it needs from its start on. (Swift's runtime traps if it cannot.)
    private func waitUntilSettled(_ server: TestServer) async throws {
        let folder = "/proc/\(server.processID)/fd"
        var (count, unchanged) = (0, 0)
        try await eventually("the server has opened what it needs") {
            let open = try FileManager.default.contentsOfDirectory(atPath: folder).count
            unchanged = open == count ? unchanged + 1 : 0
            count = open
            return unchanged >= Self.settledPolls
        }
    }

    /// Changes how many files a running server can have open.
    private func limit(_ server: TestServer, to count: Int) async throws {
        // A server that has ended has no limit any more.
        _ = try await TestCommand.run("prlimit", ["--pid", "\(server.processID)", "--nofile=\(count):"])
    }

    /// A process that has ended has no command line, even if nobody has asked for its exit status yet.
    private func isRunning(_ process: Int32) -> Bool {
        (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8))?.isEmpty == false
    }

    private func postmaster(of server: TestServer) throws -> Int32 {
        let arguments = try String(contentsOfFile: "/proc/\(server.processID)/cmdline", encoding: .utf8)
            .split(separator: "\0").map(String.init)
        guard let index = arguments.firstIndex(of: "--data-directory") else { throw NotRunning() }
        let file = "\(arguments[index + 1])/postgres/cluster/postmaster.pid"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        guard let process = text.split(separator: "\n").first.flatMap({ Int32($0) }) else { throw NotRunning() }
        return process
    }

    private struct NotRunning: Error {}
}
