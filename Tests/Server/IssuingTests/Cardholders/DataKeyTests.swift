import Foundation
import ServerHarness
import Testing

/// Rotation of the data keys. Each test has its own installation, because its keys change.
@Suite("Data keys")
struct DataKeyTests {
    private static let arguments = ["--housekeeping-interval-seconds", "1"]
    /// Servers load new keys each 10 seconds.
    private static let limitSeconds = 180

    @Test("After a rotation all values are sealed anew, nothing else changes, and the old keys can be retired")
    func rotation() async throws {
        let (installation, backend) = try await makeBackend()
        let holder = try await backend.created(TestCardholder(freeField: "Hello"))
        let other = try await backend.created()
        var wrong = holder
        wrong.code = "Wrong4711"
        #expect(try await backend.fetch(wrong).code == 203)
        let before = try await backend.get(holder.uniqueId)
        let pinKey = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let kind = ["--usage", "pin-encryption", "--algorithm", "aes"]
        try await installation.importKey(pinKey, label: "pin", into: backend.bank.id, kind)
        #expect(try await keyIds(installation) == ["1", "4", "5"], "PINs, keys and free fields have keys of their own")

        let rotated = try await installation.run(["vault", "rotate-data-key"]).succeeded()
        #expect(rotated.stdout.contains("running servers use them in 120 seconds"))
        let again = try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"])
        #expect(again.status == 1 && again.stderr.contains("is not used yet"))
        #expect(
            try await VaultStatus.of(installation).keys.map(\.status) == Array(repeating: "active", count: 7)
                + Array(repeating: "pending", count: 7))
        #expect(try await backend.patch(other.uniqueId, ["freeField": "Hi"]).status == 200)
        #expect(try await keyIds(installation) == ["1", "4", "5"], "the new keys are used too early")
        try await activate(installation)
        try await installation.untilResealed()

        #expect(try await keyIds(installation) == ["8", "11", "12"])
        // The audit trail has each row with its new values.
        try await installation.run(["audit", "verify", "--cardholders"]).succeeded()
        let after = try await backend.get(holder.uniqueId)
        #expect(after.members == before.members && after["ETag"] == before["ETag"])
        #expect(after.members["authenticationFailures"] == 1)

        // The same code has another MAC now, but it is the same code.
        #expect(try await codeKey(of: holder, backend, installation) == "2")
        let body: [String: JSON] = ["freeField": "Hello", "authenticationCode": try code(of: holder, backend)]
        #expect(try await backend.patch(holder.uniqueId, body)["ETag"] == before["ETag"])
        #expect(try await backend.get(holder.uniqueId).members["authenticationFailures"] == 1)
        #expect(try await codeKey(of: holder, backend, installation) == "9")
        #expect(try await backend.fetch(holder).delivery != nil)

        let early = try await installation.run(["vault", "retire-data-key", "1"])
        #expect(early.status == 1 && early.stderr.contains("was replaced recently"))
        let newest = try await installation.run(["vault", "retire-data-key", "8"])
        #expect(newest.status == 1 && newest.stderr.contains("rotate-data-key"))
        try await activate(installation, secondsAgo: 3 * 86_400)
        let needed = try await installation.run(["vault", "retire-data-key", "2"])
        #expect(needed.status == 1 && needed.stderr.contains("values of cardholder.code_mac"))
        // A code changes to the new key when it is used, and a free field when it is sent again.
        #expect(try await backend.fetch(other).delivery != nil)
        #expect(try await codeKey(of: other, backend, installation) == "9")
        #expect(try await backend.patch(other.uniqueId, ["freeField": "Hi"]).status == 200)
        for key in 1...7 { try await installation.run(["vault", "retire-data-key", "\(key)"]).succeeded() }
        #expect(try await VaultStatus.of(installation).keys.prefix(7).allSatisfy { $0.status == "destroyed" })

        var restarted = backend
        restarted.server = try await installation.startServer(Self.arguments)
        let error = await #expect(throws: (any Error).self) {
            try await installation.importHMACKey(backend.bank.hmacKey, label: "2", into: backend.bank)
        }
        #expect("\(try #require(error))".contains("was imported before"))
        let sameKey = await #expect(throws: (any Error).self) {
            try await installation.importKey(pinKey, label: "pin-2", into: backend.bank.id, kind)
        }
        #expect("\(try #require(sameKey))".contains("was imported before"))
        #expect(try await restarted.fetch(holder).delivery != nil)
        #expect(try await restarted.get(holder.uniqueId).status == 200)
    }

    @Test("If a server is killed while it seals values anew, another one goes on where it stopped")
    func killed() async throws {
        let (installation, backend) = try await makeBackend()
        let holders = (0..<4000).map { TestCardholder(String(format: "h%05d", $0), code: nil) }
        try await installation.provision(holders, of: backend.bank, through: backend.server)
        try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        let first = try await installation.startServer(Self.arguments)
        _ = try await backend.server.stop()
        // After the first batch so slow that it can be killed in between.
        let last = try await installation.sql("SELECT unique_id FROM cardholder ORDER BY unique_id LIMIT 1 OFFSET 500")[
            0]
        try await installation.sql(
            """
            CREATE FUNCTION slow_down() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_sleep(0.03); RETURN NEW; END';
            CREATE TRIGGER slow_down BEFORE UPDATE ON cardholder FOR EACH ROW
                WHEN (NEW.unique_id > '\(last)') EXECUTE FUNCTION slow_down()
            """)
        try await activate(installation)
        try await eventually("some values are sealed anew, and that is recorded", within: Self.limitSeconds) {
            try await installation.sql("SELECT 1 FROM resealing WHERE after_row_id <> ''") == ["1"]
        }
        try await first.kill9()
        let done = try await count(installation, under: 8)
        try #require(done < 4000, "it was too late to kill the server")
        try await installation.sql("DROP FUNCTION slow_down CASCADE")
        #expect(
            try await VaultStatus.of(installation).columns.contains { $0.status == "under way" && $0.afterRow != nil })

        let second = try await installation.startServer(Self.arguments)
        try await installation.sql("UPDATE resealing SET leased_until = now()")
        try await installation.untilResealed()
        #expect(try await count(installation, under: 8) == 4000)
        var resumed = backend
        resumed.server = second
        for holder in [holders[0], holders[3999]] {
            #expect(try await resumed.get(holder.uniqueId).members["hasPin"] == true)
        }
        #expect(second.logLines(with: "does not open").isEmpty)
    }

    @Test("A key cannot be retired while a value needs it, and a value that does not open stops no other")
    func leftovers() async throws {
        let (installation, backend) = try await makeBackend()
        let (holder, damaged) = (try await backend.created(), try await backend.created())
        let row = "unique_id = '\(holder.uniqueId)'"
        let old = try await installation.sql("SELECT sealed_pin FROM cardholder WHERE \(row)")[0]
        try await installation.sql(
            """
            UPDATE cardholder SET sealed_pin = set_byte(sealed_pin, 20, get_byte(sealed_pin, 20) # 1)
            WHERE unique_id = '\(damaged.uniqueId)'
            """)
        try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        let server = try await installation.startServer(Self.arguments)
        _ = try await backend.server.stop()
        try await activate(installation, secondsAgo: 2 * 86_400)
        try await installation.untilResealed()
        #expect(server.logLines(with: "A sealed value does not open", damaged.uniqueId).isEmpty == false)
        #expect(try await count(installation, under: 8) == 1)

        let refused = try await installation.run(["vault", "retire-data-key", "1"])
        #expect(refused.status == 1 && refused.stderr.contains("1 values of cardholder.sealed_pin"))
        // As if a command that seals with the old key had taken so long.
        #expect(try await server.stop() == 0)
        try await installation.sql(
            """
            UPDATE cardholder SET sealed_pin = '\(old)' WHERE \(row);
            DELETE FROM cardholder WHERE unique_id = '\(damaged.uniqueId)'
            """)
        // As if the server had stopped behind the last row, just before it has seen that there are no more.
        try await installation.sql("UPDATE resealing SET is_finished = false, after_bank_id = '~', after_row_id = '~'")
        let again = try await installation.run(["vault", "retire-data-key", "1"])
        #expect(again.status == 1 && again.stderr.contains("servers seal them again"))
        let later = try await installation.startServer(Self.arguments)
        try await eventually("it is sealed anew", within: Self.limitSeconds) {
            try await count(installation, under: 1) == 0
        }
        try await installation.run(["vault", "retire-data-key", "1"]).succeeded()
        #expect(later.logLines(with: "does not open").isEmpty)
        let unknown = try await installation.run(["vault", "retire-data-key", "77"])
        #expect(unknown.status == 1 && unknown.stderr.contains("no such data key"))
    }

    @Test("Servers and commands count what they seal, and a server warns of a key that has sealed too much")
    func uses() async throws {
        let (installation, backend) = try await makeBackend()
        func uses() async throws -> Int {
            try #require(Int(try await installation.sql("SELECT uses FROM data_key WHERE id = 1")[0]))
        }
        _ = try await backend.server.stop()
        let before = try await uses()
        #expect(try await installation.sql("SELECT uses > 0 FROM data_key WHERE purpose = 'keys'") == ["t"])
        let server = try await installation.startServer(Self.arguments)
        var restarted = backend
        restarted.server = server
        try await installation.provision([TestCardholder(), TestCardholder()], of: backend.bank, through: server)
        #expect(try await uses() == before + 2, "the command has counted")
        // A server counts at times, and at its end.
        for _ in 0..<3 { _ = try await restarted.created() }
        #expect(server.logLines(with: "sealed too many values").isEmpty)
        #expect(try await server.stop() == 0)
        #expect(try await uses() == before + 5)

        try await installation.sql("UPDATE data_key SET uses = 1::bigint << 31 WHERE id = 1")
        let warned = try await installation.startServer(Self.arguments)
        try await eventually("the server warns", within: Self.limitSeconds) {
            warned.logLines(with: "sealed too many values", "vault rotate-data-key").count == 1
        }
    }

    @Test("Of many rotations at the same time, one succeeds")
    func simultaneous() async throws {
        let (installation, _) = try await makeBackend()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask { try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.sorted() == [0, 1, 1, 1, 1, 1])
        #expect(try await installation.sql("SELECT count(*) FROM data_key WHERE purpose = 'pins'") == ["2"])
    }

    /// A back-end whose key is sealed in the database too.
    private func makeBackend() async throws -> (TestInstallation, Backend) {
        let installation = try await TestInstallation()
        let server = try await installation.startServer(Self.arguments)
        let bank = try await installation.makeBank(["--retention", "keep-repeat", "--reminders", "true"])
        let issuer = try await installation.makeIssuer(for: bank, algorithm: .hmacSHA256)
        return (
            installation, Backend(server: server, bank: bank, issuer: issuer, key: try await server.sealingKey())
        )
    }

    /// Makes the time of the new keys come.
    private func activate(_ installation: TestInstallation, secondsAgo: Int = 61) async throws {
        try await installation.sqlAsCommand(
            "UPDATE data_key SET active_from = now() - interval '\(secondsAgo) seconds' WHERE replaces IS NOT NULL")
    }

    /// The ids of the data keys that values are sealed with.
    private func keyIds(_ installation: TestInstallation) async throws -> [String] {
        try await installation.sql(
            """
            SELECT DISTINCT get_byte(value, 3) FROM (
                SELECT sealed_pin AS value FROM cardholder UNION SELECT sealed_free_field FROM cardholder
                UNION SELECT sealed_key FROM hmac_key UNION SELECT sealed_secret FROM issuer_key
                UNION SELECT sealed_key FROM server_key UNION SELECT sealed_public_key FROM server_key
                UNION SELECT sealed_key FROM bank_key
            ) AS sealed WHERE value IS NOT NULL ORDER BY 1
            """)
    }

    private func count(_ installation: TestInstallation, under id: Int) async throws -> Int {
        let rows = try await installation.sql(
            "SELECT count(*) FROM cardholder WHERE get_byte(sealed_pin, 3) = \(id)")
        return try #require(Int(rows[0]))
    }

    private func codeKey(
        of holder: TestCardholder, _ backend: Backend, _ installation: TestInstallation
    ) async throws -> String {
        try await installation.sql(
            "SELECT get_byte(code_mac, 3) FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")[0]
    }

    private func code(of holder: TestCardholder, _ backend: Backend) throws -> JSON {
        try #require(try holder.members(sealedTo: backend.key, of: backend.bank.id)["authenticationCode"])
    }
}
