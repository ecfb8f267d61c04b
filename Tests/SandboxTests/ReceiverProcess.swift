import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The example of a webhook receiver, as a process of its own.
final class ReceiverProcess {
    private static let patienceSeconds = 60

    private let process = Process()
    private let path: String

    init(_ script: String, of server: TestServer) throws {
        path = try TestFolder.shared.write("", named: "receiver-output")
        process.executableURL = URL(filePath: PythonOracle.interpreter)
        // The caretaker knows it by the tests' folder in its command line.
        process.arguments = ["-X", "pycache_prefix=\(path).cache", script, server.url, "0"]
        let output = FileHandle(forWritingAtPath: path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try TestFolder.shared.watch(process: process.processIdentifier)
    }

    deinit {
        process.terminate()
    }

    /// What it has said so far.
    var output: String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// Waits for a line that says what is looked for.
    func line<Found>(_ find: (String) -> Found?) async throws -> Found {
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while true {
            if let found = output.split(separator: "\n").compactMap({ find(String($0)) }).first { return found }
            try #require(process.isRunning && ContinuousClock.now < deadline, "\(output)")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
