import CardCompanion
import CardCompanionModel
import CardCompanionStore
import Foundation
import KeyVault
import Logging
import ServerHarness
import Synchronization
import Testing

/// The audit trail of an installation, and servers that look at it when a test says so, in this process and by the test's clock.
struct LocalTrail: Sendable {
    let installation: TestInstallation
    let store: Store
    let clock = TestClock()
    private let vault: FileVault
    private let keyring: Keyring
    private let serverKeys: ServerKeys

    /// What a server of its own remembers, and logs.
    struct Server: Sendable {
        let seals: AuditSeals
        let sealing: AuditSealing
        let log = TestLog()

        fileprivate init(_ trail: LocalTrail) {
            let keys = SealKeys(
                store: trail.store, serverKeys: trail.serverKeys, keyring: trail.keyring, vault: trail.vault,
                clock: trail.clock.wall)
            let memory = SealMemory(store: trail.store, keys: keys, kept: KeptMark(.seal, in: [trail.vault]))
            seals = AuditSeals(store: trail.store, keys: keys, memory: memory, clock: trail.clock.wall)
            sealing = AuditSealing(
                seals: seals, store: trail.store, clock: trail.clock.wall, logger: log.logger)
        }

        func look() async { await sealing.look() }
    }

    /// Runs a test on the trail of a new installation.
    static func run(_ body: @Sendable @escaping (LocalTrail) async throws -> Void) async throws {
        let installation = try await TestInstallation()
        try await LocalStore.run(at: installation.databaseURL) { store in
            try await body(try await LocalTrail(installation, store))
        }
    }

    private init(_ installation: TestInstallation, _ store: Store) async throws {
        self.installation = installation
        self.store = store
        vault = FileVault(path: "\(installation.dataDirectory)/vault.key")
        let inventory = InventoryKeeper(
            store: store, clock: clock.wall, marks: [vault], logger: TestLog().logger)
        let dataKeys = DataKeys(store: store, clock: clock.wall, vault: vault, inventory: inventory)
        keyring = try await dataKeys.opened()
        serverKeys = try await ServerKeys.opened(with: keyring, of: dataKeys)
    }

    /// A server that has just started.
    func server() -> Server { Server(self) }

    /// Adds an entry at the present time.
    func append(_ operation: String) async throws {
        try await store.appendAudit(
            operation: operation, outcome: "done", bankId: nil, AuditNote(subject: nil, actor: "test"), now: clock.now)
    }

    /// Adds an entry ten seconds later, and lets a server look.
    func seal(_ operation: String, by server: Server) async throws {
        clock.advance(10)
        try await append(operation)
        await server.look()
    }

    func sealNumbers() async throws -> [String] {
        try await installation.sql("SELECT number FROM audit_seal ORDER BY number")
    }

    func newestNumber() async throws -> Int64 { try await store.newestAuditSeal()?.number ?? 0 }

    func verified(with server: Server) async throws -> AuditVerifier {
        try await AuditVerifier.verified(
            store, known: [], kept: try await server.seals.memory.keptMark(),
            keys: try await server.seals.keys.verifiers())
    }
}

/// A clock that stands still until a test moves it. It begins at noon of tomorrow (UTC): no test sees a day end by chance.
final class TestClock: Sendable {
    private static let day: Int64 = 86_400

    private let time: Mutex<Timestamp>

    init() {
        let today = Int64(Date().timeIntervalSince1970) / Self.day
        time = Mutex(Timestamp(seconds: (today + 1) * Self.day + Self.day / 2))
    }

    var now: Timestamp { time.withLock(\.self) }
    var wall: WallClock { WallClock { self.now } }

    func advance(_ seconds: Int64) { time.withLock { $0 = $0.advanced(bySeconds: seconds) } }
}

/// What was logged.
final class TestLog: Sendable {
    private struct Handler: LogHandler {
        let log: TestLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = "\(event.message) \(event.metadata ?? [:])"
            log.lines.withLock { $0.append((event.level, line)) }
        }
    }

    private let lines = Mutex<[(level: Logger.Level, text: String)]>([])

    var logger: Logger { Logger(label: "tests") { _ in Handler(log: self) } }

    /// The messages of that level, with their metadata.
    func messages(_ level: Logger.Level) -> [String] {
        lines.withLock { $0.filter { $0.level == level }.map(\.text) }
    }
}

/// What somebody with all rights in the database does.
enum Attack {
    /// Changes the first entry of each chain, and computes the hashes of all entries again.
    static let rewriteHistory = #"""
        UPDATE audit_entry SET outcome = 'forged' WHERE sequence = 1;
        DO $$
        DECLARE
            entry audit_entry;
            chain integer;
            last  bytea;
        BEGIN
            FOR entry IN SELECT * FROM audit_entry ORDER BY chain_id, sequence LOOP
                IF chain IS DISTINCT FROM entry.chain_id THEN
                    last := '';
                    chain := entry.chain_id;
                END IF;
                last := sha256(
                    last || int4send(entry.chain_id) || int8send(entry.sequence) || timestamptz_send(entry.occurred_at)
                    || int4send(octet_length(entry.operation)) || convert_to(entry.operation, 'UTF8')
                    || int4send(octet_length(entry.outcome)) || convert_to(entry.outcome, 'UTF8')
                    || int4send(coalesce(octet_length(entry.bank_id), -1)) || convert_to(coalesce(entry.bank_id, ''), 'UTF8')
                    || int4send(coalesce(octet_length(entry.subject), -1)) || coalesce(entry.subject, '')
                    || int4send(octet_length(entry.actor)) || convert_to(entry.actor, 'UTF8')
                    || int4send(coalesce(octet_length(entry.detail), -1)) || convert_to(coalesce(entry.detail, ''), 'UTF8')
                    || int4send(coalesce(octet_length(entry.rows), -1)) || coalesce(entry.rows, ''));
                UPDATE audit_entry SET hash = last WHERE chain_id = entry.chain_id AND sequence = entry.sequence;
            END LOOP;
        END
        $$
        """#

    static let emptyTrail = "TRUNCATE audit_entry, audit_seal, audit_head"

    /// Entries are written no more.
    static let silence = """
        CREATE OR REPLACE FUNCTION append_audit(
            p_now timestamptz, p_operation text, p_outcome text, p_bank_id text, p_subject bytea, p_actor text, p_detail text,
            p_rows bytea DEFAULT NULL
        ) RETURNS void LANGUAGE plpgsql AS 'BEGIN END'
        """
}
