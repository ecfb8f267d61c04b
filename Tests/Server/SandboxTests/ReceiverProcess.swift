import Foundation
import PythonOracle
import ServerHarness
import Testing

/// The example webhook receiver, as a separate process.
final class ReceiverProcess {
    private static let patienceSeconds = 180

    private let process: TestProcess
    private let path: String

    init(_ script: String, of server: TestServer) throws {
        path = try TestFolder.shared.write("", named: "receiver-output")
        // The command line contains the tests' folder, by which the caretaker recognizes the process.
        process = try TestProcess(
            [PythonOracle.interpreter, "-X", "pycache_prefix=\(path).cache", script, server.url, "0"], outputPath: path)
        try TestFolder.shared.watch(process: process.processID)
    }

    deinit { process.send(SIGTERM) }

    /// The output so far.
    var output: String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// Waits for a line for which `find` returns a value.
    func line<Found>(_ find: (String) -> Found?) async throws -> Found {
        let deadline = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while true {
            if let found = output.split(separator: "\n").compactMap({ find(String($0)) }).first { return found }
            try #require(process.isRunning && ContinuousClock.now < deadline, "\(output)")
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
