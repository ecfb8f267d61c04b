internal import Glibc
internal import SystemPackage

/// The programs of an installed PostgreSQL.
struct Binaries: Sendable, Equatable {
    let directory: FilePath
    let majorVersion: Int

    var initdb: FilePath { directory.appending("initdb") }
    var pgCtl: FilePath { directory.appending("pg_ctl") }
    var postgres: FilePath { directory.appending("postgres") }

    /// The oldest version that supports the settings of ``ClusterSettings``.
    static let oldestMajorVersion = 14

    /// Finds the programs for a cluster of version `clusterVersion`, or for a new cluster if that is nil.
    ///
    /// - Throws: `binariesMissing`, `versionMismatch`.
    static func find(
        configured: String?, clusterVersion: Int?, user: ServerUser
    ) async throws(EmbeddedPostgresError) -> Binaries {
        let installed = try await installed(configured: configured, user: user)
        guard let first = installed.first else { throw missing(configured: configured) }
        guard let clusterVersion else { return first }
        guard let fitting = installed.first(where: { $0.majorVersion == clusterVersion }) else {
            throw mismatch(installed, clusterVersion: clusterVersion)
        }
        return fitting
    }

    /// Reads the output of `postgres --version`, such as `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
    static func majorVersion(_ answer: String) -> Int? {
        guard let number = answer.split(separator: " ").dropFirst(2).first else { return nil }
        return Int(number.prefix { $0.isASCII && $0.isNumber })
    }

    private static func installed(
        configured: String?, user: ServerUser
    ) async throws(EmbeddedPostgresError) -> [Binaries] {
        var found: [Binaries] = []
        for directory in try await candidates(configured: configured, user: user) {
            guard isComplete(directory), !found.contains(where: { $0.directory == directory }) else { continue }
            let answer = try await Command(directory.appending("postgres"), ["--version"], user: user).run()
            guard let version = majorVersion(answer.output), version >= oldestMajorVersion else { continue }
            found.append(Binaries(directory: directory, majorVersion: version))
        }
        return found
    }

    private static func candidates(
        configured: String?, user: ServerUser
    ) async throws(EmbeddedPostgresError) -> [FilePath] {
        if let configured { return [FilePath(configured)] }
        return try await askedOfConfig(user) + usualPlaces
    }

    /// A program of the newest PostgreSQL that is installed, for example `pg_dump`, which can read older servers; nil if there is none.
    static func newest(_ program: String, configured: String?) -> FilePath? {
        let places = configured.map { [FilePath($0)] } ?? usualPlaces
        return places.map { $0.appending(program) }.first { access($0.string, X_OK) == 0 }
    }

    /// The newest version first.
    private static var usualPlaces: [FilePath] {
        newestFirst("/usr/lib/postgresql/*/bin") + newestFirst("/usr/pgsql-*/bin")
            + ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"]
    }

    private static func askedOfConfig(_ user: ServerUser) async throws(EmbeddedPostgresError) -> [FilePath] {
        let answer: Command.Result
        do {
            answer = try await Command("pg_config", ["--bindir"], user: user).run()
        } catch {
            guard error.code == .commandFailed else { throw error }
            return []
        }
        guard answer.isSuccess, let line = answer.output.split(separator: "\n").first else { return [] }
        return [FilePath(String(line))]
    }

    /// The folders that match the pattern, the highest version number first.
    private static func newestFirst(_ pattern: String) -> [FilePath] {
        var matches = glob_t()
        defer { globfree(&matches) }
        guard glob(pattern, 0, nil, &matches) == 0 else { return [] }
        let paths = (0..<Int(matches.gl_pathc)).compactMap { matches.gl_pathv[$0].map { String(cString: $0) } }
        return paths.sorted { version(inPath: $0) > version(inPath: $1) }.map { FilePath($0) }
    }

    private static func version(inPath path: String) -> Int {
        Int(path.filter { $0.isASCII && $0.isNumber }) ?? 0
    }

    private static func isComplete(_ directory: FilePath) -> Bool {
        ["postgres", "initdb", "pg_ctl"].allSatisfy { access(directory.appending($0).string, X_OK) == 0 }
    }

    private static func missing(configured: String?) -> EmbeddedPostgresError {
        let place = configured.map { "in \($0)" } ?? "on this machine"
        return EmbeddedPostgresError(
            .binariesMissing,
            "PostgreSQL \(oldestMajorVersion) or later (postgres, initdb, pg_ctl) was not found \(place). "
                + "Install it (apt-get install postgresql), or set a database URL to use another server")
    }

    private static func mismatch(_ installed: [Binaries], clusterVersion: Int) -> EmbeddedPostgresError {
        let versions = installed.map { "\($0.majorVersion)" }.joined(separator: ", ")
        return EmbeddedPostgresError(
            .versionMismatch,
            "the cluster was created by PostgreSQL \(clusterVersion) (installed: \(versions)). Nothing was changed. "
                + "Install version \(clusterVersion) too (apt-get install postgresql-\(clusterVersion)), or migrate the "
                + "data with pg_upgrade or pg_dump")
    }
}
