import PostgresHarness
import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct LossTests {
    @Test func `killing a backend fails its pipelined statements, and the connection is replaced`() async throws {
        try await withClient { killer in
            try await withClient(configure: { limits in
                limits.maximumConnections = 1
                limits.applicationName = "the killed"
            }) { client in
                let process = try await client.execute(BackendProcess())[0]
                let errors = try await withThrowingTaskGroup(of: PostgresError.self) { group in
                    for _ in 0..<10 {
                        group.addTask {
                            try await postgresError { _ = try await client.execute(Sleep(seconds: 36_000)) }
                        }
                    }
                    try await waitUntilActive(1, "the killed", killer)
                    // Repeatedly, because on a slow machine a statement can be sent only on the next connection.
                    let terminating = Task {
                        while !Task.isCancelled {
                            _ = try await killer.execute(TerminateActive(applicationName: "the killed"))
                            try await Task.sleep(for: .milliseconds(50))
                        }
                    }
                    defer { terminating.cancel() }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(errors.count == 10)
                #expect(errors.allSatisfy { $0.code == .connectionLost && $0.isUnavailable && !$0.isRetryable })
                #expect(errors.contains { $0.sqlState == .adminShutdown })
                let next = try await client.execute(BackendProcess())
                #expect(next != [process])
            }
        }
    }

    @Test func `a killed idle connection is replaced`() async throws {
        try await withClient { killer in
            try await withClient(configure: { $0.maximumConnections = 1 }) { client in
                for _ in 0..<5 {
                    let process = try await client.execute(BackendProcess())[0]
                    _ = try await killer.execute(Terminate(process: process))
                    while try await eventually({ try await client.execute(BackendProcess()) }) == [process] {}
                }
            }
        }
    }

    @Test func `a connection to a read-only server is replaced`() async throws {
        try await withClient { try await makeNumbersTable($0) }
        let url = try await NetworkCluster.shared().url + " options='-c default_transaction_read_only=on'"
        try await withClient(url, configure: { $0.maximumConnections = 1 }) { client in
            let process = try await client.execute(BackendProcess())
            let error = try await postgresError {
                _ = try await client.execute(Insert(suite: "read-only", number: 1))
            }
            #expect(error.code == .server(.readOnlySQLTransaction))
            #expect(error.isUnavailable)
            let next = try await client.execute(BackendProcess())
            #expect(next != process)
        }
    }

    @Test func `a lease fails if its backend is killed, and the pool stays usable`() async throws {
        try await withClient { killer in
            try await withClient(configure: { $0.maximumConnections = 1 }) { client in
                let error = try await postgresError {
                    try await client.withConnection { connection in
                        let process = try await connection.execute(BackendProcess())[0]
                        _ = try await killer.execute(Terminate(process: process))
                        _ = try await connection.execute(Sleep(seconds: 36_000))
                    }
                }
                #expect(error.code == .connectionLost)
                #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
            }
        }
    }

    @Test func `the client survives restarts and outages of the server`() async throws {
        let cluster = try await NetworkCluster.make()
        defer { cluster.remove() }
        let messages = Messages()
        try await withClient(
            cluster.url, logger: messages.logger,
            configure: { limits in
                limits.maximumConnections = 4
                limits.pipelineDepth = 1
                limits.applicationName = "the surviving"
            }
        ) { client in
            for _ in 0..<3 {
                try await restart(cluster, whileBusy: client)
                let sums = try await client.execute(Add(left: 1, right: 2))
                #expect(sums == [3])
            }
            try await cluster.stopImmediately()
            async let early = eventually { try await client.execute(Add(left: 3, right: 4)) }
            try await Task.sleep(for: .milliseconds(500))
            try await cluster.start()
            // The statement was executed during the outage, and waited for its end.
            let sums = try await early
            #expect(sums == [7])
            #expect(messages.all.contains("PostgreSQL can be reached again"))
        }
    }

    private func restart(_ cluster: NetworkCluster, whileBusy client: PostgresClient) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let error = try await postgresError { _ = try await client.execute(Sleep(seconds: 36_000)) }
                    #expect(error.code == .connectionLost)
                }
            }
            try await withClient(cluster.url) { try await waitUntilActive(4, "the surviving", $0) }
            try await cluster.restartImmediately()
            try await group.waitForAll()
        }
    }
}
