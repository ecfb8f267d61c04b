import PostgresHarness
import PostgresLibPQ
import Testing

/// A server whose commits wait for a synchronous standby that does not answer.
@Suite(.timeLimit(.minutes(15))) struct StandbyTests {
    /// A cluster of its own, in which no commit of the application `waiting` ends by itself.
    private func withMissingStandby(
        _ body: @Sendable @escaping (_ waiting: PostgresClient, _ observer: PostgresClient) async throws -> Void
    ) async throws {
        let cluster = try await NetworkCluster.make()
        defer { cluster.remove() }
        try await withClient(cluster.url, configure: { $0.applicationName = "observer" }) { observer in
            try await makeNumbersTable(observer)
            try await observer.withConnection { connection in
                try await connection.executeScript("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
                try await connection.executeScript("SELECT pg_reload_conf()")
            }
            try await withClient(cluster.url, configure: { $0.applicationName = "probe" }) { probe in
                try await untilCommitsWait(probe, observer)
            }
            try await withClient(cluster.url, configure: { $0.applicationName = "waiting" }) { waiting in
                try await body(waiting, observer)
            }
        }
    }

    /// PostgreSQL follows the new setting a little later.
    private func untilCommitsWait(_ probe: PostgresClient, _ observer: PostgresClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1... { _ = try await probe.execute(Insert(suite: "probe", number: number)) }
            }
            while try await observer.execute(IsWaiting(applicationName: "probe")) != [true] {
                try await Task.sleep(for: .milliseconds(20))
            }
            group.cancelAll()
            _ = await group.nextResult()
        }
    }

    @Test func `a commit whose wait for the standby was cancelled is never reported as a success`() async throws {
        try await withMissingStandby { waiting, observer in
            async let failure = postgresError { _ = try await waiting.execute(Insert(suite: "standby", number: 1)) }
            while try await observer.execute(CancelStandbyWait()) != [true] {
                try await Task.sleep(for: .milliseconds(20))
            }
            let error = try await failure
            #expect(error.code == .connectionLost && !error.isRetryable, "\(error)")
            #expect(error.message.contains("synchronous standby"), "\(error)")
            // It takes effect, so "nothing happened" would have been wrong too. Others see it when its session has noticed that the
            // wait was cancelled, which can be later than the client.
            while try await observer.execute(Numbers(suite: "standby")) != [1] {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test func `a caller's limit ends the wait, and the outcome is unknown`() async throws {
        try await withMissingStandby { waiting, observer in
            // It must be the answer that is late, and not the connection.
            _ = try await waiting.execute(Add(left: 0, right: 0))
            let error = try await AnswerLimit.$current.withValue(.statement(.seconds(3))) {
                try await postgresError { _ = try await waiting.execute(Insert(suite: "standby", number: 2)) }
            }
            #expect(error.code == .connectionLost && !error.isRetryable, "\(error)")
            #expect(try await waiting.execute(Add(left: 1, right: 2)) == [3], "another connection answers")
        }
    }

    @Test func `a server that hangs gets no more connections than the pool has`() async throws {
        try await withMissingStandby { waiting, observer in
            for number in 10..<16 {
                _ = try await AnswerLimit.$current.withValue(.statement(.milliseconds(100))) {
                    try await postgresError { _ = try await waiting.execute(Insert(suite: "standby", number: number)) }
                }
            }
            // The pool has two connections. Each was given up once; then one after the other is tried.
            let count = try #require(try await observer.execute(CountActive(applicationName: "waiting")).first)
            #expect(count <= 8)
        }
    }
}

/// Whether a client's session waits for a standby.
private struct IsWaiting: PostgresStatement {
    let applicationName: String

    static let sql = """
        SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'SyncRep')
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(applicationName)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Bool {
        try row.next()
    }
}

/// Cancels the statement of a session that waits for a standby.
private struct CancelStandbyWait: PostgresStatement {
    static let sql = """
        SELECT coalesce(bool_or(pg_cancel_backend(pid)), false) FROM pg_stat_activity
        WHERE application_name = 'waiting' AND wait_event = 'SyncRep'
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Bool {
        try row.next()
    }
}
