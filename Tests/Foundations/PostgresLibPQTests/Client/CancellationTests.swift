import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct CancellationTests {
    @Test func `a cancelled statement in flight returns at once, and its connection stays open`() async throws {
        try await withClient { holder in
            try await withClient(configure: { limits in
                limits.maximumConnections = 1
                limits.applicationName = "waits for 101"
            }) { client in
                let process = try await client.execute(BackendProcess())
                try await withLock(101, holder) {
                    let waiting = Task { try await postgresError { _ = try await client.execute(Lock(number: 101)) } }
                    try await waitUntilActive(1, "waits for 101", holder)
                    waiting.cancel()
                    // It returns although the server still waits for the lock.
                    let error = try await waiting.value
                    #expect(error.code == .cancelled)
                    try await waitUntilActive(1, "waits for 101", holder)
                }
                let next = try await client.execute(BackendProcess())
                #expect(next == process)
            }
        }
    }

    @Test func `a cancelled statement with an answer limit goes on, and its outcome is known`() async throws {
        try await withClient { holder in
            try await withClient(configure: { $0.applicationName = "waits for 103" }) { client in
                try await holder.withConnection { connection in
                    try await connection.executeScript("BEGIN")
                    _ = try await connection.execute(Lock(number: 103))
                    let waiting = Task {
                        let limit = AnswerLimit(statement: .seconds(300), all: .seconds(300))
                        return try await AnswerLimit.$current.withValue(limit) {
                            try await client.execute(Lock(number: 103)).count
                        }
                    }
                    try await withClient { try await waitUntilActive(1, "waits for 103", $0) }
                    waiting.cancel()
                    try await connection.executeScript("COMMIT")
                    #expect(try await waiting.value == 1)
                }
            }
        }
    }

    @Test func `a cancelled waiter with an answer limit gets its connection and its answer`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            let sum = try await client.withConnection { _ in
                let waiting = Task {
                    let limit = AnswerLimit(statement: .seconds(300), all: .seconds(300))
                    return try await AnswerLimit.$current.withValue(limit) {
                        try await client.execute(Add(left: 1, right: 2))
                    }
                }
                waiting.cancel()
                return waiting
            }
            #expect(try await sum.value == [3])
        }
    }

    @Test func `a cancelled waiter leaves the queue at once, and its statement is not sent`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.maximumWaiters = 1
        }) { client in
            try await makeNumbersTable(client)
            try await client.withConnection { _ in
                let error = try await cancelled(after: .milliseconds(50)) {
                    _ = try await client.execute(Insert(suite: "cancelled waiter", number: 1))
                }
                #expect(error.code == .cancelled)
                // The queue has one place, and it is free again.
                let second = try await cancelled(after: .milliseconds(50)) {
                    try await client.withConnection { _ in }
                }
                #expect(second.code == .cancelled)
            }
            #expect(try await client.execute(Numbers(suite: "cancelled waiter")).isEmpty)
        }
    }

    @Test func `a statement in a cancelled task throws cancelled`() async throws {
        try await withClient { client in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await postgresError { _ = try await client.execute(Sleep(seconds: 1)) }
            }
            let error = try await task.value
            #expect(error.code == .cancelled)
        }
    }

    @Test func `cancelling on a lease closes the connection, and the server ends the statement`() async throws {
        try await withClient { observer in
            try await withClient(configure: { limits in
                limits.maximumConnections = 1
                limits.applicationName = "the cancelled"
            }) { client in
                let error = try await cancelled(after: .milliseconds(200)) {
                    try await client.withConnection(statementTimeoutMilliseconds: 0) { connection in
                        _ = try await connection.execute(Sleep(seconds: 36_000))
                    }
                }
                #expect(error.code == .cancelled)
                #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
                // The server notices that the client is gone (client_connection_check_interval).
                while try await observer.execute(CountActive(applicationName: "the cancelled")) != [0] {
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    @Test func `a cancelled transaction is rolled back`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            try await makeNumbersTable(client)
            let suite = "cancelled transaction"
            let error = try await cancelled(after: .milliseconds(300)) {
                try await client.withConnection { connection in
                    try await connection.executeScript("BEGIN")
                    _ = try await connection.execute(Insert(suite: suite, number: 1))
                    _ = try await connection.execute(Sleep(seconds: 36_000))
                }
            }
            #expect(error.code == .cancelled)
            #expect(try await client.execute(Numbers(suite: suite)).isEmpty)
        }
    }

    @Test func `cancelling many statements at random loses no connection and mixes up no answers`() async throws {
        try await withClient(configure: { $0.pipelineDepth = 8 }) { client in
            let processes = try await client.execute(BackendProcess())
            #expect(processes.count == 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let task = Task { try await client.execute(Add(left: number, right: 1)) }
                        if number % 3 == 0 { task.cancel() }
                        let result = await task.result
                        if case .success(let sums) = result { #expect(sums == [number + 1]) }
                        if number % 3 != 0 { _ = try result.get() }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// Runs `body` in a task, cancels the task after `delay`, and returns the error.
private func cancelled(
    after delay: Duration, _ body: @escaping @Sendable () async throws -> Void
) async throws -> PostgresError {
    let task = Task { try await postgresError(body) }
    try await Task.sleep(for: delay)
    task.cancel()
    return try await task.value
}
