/// A lock that another transaction has.
package struct HeldLock: Sendable {
    private let installation: TestInstallation
    /// The name of its session.
    private let gate = Unique.name("gate")

    init(in installation: TestInstallation) {
        self.installation = installation
    }

    func hold(_ statement: String) async throws {
        try await installation.sql("SET application_name = '\(gate)'; BEGIN; \(statement); SELECT pg_sleep(600)")
    }

    package func isHeld() async throws -> Bool {
        try await count("pg_stat_activity WHERE application_name = '\(gate)' AND wait_event = 'PgSleep'") == 1
    }

    /// How many others wait for it.
    package func waiting() async throws -> Int {
        try await count(
            """
            pg_locks JOIN pg_stat_activity AS gate ON gate.pid = ANY (pg_blocking_pids(pg_locks.pid))
            WHERE NOT granted AND gate.application_name = '\(gate)'
            """)
    }

    /// How many others wait for it, or for one of those who wait.
    package func waitingInLine() async throws -> Int {
        try await installation.sqlAsSuperuser(
            """
            WITH RECURSIVE line AS (
                SELECT pid FROM pg_stat_activity WHERE application_name = '\(gate)'
                UNION
                SELECT activity.pid FROM pg_stat_activity AS activity
                    JOIN line ON line.pid = ANY (pg_blocking_pids(activity.pid))
            )
            SELECT count(*) - 1 FROM line
            """
        ).first.flatMap { Int($0) } ?? 0
    }

    package func release() async throws {
        try await installation.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(gate)'")
    }

    private func count(_ rows: String) async throws -> Int {
        try await installation.sql("SELECT count(*) FROM \(rows)").first.flatMap { Int($0) } ?? 0
    }
}

extension TestInstallation {
    /// Runs `body` while another transaction has the locks of a statement, until `body` ends or releases them.
    package func holding(
        _ statement: String, _ body: @Sendable @escaping (HeldLock) async throws -> Void
    ) async throws {
        let lock = HeldLock(in: self)
        async let held: Void? = try? lock.hold(statement)
        try await eventually("the lock is held", lock.isHeld)
        do {
            try await body(lock)
        } catch {
            try await lock.release()
            throw error
        }
        try await lock.release()
        _ = await held
    }
}
