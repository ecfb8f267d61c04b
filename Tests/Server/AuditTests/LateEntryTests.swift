import CardCompanion
import CardCompanionModel
import CardCompanionStore
import Foundation
import Logging
import ServerHarness
import Testing

/// Entries that an earlier seal should have had, and entries that nobody writes any more.
@Suite("Late and missing entries")
struct LateEntryTests {
    private static let hour: Int64 = 3600

    @Test("A row that somebody has put in with an old time is sealed as late, and alarms; seals go on")
    func late() async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            // An entry after a long pause is not late.
            trail.clock.advance(Self.hour)
            try await trail.seal("two", by: server)
            #expect(server.log.messages(.critical) == [])

            let old = trail.clock.now.advanced(bySeconds: -Self.hour).seconds
            // On a connection of its own, so in a chain of its own.
            let shownChain = try await trail.installation.attack(
                """
                SELECT append_audit(
                    p_now => to_timestamp(\(old)), p_operation => 'bank set', p_outcome => 'done', p_bank_id => NULL,
                    p_subject => NULL, p_actor => 'operator:forged', p_detail => NULL);
                SELECT chain_id FROM audit_entry WHERE actor = 'operator:forged'
                """
            ).last
            let chain = try #require(shownChain.flatMap { Int32($0) })
            // Chains without new entries are looked at each hour.
            trail.clock.advance(Self.hour)
            try await trail.seal("three", by: server)
            let alarm = try #require(server.log.messages(.critical).first)
            #expect(alarm.contains("came late") && alarm.contains("\(chain)"), "\(alarm)")
            let seal = try #require(try await trail.store.newestAuditSeal())
            #expect(seal.lateEntries == [LateEntries(chainId: chain, first: 1, last: 1)])

            try await trail.seal("four", by: server)
            let next = try #require(try await trail.store.newestAuditSeal())
            #expect(next.number == seal.number + 1 && next.lateEntries == [])
            #expect(server.log.messages(.critical).count == 1)
            let verified = try await trail.verified(with: server)
            #expect(verified.faults == [] && verified.late.map(\.seal) == [seal.number])
            let shown = try await trail.installation.run(["audit", "verify"]).succeeded().stdout
            #expect(shown.contains("LATE: entry 1 of chain \(chain)"), "\(shown)")
        }
    }

    @Test("Several late entries of a chain are one range, and what is not late stays out of it")
    func ranges() async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            trail.clock.advance(20)
            let now = trail.clock.now
            for (operation, age) in [("late", -900), ("late", -601), ("new", 0), ("late", -900)] {
                try await trail.store.appendAudit(
                    operation: operation, outcome: "done", bankId: nil, AuditNote(subject: nil, actor: "test"),
                    now: now.advanced(bySeconds: Int64(age) - (age < 0 ? 30 : 0)))
            }
            await server.look()
            let late = try await trail.store.newestAuditSeal()?.lateEntries ?? []
            #expect(late.map(\.first) == [2, 5] && late.map(\.last) == [3, 5])
        }
    }

    @Test("An append_audit that writes nothing is found, and migrate puts it back")
    func silenced() async throws {
        try await LocalTrail.run { trail in
            let (server, installation) = (trail.server(), trail.installation)
            try await trail.seal("one", by: server)
            try await installation.attack(Attack.silence)
            try await trail.seal("two", by: server)
            #expect(server.log.messages(.critical).contains { $0.contains("function append_audit") })
            let doctor = try await installation.run(["doctor"])
            #expect(
                doctor.status == 1 && doctor.stdout.contains("replaced functions of the database (append_audit)"),
                "\(doctor)")
            let refused = try await installation.run(["bank", "list"])
            #expect(refused.status == 78 && refused.stderr.contains("card-companion migrate"), "\(refused)")

            #expect(try await installation.run(["migrate"]).succeeded().stdout == "applied append_audit\n")
            try await trail.seal("three", by: server)
            #expect(server.log.messages(.critical).count == 1)
            try await installation.run(["bank", "list"]).succeeded()
        }
    }

    private static let additions = [
        (
            """
            CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
            CREATE TRIGGER swallow BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION swallow()
            """, "trigger swallow of audit_entry"
        ),
        ("CREATE RULE swallow AS ON INSERT TO audit_entry DO INSTEAD NOTHING", "rule swallow of audit_entry"),
        ("ALTER TABLE audit_seal ENABLE ROW LEVEL SECURITY", "row security of audit_seal"),
    ]

    @Test("A trigger, a rule or row security of the trail's tables is found", arguments: additions)
    func added(_ statement: String, _ finding: String) async throws {
        try await LocalTrail.run { trail in
            let server = trail.server()
            try await trail.seal("one", by: server)
            try await trail.installation.attack(statement)
            await server.look()
            #expect(server.log.messages(.critical).contains { $0.contains(finding) })
            let doctor = try await trail.installation.run(["doctor"])
            #expect(doctor.status == 1 && doctor.stdout.contains(finding), "\(doctor)")
        }
    }
}
