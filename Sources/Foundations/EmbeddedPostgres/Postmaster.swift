internal import SystemPackage

/// PostgreSQL's main process, according to its file `postmaster.pid`.
struct Postmaster: Equatable {
    let processID: Int32

    /// Whether it accepts connections.
    let isReady: Bool

    /// Reads `postmaster.pid`: the process id is on the first line, the state on the eighth (`pidfile.h` of PostgreSQL,
    /// since version 10). Nil if there is no valid process id.
    init?(pidFile: String) {
        let lines = pidFile.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let processID = Int32(first), processID > 1 else { return nil }
        self.processID = processID
        isReady = lines.count > 7 && lines[7].split(separator: " ").first == "ready"
    }

    /// Whether a process with this id was started with `argument`. The id alone is not sufficient, because another process
    /// can have it now. Every user can read `cmdline`; it is empty for a zombie process.
    ///
    /// - Throws: why this cannot be found out.
    func wasStarted(with argument: String) throws(Errno) -> Bool {
        let commandLine = try TextFile.read(FilePath("/proc/\(processID)/cmdline")) ?? ""
        return commandLine.split(separator: "\0").contains(Substring(argument))
    }
}
