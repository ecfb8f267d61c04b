import PostgresHarness
import PostgresLibPQ
import Testing

@Suite(.timeLimit(.minutes(15))) struct ConnectingTests {
    private struct TLSVersion: PostgresStatement {
        static let sql = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"

        static func decode(_ row: inout PostgresRow) throws(PostgresError) -> String? {
            try row.next()
        }
    }

    @Test(arguments: ["host=127.0.0.1 sslmode=require", "host=localhost sslmode=verify-full"])
    func `a TCP connection with TLS parameters uses TLS 1.3`(parameters: String) async throws {
        let url = try await NetworkCluster.shared().tcpURL(
            "\(parameters) sslrootcert=\(NetworkCluster.shared().rootCertificate)")
        try await withClient(url) { client in
            let rows = try await client.execute(TLSVersion())
            #expect(rows == ["TLSv1.3"])
        }
    }

    @Test func `answers larger than a TLS record arrive complete`() async throws {
        struct Large: PostgresStatement {
            static let sql = "SELECT repeat('x', $1::int)"
            var count: Int32
            func bind(_ parameters: inout PostgresParameters) { parameters.append(count) }
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Int {
                try row.next(as: String.self).utf8.count
            }
        }
        try await withClient(
            await NetworkCluster.shared().tcpURL("host=127.0.0.1 sslmode=require"),
            configure: { $0.maximumConnections = 1 }
        ) { client in
            let counts = (0..<200).map { Int32($0 * 1_009) }
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for count in counts { group.addTask { try await client.execute(Large(count: count))[0] } }
                return try await group.reduce(0, +)
            }
            #expect(sum == counts.reduce(0) { $0 + Int($1) })
        }
    }

    @Test func `verify-full refuses a server whose certificate has another name`() async throws {
        let root = try await NetworkCluster.shared().rootCertificate
        let error = try await failure(
            try await NetworkCluster.shared().tcpURL("host=127.0.0.1 sslmode=verify-full sslrootcert=\(root)"))
        #expect(error.message.contains("localhost"))
    }

    @Test func `a wrong password is reported as the reason, without the password`() async throws {
        let url = try await NetworkCluster.shared().tcpURL("host=127.0.0.1 sslmode=disable", password: "quite-wrong")
        let error = try await failure(url)
        #expect("\(error)".contains("password authentication failed"))
        #expect(!"\(error) \(error.message) \(error.detail ?? "")".contains("quite-wrong"))
    }

    @Test func `an unknown host is reported as the reason, without the password`() async throws {
        let error = try await failure("postgresql://user:geheim@nowhere.invalid/db")
        #expect("\(error)".contains("nowhere.invalid"))
        #expect(!"\(error) \(error.message)".contains("geheim"))
    }

    @Test func `with several hosts, the client uses the one that is reachable`() async throws {
        let dead = try NetworkCluster.unusedPort()
        let cluster = try await NetworkCluster.shared()
        let url = """
            host=127.0.0.1,127.0.0.1 port=\(dead),\(cluster.port) dbname=postgres user=postgres sslmode=prefer \
            password='\(cluster.password)' target_session_attrs=read-write
            """
        try await withClient(url) { client in
            let rows = try await client.execute(Add(left: 1, right: 2))
            #expect(rows == [3])
        }
    }

    @Test func `with several hosts in a URI, the client uses the one that is reachable`() async throws {
        let dead = try NetworkCluster.unusedPort()
        let cluster = try await NetworkCluster.shared()
        let url = "postgresql://postgres:p%25word-of-the-tests@127.0.0.1:\(dead),127.0.0.1:\(cluster.port)/postgres"
        try await withClient(url + "?target_session_attrs=read-write") { client in
            let rows = try await client.execute(Add(left: 1, right: 2))
            #expect(rows == [3])
        }
    }

    @Test func `options in the URL are combined with the timeouts of the client`() async throws {
        struct Settings: PostgresStatement {
            static let sql = """
                SELECT current_setting('statement_timeout'), current_setting('work_mem'),
                    current_setting('application_name')
                """
            static func decode(_ row: inout PostgresRow) throws(PostgresError) -> [String] {
                [try row.next(), try row.next(), try row.next()]
            }
        }
        let url = try await NetworkCluster.shared().url + " options='-c work_mem=5MB' application_name=theirs"
        try await withClient(url, configure: { $0.statementTimeoutMilliseconds = 12_345 }) { client in
            let rows = try await client.execute(Settings())
            #expect(rows == [["12345ms", "5MB", "theirs"]])
        }
    }

    @Test func `descriptions of a configuration do not contain its URL`() {
        let configuration = PostgresConfiguration(url: "postgresql://user:geheim@host/db")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration) \(String(reflecting: configuration)) \(dumped)".contains("geheim"))
    }

    private func failure(_ url: String) async throws -> PostgresError {
        let error = try await withClient(url, configure: { $0.acquireTimeoutSeconds = 1 }) { client in
            while true {
                let error = try await postgresError { _ = try await client.execute(Add(left: 1, right: 2)) }
                // There is no reason to report until the first attempt has failed.
                if error.code == .cannotConnect, !error.message.isEmpty { return error }
            }
        }
        #expect(error.isUnavailable)
        #expect(error.isRetryable)
        return error
    }
}
