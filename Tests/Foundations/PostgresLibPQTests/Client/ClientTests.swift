import PostgresHarness
import PostgresLibPQ
import ServiceLifecycle
import Testing

@Suite(.timeLimit(.minutes(15))) struct ClientTests {
    @Test func `a statement returns its rows`() async throws {
        try await withClient { client in
            let sums = try await client.execute(Add(left: 40, right: 2))
            #expect(sums == [42])
        }
    }

    @Test func `executeForOneRow throws if the number of rows is not one`() async throws {
        try await withClient { client in
            let sum = try await client.executeForOneRow(Add(left: 40, right: 2))
            #expect(sum == 42)
            try await makeNumbersTable(client)
            let error = try await postgresError {
                _ = try await client.executeForOneRow(Numbers(suite: "nobody's"))
            }
            #expect(error.code == .decoding)
        }
    }

    @Test func `an error contains the SQLSTATE of the server`() async throws {
        try await withClient { client in
            let error = try await postgresError { _ = try await client.execute(DivideByZero()) }
            #expect(error.code == .server(SQLState(rawValue: "22012")))
            #expect(error.message == "division by zero")
            #expect(!error.isUnavailable)
        }
    }

    @Test func `10,000 concurrent statements share four connections`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 4
            limits.maximumWaiters = 10_000
        }) { client in
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10_000 {
                    group.addTask { try await client.execute(Add(left: number, right: 1))[0] }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == 10_000 * 10_001 / 2)
        }
    }

    @Test func `an error in a pipelined statement does not affect the other statements`() async throws {
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            let sums = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        guard number % 5 != 0 else {
                            _ = try? await client.execute(DivideByZero())
                            return nil
                        }
                        return try await client.execute(Add(left: number, right: 0))[0]
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(sums.compactMap { $0 }.sorted() == (0..<200).filter { $0 % 5 != 0 })
        }
    }

    @Test func `a result larger than all buffers arrives complete`() async throws {
        struct ManyRows: PostgresStatement {
            static let sql = "SELECT repeat('x', 1000) || n FROM generate_series(1, 20000) n ORDER BY n"
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> String { try row.next() }
        }
        try await withClient { client in
            let rows = try await client.execute(ManyRows())
            #expect(rows.count == 20_000)
            #expect(rows.last == String(repeating: "x", count: 1000) + "20000")
        }
    }

    @Test func `5 MB parameters arrive complete while large answers are received`() async throws {
        struct Echo: PostgresStatement {
            static let sql = "SELECT $1"
            var bytes: [UInt8]
            func bind(_ parameters: inout PostgresParameters) { parameters.append(bytes) }
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> [UInt8] { try row.next() }
        }
        // All on one connection: if we did not read the answers, the server would stop reading our parameters.
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for seed in UInt8(1)...8 {
                    group.addTask {
                        let bytes = [UInt8](repeating: seed, count: 5_000_000)
                        let echoed = try await client.execute(Echo(bytes: bytes))
                        #expect(echoed == [bytes])
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a statement is prepared again when its table has changed`() async throws {
        struct All: PostgresStatement {
            static let sql = "SELECT * FROM changing"
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int { row.columnCount }
        }
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            try await client.withConnection { connection in
                try await connection.executeScript("CREATE TABLE changing (a int); INSERT INTO changing VALUES (1)")
            }
            #expect(try await client.execute(All()) == [1])
            try await client.withConnection { connection in
                try await connection.executeScript("ALTER TABLE changing ADD b int")
            }
            #expect(try await client.execute(All()) == [2])
            try await client.withConnection { connection in
                try await connection.executeScript("DROP TABLE changing; DEALLOCATE ALL")
            }
            let error = try await postgresError { _ = try await client.execute(All()) }
            #expect(error.code == .server(.undefinedTable))
            #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
        }
    }

    @Test func `statements beyond maximumPreparedStatements still run`() async throws {
        try await withClient(configure: { limits in
            limits.maximumConnections = 1
            limits.maximumPreparedStatements = 1
        }) { client in
            for _ in 0..<3 {
                let (sum, process, again) = try await client.batch(
                    Add(left: 1, right: 2), BackendProcess(), Add(left: 3, right: 4))
                #expect(sum == [3])
                #expect(process.count == 1)
                #expect(again == [7])
            }
        }
    }

    @Test func `a BEGIN on a shared connection closes the connection`() async throws {
        struct Begin: PostgresStatement { static let sql = "BEGIN" }
        try await withClient(configure: { $0.maximumConnections = 1 }) { client in
            let process = try await client.execute(BackendProcess())
            _ = try? await client.execute(Begin())
            let next = try await eventually { try await client.execute(BackendProcess()) }
            #expect(next != process)
        }
    }
}

@Suite(.timeLimit(.minutes(15))) struct LifecycleTests {
    @Test func `a statement that is executed before the client runs waits for it`() async throws {
        var configuration = PostgresConfiguration(url: try await NetworkCluster.shared().url)
        configuration.acquireTimeoutSeconds = 300
        let client = PostgresClient(configuration: configuration, logger: quietLogger)
        try await withThrowingTaskGroup(of: [Int].self) { group in
            group.addTask { try await client.execute(Add(left: 1, right: 2)) }
            try await Task.sleep(for: .milliseconds(100))
            group.addTask {
                try await client.run()
                return []
            }
            let sums = try await group.next()
            #expect(sums == [3])
            group.cancelAll()
        }
    }

    @Test func `graceful shutdown finishes the statement in flight and refuses new ones`() async throws {
        var configuration = PostgresConfiguration(url: try await NetworkCluster.shared().url)
        configuration.acquireTimeoutSeconds = 300
        configuration.applicationName = "the finishing"
        configuration.statementTimeoutMilliseconds = 0
        configuration.shutdownTimeoutSeconds = 120
        let client = PostgresClient(configuration: configuration, logger: quietLogger)
        try await stopWhileAStatementIsUnderWay(client)
        let error = try await postgresError { _ = try await client.execute(Add(left: 1, right: 2)) }
        #expect(error.code == .shutDown)
        #expect(error.isUnavailable)
    }

    private func stopWhileAStatementIsUnderWay(_ client: PostgresClient) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [.init(service: client)], logger: quietLogger))
        try await withClient { holder in
            async let run: Void = group.run()
            _ = try await client.execute(Add(left: 0, right: 0))
            try await holder.withConnection { connection in
                try await connection.executeScript("BEGIN")
                _ = try await connection.execute(Lock(number: 102))
                async let finished: [Void] = client.execute(Lock(number: 102))
                try await withClient { try await waitUntilActive(1, "the finishing", $0) }
                await group.triggerGracefulShutdown()
                // The client has begun to shut down when it refuses new statements.
                while (try? await client.execute(Add(left: 1, right: 2))) != nil {}
                try await connection.executeScript("COMMIT")
                _ = try await finished
            }
            try await run
        }
    }

    @Test func `a statement that outlasts the shutdown timeout is cut off`() async throws {
        var configuration = PostgresConfiguration(url: try await NetworkCluster.shared().url)
        configuration.shutdownTimeoutSeconds = 0.2
        configuration.applicationName = "the cut off"
        configuration.statementTimeoutMilliseconds = 0
        configuration.acquireTimeoutSeconds = 300
        let client = PostgresClient(configuration: configuration, logger: quietLogger)
        try await withThrowingTaskGroup(of: PostgresError?.self) { group in
            let running = Task { try await client.run() }
            _ = try await client.execute(Add(left: 0, right: 0))
            group.addTask { try await postgresError { _ = try await client.execute(Sleep(seconds: 3_600)) } }
            try await withClient { try await waitUntilActive(1, "the cut off", $0) }
            running.cancel()
            let error = try await group.next()
            #expect(error??.code == .connectionLost)
            try await running.value
        }
    }

    @Test func `running a client twice throws`() async throws {
        try await withClient { client in
            _ = try await client.execute(Add(left: 0, right: 0))
            let error = try await postgresError { try await client.run() }
            #expect(error.code == .shutDown)
        }
    }

    @Test func `an invalid configuration is refused, and its URL is not shown`() async throws {
        var configuration = PostgresConfiguration(url: "postgresql://user:geheim@host/db?nonsense=1")
        let client = PostgresClient(configuration: configuration, logger: quietLogger)
        for error in [
            try await postgresError { try await client.run() },
            try await postgresError { _ = try await client.execute(Add(left: 1, right: 2)) },
        ] {
            #expect(error.code == .invalidConfiguration)
            #expect(!"\(error) \(error.message)".contains("geheim"))
        }
        configuration.maximumConnections = 0
        #expect(throws: PostgresError.self) { try configuration.validate() }
    }
}
