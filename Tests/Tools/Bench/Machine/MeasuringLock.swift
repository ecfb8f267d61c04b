import Glibc

/// A file that is locked while something is measured, so that runs on one machine wait for each other.
struct MeasuringLock {
    /// Nil: nobody else measures on this machine.
    let path: String?

    func whileHeld<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard let path else { return try await body() }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        defer { close(file) }
        guard file >= 0, flock(file, LOCK_EX) == 0 else { throw LoadFailed(description: "cannot lock \(path)") }
        return try await body()
    }
}
