import Crypto
import Foundation
import ServerHarness
import Synchronization
import Testing

/// Rotation of the server's own keys. The suite has its own installation, because its keys change.
@Suite("Server keys", .serialized)
struct ServerKeyTests {
    private static let service = Once {
        // Provisions all cardholders that the suite needs, before their sealing keys are retired.
        let service = try await Service(holderCount: 320)
        _ = try await service.holder()
        return service
    }

    /// A key as `server-key list` shows it.
    private struct Listed: Decodable {
        let keyId: String
        let kind: String
        let status: String
        let demotedAt: String?
    }

    @Test("The list shows the published keys, and each key id is the key's thumbprint")
    func list() async throws {
        let service = try await Self.service.value
        let listed = try await list(service)
        #expect(listed.map(\.kind).sorted() == ["EC", "RSA", "SIGNING"])
        #expect(listed.allSatisfy { $0.status == "ACTIVE" && $0.demotedAt == nil })
        #expect(listed.map(\.keyId).sorted() == service.keys.keys.map(\.id).sorted())
        for key in service.keys.keys {
            let isSigning = listed.contains { $0.keyId == key.id && $0.kind == "SIGNING" }
            #expect(key.members["use"] == (isSigning ? "sig" : "enc"))
            #expect(key.members["d"] == nil && key.members["p"] == nil)
            #expect(key.id == thumbprint(key))
        }
        let answer = try await service.server.request("GET", "/.well-known/jwks.json")
        #expect(answer["Cache-Control"]?.contains("max-age=") == true)
    }

    @Test(
        "After a rotation the new key is published first, and the old key still opens values",
        arguments: SealingKind.allCases)
    func rotate(kind: SealingKind) async throws {
        let service = try await Self.service.value
        let old = try await publishedKeys(service)
        let rotated = try await rotate(service, kind)
        #expect(rotated.count == 1)

        let published = try await publishedKeys(service)
        #expect(
            published.keys.filter { $0.members["kty"]?.string == kind.keyType }.map(\.id).prefix(2) == [
                rotated[0], try old.first(kind).id,
            ])
        let statuses = try await list(service).filter { $0.kind == kind.keyType }.prefix(2).map(\.status)
        #expect(statuses == ["ACTIVE", "RETIRING"])

        let call = kind == .rsa ? DefinitionCall.hmac : .token
        for key in [try old.first(kind), try published.first(kind)] {
            #expect(try await service.code(attempt(service, call, sealedTo: key)) == 0, "\(key.id)")
        }
    }

    @Test(
        "A running server opens a value sealed to a new key at the first request",
        arguments: DefinitionCall.definitions)
    func unseenKey(call: DefinitionCall) async throws {
        let service = try await Self.service.value
        try await service.afterReloadPause()
        _ = try await rotate(service, call.sealing)
        let key = try await publishedKeys(service).first(call.sealing)
        var attempts: [Attempt] = []
        for _ in 0..<24 { attempts.append(try await attempt(service, call, sealedTo: key)) }
        let codes = try await service.codes(attempts, through: [service.server])
        #expect(codes == Array(repeating: 0, count: attempts.count))
    }

    @Test("A value with an unknown kid does not delay the loading of a new key")
    func unknownKeysBefore() async throws {
        let service = try await Self.service.value
        _ = try await rotate(service, .ec)
        let key = try await publishedKeys(service).first(.ec)
        let right = try await attempt(service, .token, sealedTo: key)
        var unknown = try service.attempt(.token, TestCardholder())
        unknown.sealing.header["kid"] = "unknown"
        #expect(try await service.code(unknown) == 200)
        #expect(try await service.code(right) == 0)
    }

    @Test("A retired key opens no values of apps; a bank's values for 90 days, after which it is erased")
    func retire() async throws {
        let service = try await Self.service.value
        let old = try await publishedKeys(service).first(.ec)
        _ = try await rotate(service, .ec)
        #expect(try await service.code(attempt(service, .token, sealedTo: old)) == 0)
        try await service.installation.sql(
            "UPDATE server_key SET demoted_at = demoted_at - interval '1 hour' WHERE key_id = '\(old.id)'")
        try await service.installation.run(["server-key", "retire", old.id]).succeeded()

        #expect(try await list(service).first { $0.keyId == old.id }?.status == "RETIRED")
        func isErased() async throws -> Bool {
            try await service.installation.sql(
                "SELECT sealed_key IS NULL FROM server_key WHERE key_id = '\(old.id)'") == ["t"]
        }
        #expect(try await !isErased())
        let server = try await service.installation.startServer(["--housekeeping-interval-seconds", "1"])
        #expect(try await !ServerKeySet(of: server).keys.contains { $0.id == old.id })
        #expect(try await service.code(attempt(service, .token, sealedTo: old), through: server) == 200)
        // The server that was already running reloads its keys within 30 seconds.
        let deadline = ContinuousClock.now + .seconds(120)
        var code = 0
        while code == 0, ContinuousClock.now < deadline {
            code = try await service.code(attempt(service, .token, sealedTo: old))
            try await Task.sleep(for: .milliseconds(500))
        }
        #expect(code == 200)
        #expect(try await !ServerKeySet(of: service.server).keys.contains { $0.id == old.id })

        let holder = TestCardholder()
        let line = try holder.line(sealedTo: try SealingKey(jwk: old.members), of: service.bank.id)
        func importedStatus() async throws -> Int {
            try await service.installation.run(
                ["cardholder", "import", "--bank", service.bank.id, "-"], stdin: line
            ).status
        }
        #expect(try await importedStatus() == 0)
        try await service.installation.sqlAsCommand(
            "UPDATE server_key SET retired_at = retired_at - interval '91 days' WHERE key_id = '\(old.id)'")
        try await eventually("the key is erased") { try await isErased() }
        try await service.installation.sql("DELETE FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")
        #expect(try await importedStatus() == 65)
        try await server.stop()
    }

    @Test("A key that somebody else may have is erased at once, also after it was retired")
    func erase() async throws {
        let service = try await Self.service.value
        let old = try await publishedKeys(service).first(.ec)
        _ = try await rotate(service, .ec)
        let retire = ["server-key", "retire", "--force", old.id]
        try await service.installation.run(retire).succeeded()
        let erased = try await service.installation.run(retire + ["--erase"]).succeeded()
        #expect(erased.stdout.contains("erased"))
        #expect(try await service.installation.run(retire + ["--erase"]).stderr.contains("already erased"))
        let line = try TestCardholder().line(sealedTo: try SealingKey(jwk: old.members), of: service.bank.id)
        let imported = try await service.installation.run(
            ["cardholder", "import", "--bank", service.bank.id, "-"], stdin: line)
        #expect(imported.status == 65)
    }

    @Test("Retiring the active key, a key that was just replaced, a retired key or an unknown key is refused")
    func retireRefused() async throws {
        let service = try await Self.service.value
        let old = try await publishedKeys(service).first(.rsa)
        let active = try #require(try await rotate(service, .rsa).first)

        func retire(_ arguments: String...) async throws -> CommandResult {
            try await service.installation.run(["server-key", "retire"] + arguments)
        }
        for arguments in [[active], [active, "--force"]] {
            let result = try await service.installation.run(["server-key", "retire"] + arguments)
            #expect(result.status != 0 && result.stderr.contains("active"))
        }
        let tooSoon = try await retire(old.id)
        #expect(tooSoon.status != 0 && tooSoon.stderr.contains("--force"))
        #expect(try await service.code(attempt(service, .hmac, sealedTo: old)) == 0)
        #expect(try await retire("unknown").status != 0)
        try await retire(old.id, "--force").succeeded()
        #expect(try await retire(old.id).status != 0)
        #expect(try await retire(old.id, "--force").status != 0)
    }

    @Test("Of two simultaneous rotations, each creates the key that it reports, or fails")
    func simultaneousRotations() async throws {
        let service = try await Self.service.value
        _ = try await rotate(service, .ec)
        async let other: [String] = service.installation.sqlAsCommand(
            """
            CREATE TEMPORARY TABLE older ON COMMIT DROP AS SELECT key_id FROM server_key
                WHERE kind = 'EC' AND status = 'RETIRING' ORDER BY created_at DESC LIMIT 1;
            UPDATE server_key SET status = 'RETIRING', demoted_at = now() WHERE kind = 'EC' AND status = 'ACTIVE';
            UPDATE server_key SET status = 'ACTIVE', demoted_at = NULL WHERE key_id = (SELECT key_id FROM older);
            -- Waits until the rotation is blocked by this transaction, or has failed.
            DO $$ BEGIN
                FOR wait IN 1..200 LOOP
                    PERFORM pg_stat_clear_snapshot();
                    EXIT WHEN EXISTS (
                        SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database());
                    PERFORM pg_sleep(0.05);
                END LOOP;
            END $$;
            """)
        let arguments = ["server-key", "rotate", "--kind", "EC", "--json"]
        let result = try await service.installation.run(arguments)
        _ = try await other
        let listed = try await list(service)
        #expect(listed.count { $0.kind == "EC" && $0.status == "ACTIVE" } == 1)
        guard result.status == 0 else { return }
        let made = try JSON(parsing: result.stdout).object?["keyIds"]?.array?.compactMap(\.string) ?? []
        #expect(made.count == 1 && made.allSatisfy { name in listed.contains { $0.keyId == name } }, "\(made)")
    }

    @Test("A rotation under load causes no failed definitions")
    func underLoad() async throws {
        let service = try await Self.service.value
        let installation = service.installation
        // Servers that were already running can still publish a key that was retired with --force.
        let servers = [try await installation.startServer(), try await installation.startServer()]
        let load = Load(servers: servers)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for client in 0..<4 {
                group.addTask { try await load.run(service, client: client) }
            }
            for _ in 0..<2 {
                try await installation.run(["server-key", "rotate"]).succeeded()
                load.publish(try await installation.startServer())
                let before = load.count
                try await eventually("24 PINs were defined after that") { load.count >= before + 24 }
            }
            load.end()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    }

    private func list(_ service: Service) async throws -> [Listed] {
        let shown = try await service.installation.run(["server-key", "list", "--json"]).succeeded()
        return try JSONDecoder().decode([Listed].self, from: Data(shown.stdout.utf8))
    }

    /// Rotates a key; returns the ids of the new keys.
    private func rotate(_ service: Service, _ kind: SealingKind) async throws -> [String] {
        let arguments = ["server-key", "rotate", "--kind", kind.keyType, "--json"]
        let shown = try await service.installation.run(arguments).succeeded()
        return try JSON(parsing: shown.stdout).object?["keyIds"]?.array?.compactMap(\.string) ?? []
    }

    /// The keys that a newly started server publishes.
    private func publishedKeys(_ service: Service) async throws -> ServerKeySet {
        let server = try await service.installation.startServer()
        let keys = try await ServerKeySet(of: server)
        try await server.stop()
        return keys
    }

    private func attempt(
        _ service: Service, _ call: DefinitionCall, sealedTo key: ServerKeySet.Key
    ) async throws -> Attempt {
        var attempt = try await service.defining("8305", call, service.holder())
        attempt.sealing.key = key
        return attempt
    }

    /// The thumbprint of a key (RFC 7638 section 3).
    private func thumbprint(_ key: ServerKeySet.Key) -> String {
        let names = key.members["kty"] == "EC" ? ["crv", "kty", "x", "y"] : ["e", "kty", "n"]
        let members = names.compactMap { name in key.members[name]?.string.map { "\"\(name)\":\"\($0)\"" } }
        return Base64URL.encode(Array(SHA256.hash(data: Data("{\(members.joined(separator: ","))}".utf8))))
    }
}

/// Apps that fetch the key set before each definition.
private final class Load: Sendable {
    /// The servers that define PINs.
    private let servers: [TestServer]
    /// The servers whose key sets are fetched. A server that starts after the rotation publishes the new keys first; the
    /// others do not know them yet.
    private let publishers: Mutex<[TestServer]>
    private let isOver = Mutex(false)
    private let done = Mutex(0)

    /// How many definitions were made.
    var count: Int { done.withLock(\.self) }

    init(servers: [TestServer]) {
        self.servers = servers
        publishers = Mutex(servers)
    }

    func publish(_ server: TestServer) { publishers.withLock { $0.append(server) } }

    func end() { isOver.withLock { $0 = true } }

    /// Below the daily limit.
    private static let definitionsOfACardholder = 50

    /// Defines PINs until `end()`; returns how many.
    func run(_ service: Service, client: Int) async throws -> Int {
        var count = 0
        var holder = try await service.holder()
        while !isOver.withLock(\.self) {
            if count > 0, count.isMultiple(of: Self.definitionsOfACardholder) { holder = try await service.holder() }
            let publisher = publishers.withLock { $0.randomElement() } ?? servers[0]
            let call = DefinitionCall.definitions[(client + count) % 3]
            var attempt = try await service.defining("8305", call, holder)
            attempt.sealing.key = try await ServerKeySet(of: publisher).first(call.sealing)
            let code = try await service.code(attempt, through: servers[count % servers.count])
            #expect(code == 0, "\(call), definition \(count) of client \(client)")
            count += 1
            done.withLock { $0 += 1 }
        }
        return count
    }
}

extension Service {
    /// Waits until a server can look for unknown keys again. It does so at most once per second.
    fileprivate func afterReloadPause() async throws {
        try await Task.sleep(for: .milliseconds(1500))
    }
}
