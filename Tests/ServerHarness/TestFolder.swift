internal import Foundation

/// The folder of this test process, in which lies everything that its tests make.
///
/// A shell beside the test process waits for its end, however it comes about, kills the servers that are left, stops the
/// databases and removes the folder.
public struct TestFolder: Sendable {
    /// The one of this process.
    public static let shared: TestFolder = {
        do {
            return try TestFolder()
        } catch {
            preconditionFailure("the folder of the tests cannot be made: \(error)")
        }
    }()

    /// Its path. The database's user may pass through.
    public let path: String

    /// As long as it is open, the caretaker waits. The kernel closes it when this process ends.
    private let lifeline: Pipe

    private init() throws {
        path = Unique.name("/tmp/card-companion-tests")
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

    /// A name in the folder that nothing has yet.
    public func unused(_ name: String) -> String {
        Unique.name("\(path)/\(name)")
    }

    /// Writes a file with a name of its own; returns its path.
    public func write(_ contents: String, named name: String) throws -> String {
        let path = unused(name)
        try contents.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }

    /// Has the caretaker kill a process that is left. Its command line is to name the folder: by that the caretaker
    /// tells it from another process that has been given the same number since.
    public func watch(process: Int32) throws {
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
