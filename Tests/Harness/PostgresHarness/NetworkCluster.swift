internal import CSpawn
internal import Foundation
internal import Synchronization

/// A private PostgreSQL server in a temporary folder. The tests of one process share a server, which is removed at exit. A
/// test that stops its server must create another.
///
/// It listens on a Unix socket (no password) and on 127.0.0.1 (with a password, with or without TLS).
package struct NetworkCluster: Sendable {
    /// The server that all tests of this process share.
    package static func shared() async throws -> NetworkCluster { try await made.value }

    private static let made = Task {
        let cluster = try await make()
        sharedOne.withLock { $0 = cluster }
        atexit { NetworkCluster.sharedOne.withLock { $0?.remove() } }
        return cluster
    }
    private static let sharedOne = Mutex<NetworkCluster?>(nil)

    /// Starts a server of its own.
    package static func make() async throws -> NetworkCluster {
        try await onThreadOfItsOwn { try NetworkCluster() }
    }

    package let folder: String
    package let port: Int
    package let password = "p%word-of-the-tests"

    /// The connection string for the Unix socket.
    package var url: String { "host=\(folder) port=\(port) dbname=postgres user=postgres" }

    /// The connection string for TCP. `parameters` contains the host and the TLS parameters.
    package func tcpURL(_ parameters: String, password: String? = nil) -> String {
        "port=\(port) dbname=postgres user=postgres password='\(password ?? self.password)' \(parameters)"
    }

    /// The path of the certificate that signed the server's certificate.
    package var rootCertificate: String { "\(folder)/root.crt" }

    private let binaries: String
    private var data: String { "\(folder)/data" }

    private init() throws {
        binaries = try Self.newestBinaries()
        folder = try Self.makeFolder()
        port = try Self.unusedPort()
        try "\(password)\n".write(toFile: "\(folder)/password", atomically: true, encoding: .utf8)
        try makeCertificates()
        try Self.run(["/bin/chown", "-R", Self.account, folder])
        try asServer([
            "\(binaries)/initdb", "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync",
            "--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile=\(folder)/password",
        ])
        let settings = """
            port = \(port)
            listen_addresses = '127.0.0.1'
            unix_socket_directories = '\(folder)'
            max_connections = 200
            fsync = off
            ssl = on
            ssl_cert_file = '\(folder)/server.crt'
            ssl_key_file = '\(folder)/server.key'

            """
        try Self.append(settings, to: "\(data)/postgresql.conf")
        try startNow()
    }

    /// Kills the server's processes without notifying the clients, and restarts the server.
    package func restartImmediately() async throws {
        try await Self.onThreadOfItsOwn {
            try asServer([
                "\(binaries)/pg_ctl", "-D", data, "-l", "\(folder)/log", "-w", "-t", "300", "-m", "immediate",
                "restart",
            ])
        }
    }

    package func stopImmediately() async throws {
        try await Self.onThreadOfItsOwn { try stopNow() }
    }

    package func start() async throws {
        try await Self.onThreadOfItsOwn { try startNow() }
    }

    package func remove() {
        try? stopNow()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func stopNow() throws {
        try asServer(["\(binaries)/pg_ctl", "-D", data, "-w", "-t", "300", "-m", "immediate", "stop"])
    }

    private func startNow() throws {
        try asServer(["\(binaries)/pg_ctl", "-D", data, "-l", "\(folder)/log", "-w", "-t", "300", "start"])
    }

    /// Swift's pool has as many threads as there are processors, and all tests need them.
    private static func onThreadOfItsOwn<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}

// MARK: - Setup

extension NetworkCluster {
    struct CommandFailed: Error {
        let command: [String]
        let output: String
    }

    private static var isRoot: Bool { getuid() == 0 }

    private static var account: String { isRoot ? "postgres" : "\(getuid())" }

    private static func newestBinaries() throws -> String {
        let root = "/usr/lib/postgresql"
        let versions = try FileManager.default.contentsOfDirectory(atPath: root).compactMap { Int($0) }
        return "\(root)/\(versions.max() ?? 15)/bin"
    }

    private static func makeFolder() throws -> String {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/postgres-tests-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CommandFailed(command: ["mkdtemp"], output: "") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A free port that the system gives to nobody who does not ask for it, so that it stays free, also while a server restarts.
    package static func unusedPort() throws -> Int {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 10_000..<32_000)
            if isUnused(port) { return Int(port) }
        }
        throw CommandFailed(command: ["bind"], output: "")
    }

    private static func isUnused(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        } == 0
    }

    private func makeCertificates() throws {
        let openssl = "/usr/bin/openssl"
        let ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try Self.run(
            [openssl, "req", "-x509", "-days", "2", "-subj", "/CN=test root", "-keyout", "\(folder)/root.key"] + ec
                + ["-out", rootCertificate])
        try Self.run(
            [openssl, "req", "-subj", "/CN=localhost", "-keyout", "\(folder)/server.key"] + ec
                + ["-out", "\(folder)/server.csr"])
        try "subjectAltName=DNS:localhost\n".write(toFile: "\(folder)/names", atomically: true, encoding: .utf8)
        try Self.run([
            openssl, "x509", "-req", "-days", "2", "-in", "\(folder)/server.csr", "-CA", rootCertificate, "-CAkey",
            "\(folder)/root.key", "-CAcreateserial", "-extfile", "\(folder)/names", "-out", "\(folder)/server.crt",
        ])
        try Self.run(["/bin/chmod", "600", "\(folder)/server.key"])
    }

    private static func append(_ text: String, to path: String) throws {
        guard let handle = FileHandle(forWritingAtPath: path) else {
            throw CommandFailed(command: ["open", path], output: "cannot be written")
        }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private func asServer(_ command: [String]) throws {
        let prefix = ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        try Self.run(Self.isRoot ? prefix + command : command)
    }

    /// Does not use Foundation's Process, because that waits until every inherited descriptor is closed, and the server
    /// keeps them open.
    private static func run(_ command: [String]) throws {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for descriptor in CInt(0)...2 {
            posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A server that runs for long would keep what others wait for: the end of a pipe, or the socket by which Foundation notices
        // the end of a program.
        card_companion_close_from(&files, 3)
        let arguments = command.map { strdup($0) }
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let code = posix_spawn(&process, command[0], &files, nil, arguments + [nil], environ)
        guard code == 0 else { throw CommandFailed(command: command, output: "cannot start: error \(code)") }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw CommandFailed(command: command, output: "wait status \(status)") }
    }
}
