import Foundation
import PostgresHarness
import ServerHarness
import Testing

/// What programs that the tests start get from the tests' process. A program that kept a descriptor of another one would hide that
/// one's end until its own.
@Suite("Files that programs inherit")
struct InheritedFilesTests {
    /// A pipe that every program inherits which does not close it.
    private let pipe = Pipe()

    private func inheritable() throws -> String {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        try #require(fcntl(descriptor, F_SETFD, 0) == 0)
        return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }

    private func files(of process: Int32) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap {
            // It can be closed meanwhile.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)")
        }
    }

    @Test("A program beside the tests has its output only, and its end is seen")
    func program() async throws {
        let inheritable = try inheritable()
        let output = try TestFolder.shared.write("", named: "output")
        let program = try TestProcess(["sleep", "600"], outputPath: output)
        // While it starts, it reads its libraries.
        try await eventually("the program has its output only") {
            try files(of: program.processID).sorted() == ["/dev/null", output, output].sorted()
        }
        #expect(try !files(of: program.processID).contains(inheritable))
        #expect(program.isRunning)
        program.send(SIGTERM)
        #expect(await program.ended() == SIGTERM)
        #expect(!program.isRunning)
    }

    @Test("A database for tests has none of the tests' files")
    func database() async throws {
        let inheritable = try inheritable()
        let cluster = try await NetworkCluster.make()
        defer { cluster.remove() }
        let pid = try String(contentsOfFile: "\(cluster.folder)/data/postmaster.pid", encoding: .utf8)
        let postmaster = try #require(Int32(pid.prefix { $0 != "\n" }))
        #expect(try !files(of: postmaster).contains(inheritable))
    }
}
