internal import Foundation

/// A Python that has loaded its libraries, and runs each script in a process of its own: a start of Python takes longer than most
/// scripts. It ends with this process.
struct OracleServer: Sendable {
    /// What a script has answered.
    struct Answer: Decodable {
        /// Its exit status.
        let status: Int32
        /// Its standard output.
        let output: String
    }

    private struct Question: Encodable {
        let script: String
        let command: String
        let input: String
    }

    private struct Refused: Error {
        let code = errno
    }

    /// The server of this process. The first caller starts it, the others wait.
    static let shared = Result { try OracleServer() }

    private let path: String
    /// It stays open as long as this process runs.
    private let lifeline = Pipe()

    private init() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server.py").path
        path = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString)").path
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: PythonOracle.interpreter)
        process.arguments = ["-B", script, path]
        process.standardInput = lifeline
        process.standardOutput = output
        try process.run()
        guard try output.fileHandleForReading.read(upToCount: 1)?.isEmpty == false else { throw Refused() }
    }

    /// Runs a script. It blocks the thread.
    func run(_ script: String, _ command: String, input: String) throws -> Answer {
        let connection = try connect()
        let handle = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
        let question = Question(script: script, command: command, input: input)
        try handle.write(contentsOf: JSONEncoder().encode(question))
        guard shutdown(connection, CInt(SHUT_WR)) == 0 else { throw Refused() }
        return try JSONDecoder().decode(Answer.self, from: handle.readToEnd() ?? Data())
    }

    private func connect() throws -> CInt {
        let connection = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafeBytes(of: &address) { bytes in
            Glibc.connect(connection, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard status == 0 else {
            close(connection)
            throw Refused()
        }
        return connection
    }
}
