import Glibc
import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct LimitTests {
    @Test func `a statement that waits longer than the acquire timeout fails`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.acquireTimeoutSeconds = 0.5
        }) { client in
            try await eventually {
                try await client.withConnection { _ in
                    let error = try await postgresError { _ = try await client.execute(BackendProcess()) }
                    #expect(error.code == .acquireTimeout)
                    #expect(error.isUnavailable)
                    #expect(error.isRetryable)
                }
            }
            let sums = try await eventually { try await client.execute(Add(left: 1, right: 2)) }
            #expect(sums == [3])
        }
    }

    @Test func `a caller's limit bounds the wait for a connection too`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.acquireTimeoutSeconds = 300
        }) { client in
            try await client.withConnection { _ in
                let start = ContinuousClock.now
                let error = try await AnswerLimit.$current.withValue(.statement(.milliseconds(200))) {
                    try await postgresError { _ = try await client.execute(BackendProcess()) }
                }
                #expect(error.code == .acquireTimeout)
                #expect(start.duration(to: .now) < .seconds(200))
            }
        }
    }

    @Test func `a connection is kept if the server works for longer than the rest of a caller's limit`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            let process = try await eventually { try await client.execute(BackendProcess())[0] }
            // As if it had waited for a connection, or for other statements.
            let rest = AnswerLimit(statement: .seconds(300), all: .seconds(3))
            let error = try await AnswerLimit.$current.withValue(rest) {
                try await postgresError { _ = try await client.execute(Sleep(seconds: 6)) }
            }
            #expect(error.code == .connectionLost)
            let next = try await eventually { try await client.execute(BackendProcess())[0] }
            #expect(next == process)
        }
    }

    @Test func `a caller's limit bounds the wait for all statements together`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            _ = try await eventually { try await client.execute(BackendProcess()) }
            var count = 0
            let all = AnswerLimit(statement: .seconds(300), all: .seconds(1))
            let error = try await AnswerLimit.$current.withValue(all) {
                try await postgresError {
                    for _ in 0..<20 {
                        _ = try await client.execute(Sleep(seconds: 0.3))
                        count += 1
                    }
                }
            }
            #expect(count <= 3)
            #expect([.connectionLost, .acquireTimeout].contains(error.code))
        }
    }

    @Test func `nothing is sent if hardly any time is left`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            _ = try await eventually { try await client.execute(BackendProcess()) }
            let spent = AnswerLimit(statement: .seconds(300), all: .seconds(3))
            try await AnswerLimit.$current.withValue(spent) {
                let late = try await postgresError { _ = try await client.execute(Sleep(seconds: 6)) }
                #expect(late.code == .connectionLost)
                let unsent = try await postgresError { _ = try await client.execute(Add(left: 1, right: 2)) }
                #expect(unsent.code == .acquireTimeout && unsent.isUnavailable)
            }
        }
    }

    @Test func `a waiter beyond maximumWaiters fails at once`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.maximumWaiters = 2
        }) { client in
            try await client.withConnection { _ in
                let errors = try await withThrowingTaskGroup(of: PostgresError.self) { group in
                    for _ in 0..<3 {
                        group.addTask { try await postgresError { _ = try await client.execute(BackendProcess()) } }
                    }
                    let first = try await group.next()
                    group.cancelAll()
                    return try await group.reduce(into: [first]) { $0.append($1) }
                }
                #expect(errors.map { $0?.code } == [.tooManyWaiters, .cancelled, .cancelled])
            }
        }
    }

    @Test func `a statement that exceeds its timeout fails, and its connection stays open`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.statementTimeoutMilliseconds = 300
            limits.silenceGraceSeconds = 60
        }) { client in
            let process = try await eventually { try await client.execute(BackendProcess()) }
            let error = try await postgresError { _ = try await client.execute(Sleep(seconds: 36_000)) }
            #expect(error.code == .statementTimeout)
            #expect(error.sqlState == .queryCanceled)
            let next = try await eventually { try await client.execute(BackendProcess()) }
            #expect(next == process)
        }
    }

    @Test func `a lease can set its own statement timeout, which is reset afterwards`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.statementTimeoutMilliseconds = 1_000
            limits.silenceGraceSeconds = 2
        }) { client in
            try await client.withConnection(statementTimeoutMilliseconds: 0) { connection in
                _ = try await connection.execute(Sleep(seconds: 4))
            }
            let error = try await postgresError { _ = try await client.execute(Sleep(seconds: 3_600)) }
            #expect(error.code == .statementTimeout)
        }
    }

    @Test func `a connection is lost if the server stops answering`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.statementTimeoutMilliseconds = 300
            limits.silenceGraceSeconds = 0.5
        }) { client in
            let process = try await eventually { try await client.execute(BackendProcess())[0] }
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            let error = try await postgresError { _ = try await client.execute(Add(left: 1, right: 2)) }
            #expect(error.code == .connectionLost)
            #expect(error.isUnavailable)
            #expect(!error.isRetryable)
            let next = try await eventually { try await client.execute(BackendProcess())[0] }
            #expect(next != process)
        }
    }

    @Test func `leases leave one connection for shared statements`() async throws {
        try await withClient(configure: { $0.maximumConnections = 2 }) { client in
            try await client.withConnection { _ in
                // The second lease must wait for the first, although there is another connection.
                let second = Task { try await postgresError { try await client.withConnection { _ in } } }
                for number in 0..<50 {
                    let sums = try await client.execute(Add(left: number, right: 0))
                    #expect(sums == [number])
                }
                second.cancel()
                let error = try await second.value
                #expect(error.code == .cancelled)
            }
        }
    }

    @Test func `idle connections beyond the minimum are closed`() async throws {
        struct CountSessions: PostgresStatement {
            static let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idlers'"
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int { try row.next() }
        }
        try await withClient { observer in
            try await withClient(configure: { limits in
                limits.applicationName = "idlers"
                limits.maximumConnections = 4
                limits.idleTimeoutSeconds = 0.3
            }) { client in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 { group.addTask { _ = try await client.execute(Sleep(seconds: 0.02)) } }
                    try await group.waitForAll()
                }
                while try await observer.execute(CountSessions()) != [1] {
                    try await Task.sleep(for: .milliseconds(50))
                }
                #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
            }
        }
    }
}
