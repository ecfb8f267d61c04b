import PostgresLibPQ
import Testing

@Suite struct LossTests {
    @Test func `a backend that is killed in mid-pipeline fails what is under way, and is replaced`() async throws {
        try await withClient { killer in
            try await withClient(configure: { limits in
                limits.maximumConnections = 1
                limits.applicationName = "the killed"
            }) { client in
                let process = try await client.execute(BackendProcess())[0]
                let codes = try await withThrowingTaskGroup(of: PostgresError.self) { group in
                    for _ in 0..<10 {
                        group.addTask { try await postgresError { _ = try await client.execute(Sleep(seconds: 8)) } }
                    }
                    try await waitUntilActive(1, "the killed", killer)
                    _ = try await killer.execute(Terminate(process: process))
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(codes.count == 10)
                #expect(codes.allSatisfy { $0.code == .connectionLost && $0.isUnavailable && !$0.isRetryable })
                #expect(codes.contains { $0.sqlState == .adminShutdown })
                let next = try await client.execute(BackendProcess())
                #expect(next != [process])
            }
        }
    }

    @Test func `an idle backend that is killed is replaced before anybody notices`() async throws {
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

    @Test func `a lease whose backend is killed fails, and the pool goes on`() async throws {
        try await withClient { killer in
            try await withClient(configure: { $0.maximumConnections = 1 }) { client in
                let error = try await postgresError {
                    try await client.withTransaction { connection in
                        let process = try await connection.execute(BackendProcess())[0]
                        _ = try await killer.execute(Terminate(process: process))
                        _ = try await connection.execute(Sleep(seconds: 8))
                    }
                }
                #expect(error.code == .connectionLost)
                #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
            }
        }
    }

    @Test func `the client outlives restarts and outages of the server`() async throws {
        let cluster = try TestCluster()
        defer { cluster.remove() }
        try await withClient(cluster.url, configure: { $0.maximumConnections = 4 }) { client in
            for _ in 0..<3 {
                _ = try await client.execute(Add(left: 1, right: 2))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            let error = try await postgresError { _ = try await client.execute(Sleep(seconds: 9)) }
                            #expect(error.isUnavailable)
                        }
                    }
                    try await Task.sleep(for: .milliseconds(300))
                    try cluster.restartImmediately()
                    try await group.waitForAll()
                }
                #expect(try await client.execute(Add(left: 1, right: 2)) == [3])
            }
            try cluster.stopImmediately()
            async let early = client.execute(Add(left: 3, right: 4))
            try await Task.sleep(for: .milliseconds(500))
            try cluster.start()
            // It had been asked during the outage, and waited for its end.
            let sums = try await eventually { try await client.execute(Add(left: 3, right: 4)) }
            #expect(sums == [7])
            let first = try? await early
            #expect(first == [7] || first == nil)
        }
    }
}
