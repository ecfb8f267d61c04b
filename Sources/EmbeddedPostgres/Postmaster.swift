internal import SystemPackage

/// PostgreSQL's main process, as its file `postmaster.pid` describes it.
struct Postmaster: Equatable {
    let processID: Int32

    /// Whether it has reached the point where it takes connections.
    let isReady: Bool

    /// Reads `postmaster.pid`: a line with the process id first, its state on the eighth (`pidfile.h` of PostgreSQL,
    /// since version 10).
    init?(pidFile: String) {
        let lines = pidFile.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let processID = Int32(first), processID > 1 else { return nil }
        self.processID = processID
        isReady = lines.count > 7 && lines[7].split(separator: " ").first == "ready"
    }

    /// Whether a process with this id was started with `argument`. An id alone proves nothing: it may have been given
    /// to another process since. `cmdline` is readable to all, and empty for a process that awaits its parent.
    func wasStarted(with argument: String) -> Bool {
        let commandLine = TextFile.read(FilePath("/proc/\(processID)/cmdline")) ?? ""
        return commandLine.split(separator: "\0").contains(Substring(argument))
    }
}
