internal import Foundation

/// The folder of this test process. Its tests write all their files there.
///
/// A shell process, the caretaker, waits until the test process ends, for whatever reason. Then it kills the remaining
/// servers, stops the databases and removes the folder.
package struct TestFolder: Sendable {
    /// The folder of this process.
    package static let shared: TestFolder = {
        do {
            return try TestFolder()
        } catch {
            preconditionFailure("cannot create the tests' folder: \(error)")
        }
    }()

    /// Its path. The database's user can enter the folder.
    package let path: String

    /// The caretaker waits until this pipe is closed. The kernel closes it when this process ends.
    private let lifeline: Pipe

    private init() throws {
        // Where many files are made and removed fast: see Tests/run.
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        path = Unique.name("\(parent)/card-companion-tests")
        lifeline = Pipe()
        try FileManager.default.createDirectory(
            atPath: "\(path)/processes", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let caretaker = Process()
        caretaker.executableURL = URL(filePath: "/bin/sh")
        caretaker.arguments = ["-c", Self.cleaning, "caretaker", path]
        caretaker.standardInput = lifeline
        caretaker.standardOutput = FileHandle.nullDevice
        caretaker.standardError = FileHandle.nullDevice
        try caretaker.run()
    }

    /// An unused path in the folder.
    package func unused(_ name: String) -> String {
        Unique.name("\(path)/\(name)")
    }

    /// Writes a file with a unique name; returns its path.
    package func write(_ contents: String, named name: String) throws -> String {
        let path = unused(name)
        try contents.write(toFile: path, atomically: false, encoding: .utf8)
        // It can be a key.
        chmod(path, 0o600)
        return path
    }

    /// Registers a process that the caretaker kills if it is still running. Its command line must contain the folder's
    /// path, because another process can get the same process id later.
    package func watch(process: Int32) throws {
        try "".write(toFile: note(process), atomically: false, encoding: .utf8)
    }

    func forget(process: Int32) {
        try? FileManager.default.removeItem(atPath: note(process))
    }

    private func note(_ process: Int32) -> String { "\(path)/processes/\(process)" }

    private static let cleaning = """
        trap '' INT TERM HUP
        while read -r line; do :; done
        end() { grep -qsF "$1" "/proc/$2/cmdline" && kill "-$3" "$2"; }
        for note in "$1"/processes/*; do end "$1" "${note##*/}" KILL; done
        for file in "$1"/*/postgres/cluster/postmaster.pid; do
            read -r postmaster < "$file" || continue
            end "$1" "$postmaster" QUIT
            for wait in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$postmaster" && sleep 0.5; done
        done
        rm -rf "$1"
        """
}
