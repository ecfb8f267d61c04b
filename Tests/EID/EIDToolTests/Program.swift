import Foundation

/// A program of this package, as a process.
final class Program {
    private let process = Process()
    private let folder: URL

    /// Starts it.
    ///
    /// - Parameter input: what stands in its standard input.
    init(_ name: String, _ arguments: [String], input: String = "") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "eid-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(input.utf8).write(to: folder.appending(path: "in"))
        for name in ["out", "err"] {
            try Data().write(to: folder.appending(path: name))
        }
        process.executableURL = URL(filePath: try Self.path(name))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "in"))
        process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "out"))
        process.standardError = try FileHandle(forWritingTo: folder.appending(path: "err"))
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    struct NotFound: Error {
        let candidates: [String]
    }

    /// Next to the test bundle: under `swift test` the running program is the bundle, or has it as an argument.
    private static func path(_ name: String) throws -> String {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let bundles = [running] + CommandLine.arguments.filter { $0.contains(".xctest") }
        let candidates = bundles.map { URL(filePath: $0).deletingLastPathComponent().appending(path: name).path }
        guard let path = candidates.first(where: FileManager.default.isExecutableFile) else {
            throw NotFound(candidates: candidates)
        }
        return path
    }

    /// What it has written so far.
    var output: String { read("out") }
    /// What it has written to standard error so far.
    var errors: String { read("err") }

    var processID: Int32 { process.processIdentifier }

    /// The names of the files in its temporary folder.
    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    func terminate() { kill(process.processIdentifier, SIGTERM) }

    /// Waits for its end.
    func status() async -> Int32 {
        while process.isRunning { try? await Task.sleep(for: .milliseconds(20)) }
        return process.terminationStatus
    }

    private func read(_ name: String) -> String {
        (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
    }
}
