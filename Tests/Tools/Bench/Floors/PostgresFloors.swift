import Foundation
import ServerHarness

/// The leanest SQL that reads and makes the same writes durable, without any check, run by pgbench with as many
/// connections as the server has.
struct PostgresFloors {
    let service: BenchService
    let seconds: Int

    private static let connections = 8
    /// Fewer in a second could be none. The processes sleep between transactions at this rate already.
    private static let leastPerSecond = 20

    /// CPU times in microseconds and the rate of one operation.
    struct Floor: Codable {
        let postgresMicroseconds: Double
        /// Of pgbench, which is a client with libpq.
        let clientMicroseconds: Double
        let perSecond: Double
    }

    /// Tables with the same columns and indexes, but without constraints and triggers.
    func prepare() async throws {
        let tables = [
            "cardholder", "spent_transaction", "spent_proof", "delivery_session", "event", "defined_pin", "pin_expiry",
            "chosen_pin", "audit_entry",
        ]
        try await service.installation.sql(
            "CREATE SCHEMA lean;"
                + tables.map { "CREATE TABLE lean.\($0) (LIKE \($0) INCLUDING INDEXES INCLUDING DEFAULTS);" }.joined()
                + "CREATE SEQUENCE lean.entry; "
                + "ALTER TABLE lean.cardholder SET (fillfactor = 85); ALTER TABLE lean.chosen_pin SET (fillfactor = 85);"
                + "INSERT INTO lean.cardholder SELECT * FROM cardholder;"
                    + """
                    INSERT INTO lean.delivery_session
                        SELECT 'lean', \(Self.session)unique_id, unique_id, 'AC', NULL, ARRAY[\(Self.pin), \(Self.pin), \(Self.pin)], 1,
                            now(), now() + interval '1 day' FROM cardholder;
                    """
                + "UPDATE lean.cardholder SET bank_id = 'lean'; ANALYZE lean.cardholder")
    }

    /// The CPU time of PostgreSQL for operations at a rate, in microseconds. Operations with the same writes have the same
    /// floor.
    func microseconds(of operations: [Operation], perSecond rate: Double) async throws -> [Operation: Double] {
        var known: [[String]: Double] = [:]
        var floors: [Operation: Double] = [:]
        for operation in operations {
            guard let statements = Self.statements(operation) else { continue }
            if known[statements] == nil {
                known[statements] = try await measure(statements: statements, perSecond: rate).postgresMicroseconds
            }
            floors[operation] = known[statements]
        }
        return floors
    }

    /// The round trip of a statement that does nothing.
    func measureRoundTrip(perSecond rate: Double) async throws -> Floor {
        try await measure(statements: ["SELECT 1"], perSecond: rate)
    }

    private func measure(statements: [String], perSecond rate: Double) async throws -> Floor {
        let names = "\\set n random(1000000, \(1_000_000 + service.cardholderCount - 1))\n"
        let script = try TestFolder.shared.write(
            names + statements.map { $0.replacing("\n", with: " ") + ";\n" }.joined(), named: "pgbench.sql")
        let rate = max(Self.leastPerSecond, Int(rate))
        // A number, and not a time: on a busy machine nothing at all can happen in a second.
        let count = max(1, rate * Int(seconds) / Self.connections)
        let arguments = [
            "-n", "-M", "prepared", "-c", "\(Self.connections)", "-j", "1", "-t", "\(count)", "-R", "\(rate)",
            "-f", script,
            "\(service.installation.ownerURL) options='-c search_path=card_companion'",
        ]
        let (server, client) = (
            ProcessTimes.secondsWithChildren(of: service.postmaster), ProcessTimes.endedChildrenSeconds()
        )
        let result = try await TestCommand.run(Self.pgbench, arguments).succeeded()
        guard let count = Self.number(after: "transactions actually processed: ", in: result.stdout), count > 0 else {
            throw LoadFailed(description: "pgbench did nothing: \(result.stdout)")
        }
        let used = ProcessTimes.secondsWithChildren(of: service.postmaster) - server
        return Floor(
            postgresMicroseconds: used * 1e6 / count,
            clientMicroseconds: (ProcessTimes.endedChildrenSeconds() - client) * 1e6 / count,
            perSecond: Self.number(after: "tps = ", in: result.stdout) ?? 0)
    }

    private static let pgbench: String = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let newest = folders.compactMap(Int.init).max().map { "/usr/lib/postgresql/\($0)/bin/pgbench" }
        return newest ?? "pgbench"
    }()

    private static func number(after text: String, in output: String) -> Double? {
        guard let range = output.range(of: text) else { return nil }
        return Double(output[range.upperBound...].prefix { $0.isNumber || $0 == "." })
    }

    private static let row = "bank_id = 'lean' AND unique_id = 'h' || :n"
    private static let digest = "uuid_send(gen_random_uuid())"
    private static let pin = "decode(repeat('ab', 36), 'hex')"
    /// What the session of each cardholder begins with.
    private static let session = "repeat('s', 20) || "
    /// The entry of the audit trail, with the digests of one changed row.
    private static let entry = """
        entry AS (
            INSERT INTO lean.audit_entry
                (chain_id, sequence, occurred_at, operation, outcome, bank_id, subject, actor, rows, hash)
            VALUES (pg_backend_pid(), nextval('lean.entry'), now(), 'operation', 'outcome', 'lean', \(hash), 'app',
                \(hash) || \(digest), \(hash))
        )
        """
    private static let hash = "decode(repeat('ab', 32), 'hex')"
    private static let nonce = """
        INSERT INTO lean.spent_proof VALUES ('lean', 'nonce', \(digest), now() + interval '10 minutes')
        """

    private static func statements(_ operation: Operation) -> [String]? {
        switch operation {
        case .health, .mix: nil
        case .keypad: ["SELECT FROM lean.cardholder WHERE \(row)"]
        case .definePINByToken, .definePINByIndexes, .definePINByHMAC:
            [
                """
                WITH spent AS (
                    INSERT INTO lean.spent_proof VALUES ('lean', 'definition', \(digest), now() + interval '2 hours')
                ), changed AS (
                    UPDATE lean.cardholder SET sealed_pin = \(pin), pin_serial = pin_serial + 1, version = version + 1,
                        definition_count = definition_count + 1
                    WHERE \(row)
                ), expiring AS (
                    INSERT INTO lean.pin_expiry VALUES ('lean', 'h' || :n, clock_timestamp() + interval '90 days')
                    ON CONFLICT DO NOTHING
                ), chosen AS (
                    INSERT INTO lean.chosen_pin VALUES ('lean', 'h' || :n, 1, repeat('e', 22), 'pending', NULL, now())
                    ON CONFLICT (bank_id, unique_id) DO UPDATE SET
                        pin_serial = excluded.pin_serial, event_id = excluded.event_id, stated_at = excluded.stated_at
                ), reported AS (
                    INSERT INTO lean.event (bank_id, unique_id, type, data, occurred_at)
                    VALUES ('lean', 'h' || :n, 'pin.defined', '{}', now()) RETURNING event_id
                ), \(entry)
                INSERT INTO lean.defined_pin SELECT 'lean', event_id, repeat('x', 700) FROM reported
                """
            ]
        case .fetchByToken, .fetchByCode:
            [
                """
                WITH spent AS (
                    INSERT INTO lean.spent_transaction VALUES ('lean', \(digest))
                ), opened AS (
                    INSERT INTO lean.delivery_session
                        (bank_id, session_id, unique_id, channel, token_mac, confirmations, pin_serial, opened_at,
                        expires_at)
                    VALUES ('lean', gen_random_uuid()::text, 'h' || :n, 'TOKEN', \(pin), ARRAY[\(pin), \(pin), \(pin)], 1,
                        now(), now() + interval '15 minutes')
                ), \(entry)
                UPDATE lean.cardholder SET unconfirmed_fetches = unconfirmed_fetches + 1, version = version + 1
                WHERE \(row) RETURNING sealed_pin, sealed_free_field
                """
            ]
        case .notifyByToken, .notifyByCode:
            [
                """
                WITH decided AS (
                    UPDATE lean.delivery_session SET notified_status = 0
                    WHERE bank_id = 'lean' AND session_id = \(session)'h' || :n
                ), reported AS (
                    INSERT INTO lean.event (bank_id, unique_id, type, data, occurred_at)
                    VALUES ('lean', 'h' || :n, 'pin.delivered', '{"channel": "TOKEN", "status": 0}', now())
                ), \(entry)
                UPDATE lean.cardholder SET delivered_at = now(), unconfirmed_fetches = 0, pin_expires_at = NULL,
                    version = version + 1
                WHERE \(row)
                """
            ]
        case .getCardholder: [nonce, "SELECT * FROM lean.cardholder WHERE \(row)"]
        case .putCardholder:
            [
                nonce,
                """
                WITH expiring AS (
                    INSERT INTO lean.pin_expiry VALUES ('lean', 'h' || :n, clock_timestamp() + interval '90 days')
                    ON CONFLICT DO NOTHING
                ), \(entry)
                UPDATE lean.cardholder SET sealed_pin = \(pin), code_mac = \(pin), taken_pins = ARRAY[\(digest)],
                    version = version + 1, updated_at = now()
                WHERE \(row)
                """,
            ]
        }
    }
}
