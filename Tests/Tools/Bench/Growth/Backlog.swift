import Foundation
import ServerHarness

/// Whether requests wait while housekeeping removes a large backlog: the same load without it and with it.
struct Backlog {
    let service: BenchService
    /// Rows of each kind that expires.
    let rows: Int
    let operation = Operation.fetchByToken
    let seconds: Double
    let connectionCount: Int

    struct Result: Codable {
        let rows: Int
        let perSecond: Double
        let without: Measurement.Latency
        let during: Measurement.Latency
        let longestWithoutMilliseconds: Double
        let longestDuringMilliseconds: Double
        /// How many of the rows were removed during the load.
        let removed: Int
        let seconds: Double
    }

    /// - Parameter perSecond: the rate of requests, well below saturation.
    func measure(perSecond: Double, lock: MeasuringLock, log: (String) -> Void) async throws -> Result {
        let count = Int(perSecond * seconds)
        let requests = try await operation.requests(0..<(2 * count), of: service)
        log("making a backlog of \(rows) rows of each kind")
        try await service.server.stop()
        let quiet = try await lock.whileHeld {
            let server = try await service.startServer()
            let result = try send(requests.part(0..<count), perSecond, to: server.port)
            try await server.stop()
            return result
        }
        try await insert()
        log("measuring while housekeeping removes it")
        return try await lock.whileHeld {
            let before = try await remaining()
            // A server removes what has expired as soon as it starts.
            let server = try await service.startServer()
            let busy = try send(requests.part(count..<(2 * count)), perSecond, to: server.port)
            let after = try await remaining()
            try await server.stop()
            return Result(
                rows: before, perSecond: perSecond, without: .init(quiet), during: .init(busy),
                longestWithoutMilliseconds: quiet.percentile(1), longestDuringMilliseconds: busy.percentile(1),
                removed: before - after, seconds: busy.seconds)
        }
    }

    private func send(_ requests: RequestBatch, _ perSecond: Double, to port: Int) throws -> LoadResult {
        let generator = LoadGenerator(port: port, connectionCount: connectionCount)
        let result = try generator.run(requests, .constant(perSecond: perSecond))
        guard result.failures == 0 else { throw LoadFailed(description: result.unexpected ?? "") }
        return result
    }

    private func insert() async throws {
        let bank = service.bank.id
        try await service.installation.sql(
            """
            SET LOCAL synchronous_commit = off;
            INSERT INTO spent_proof
                SELECT '\(bank)', 'nonce', substr(sha256(int8send(n)), 1, 16), now() - interval '1 hour'
                FROM generate_series(1, \(rows)) AS n;
            INSERT INTO delivery_session
                (bank_id, session_id, unique_id, channel, confirmations, pin_serial, opened_at, expires_at,
                notified_status)
                SELECT bank_id, encode(sha224(int8send(row_number() OVER ())), 'hex'), unique_id, 'AC',
                    ARRAY[sha256(''), sha256(''), sha256('')], 1, now() - interval '2 hours', now() - interval '1 hour', 0
                FROM cardholder LIMIT \(rows);
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at, acknowledged)
                SELECT bank_id, unique_id, 'pin.delivered', '{"channel": "TOKEN", "status": 0}',
                    now() - interval '31 days', true
                FROM cardholder LIMIT \(rows);
            WITH expired AS (
                UPDATE pin_expiry SET expires_at = now() - interval '1 hour'
                WHERE unique_id LIKE '%-%' RETURNING bank_id, unique_id, expires_at
            )
            UPDATE cardholder SET pin_expires_at = expires_at FROM expired
            WHERE (cardholder.bank_id, cardholder.unique_id) = (expired.bank_id, expired.unique_id)
            """)
        try await service.installation.runAlone("VACUUM (ANALYZE)")
    }

    private func remaining() async throws -> Int {
        let counts = try await service.installation.sql(
            """
            SELECT count(*) FROM spent_proof WHERE expires_at < now();
            SELECT count(*) FROM delivery_session WHERE expires_at < now();
            SELECT count(*) FROM event WHERE occurred_at < now() - interval '30 days';
            SELECT count(*) FROM pin_expiry WHERE expires_at < now()
            """)
        return counts.compactMap { Int($0) }.reduce(0, +)
    }
}
