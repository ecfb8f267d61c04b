import ServerHarness
import Testing

/// A PIN is taken once, and provisioning leaves failures and the state of the delivery alone (protocol, section 3).
@Suite("A PIN is taken once")
struct TakenOnceTests {
    /// What happens to a PIN between two provisionings.
    enum Event: String, CaseIterable, Sendable {
        case expired, patched, unlocked, defined, erasedByPUT, closed
    }

    @Test("The same sealed PIN is not taken again, whatever has happened since", arguments: Event.allCases)
    func notTakenAgain(event: Event) async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder(pin: "4917")
        let body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.put(holder.uniqueId, body).members == ["pin": "taken"])
        try await happen(event, to: holder, backend)
        let before = try await backend.get(holder.uniqueId).members["hasPin"]

        let line = JSON.object(body.merging(["uniqueId": .string(holder.uniqueId)]) { $1 }).text
        let imported = try await backend.importLines(line)
        #expect(imported.text.contains(#""pin":"unchanged""#))
        #expect(try await backend.put(holder.uniqueId, body).members == ["pin": "unchanged"])
        #expect(try await backend.get(holder.uniqueId).members["hasPin"] == before)
        // The cardholder's own PIN has six digits.
        let fetched = try await backend.fetch(holder)
        #expect(fetched.code == (before == true ? 0 : 303))
        #expect(fetched.delivery?.members["length"]?.integer == (before == true ? (event == .defined ? 6 : 4) : nil))
    }

    @Test("The same PIN sealed anew is another value, and is taken")
    func sealedAnew() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        for _ in 0..<2 { #expect(try await backend.put(holder).members == ["pin": "taken"]) }
    }

    @Test("The last 20 values are remembered")
    func twenty() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder(code: nil)
        var bodies: [[String: JSON]] = []
        for _ in 0..<21 {
            bodies.append(try holder.members(sealedTo: backend.key, of: backend.bank.id))
            #expect(try await backend.put(holder.uniqueId, bodies[bodies.count - 1]).members == ["pin": "taken"])
        }
        #expect(try await backend.put(holder.uniqueId, bodies[1]).members == ["pin": "unchanged"])
        #expect(try await backend.put(holder.uniqueId, bodies[0]).members == ["pin": "taken"])
        #expect(try await backend.put(holder.uniqueId, bodies[1]).members == ["pin": "taken"])
    }

    @Test("With pinVersion the version alone decides, and outlives omission, CLOSED and definition")
    func versions() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder(pin: "4917")
        let sealed = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        func put(_ version: JSON?) async throws -> HTTPAnswer {
            var body = sealed
            body["pinVersion"] = version
            return try await backend.put(holder.uniqueId, body)
        }
        #expect(try await put(7).members == ["pin": "taken"])
        for version in [7, 6, 0] { #expect(try await put(.integer(version)).members == ["pin": "unchanged"]) }
        let without = try await put(nil)
        #expect(without.status == 422 && without.invalid.map(\.member) == ["pinVersion"])
        // The same value, with a higher version.
        #expect(try await put(8).members == ["pin": "taken"])
        #expect(try await backend.define("830527", holder) == 0)
        #expect(try await put(8).members == ["pin": "unchanged"])
        #expect(try await backend.fetch(holder).delivery?.members["length"] == 6)
        #expect(try await backend.put(holder.uniqueId, [:]).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["pinVersion"] == 8)
        #expect(try await backend.put(holder.uniqueId, ["status": "CLOSED"]).status == 200)
        #expect(try await put(8).members == ["pin": "unchanged"])
        #expect(try await put(9).members == ["pin": "taken"])
        // A refused line of an import says why.
        let line = JSON.object(sealed.merging(["uniqueId": .string(holder.uniqueId)]) { $1 }).text
        let refused = try await backend.importLines(line).results
        #expect(refused.map(\.result) == ["refused"] && refused.map(\.members) == [["pinVersion"]])
        #expect(try await backend.delete(holder.uniqueId).status == 204)
        #expect(try await put(nil).members == ["pin": "taken"])
    }

    @Test("A pinVersion that is not an integer from 0, or that comes without a PIN, is refused")
    func badVersions() async throws {
        let backend = try await Service.backend.value
        let holder = TestCardholder()
        var body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        for version: JSON in [-1, "7", true, .integer(1 << 53)] {
            body["pinVersion"] = version
            let answer = try await backend.put(holder.uniqueId, body)
            #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinVersion"], "\(version)")
        }
        let alone = try await backend.put(holder.uniqueId, ["pinVersion": 1])
        #expect(alone.status == 422 && alone.invalid.map(\.member) == ["pinVersion"])
    }

    @Test(
        "Sealing everything anew each night gives nobody further guesses; another code does", arguments: [true, false])
    func guesses(byImport: Bool) async throws {
        let backend = try await Service.backend.value
        var holder = try await backend.created(TestCardholder(code: "Code4711"))
        func provision() async throws {
            if byImport {
                let line = try holder.line(sealedTo: backend.key, of: backend.bank.id)
                #expect(try await backend.importLines(line).isCommitted)
            } else {
                #expect(try await backend.put(holder).status == 200)
            }
        }
        let guesser = TestCardholder(holder.uniqueId, code: "Wrong123")
        for night in 1...3 {
            #expect(try await backend.fetch(guesser).code == 203)
            try await provision()
            #expect(try await backend.get(holder.uniqueId).members["authenticationFailures"]?.integer == night)
        }
        #expect(try await backend.fetch(holder).code == 307)
        holder.code = "Code4712"
        try await provision()
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("authenticationFailures 0 in a PUT unlocks the cardholder")
    func unlocks() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let guesser = TestCardholder(holder.uniqueId, code: "Wrong123")
        for _ in 0..<3 { #expect(try await backend.fetch(guesser).code == 203) }
        var body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
        body["authenticationFailures"] = 0
        #expect(try await backend.put(holder.uniqueId, body).status == 200)
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("A PIN sealed to a key that has been erased since is recognized, and a new one to it is refused")
    func erasedKey() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank()
        let backend = Backend(
            server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank, algorithm: .ed25519),
            key: try await server.sealingKey())
        let holder = TestCardholder(code: nil)
        let body = try holder.members(sealedTo: backend.key, of: bank.id)
        #expect(try await backend.put(holder.uniqueId, body).members == ["pin": "taken"])
        try await installation.sqlAsCommand(
            """
            UPDATE server_key SET status = 'RETIRED', sealed_key = NULL, demoted_at = now(), retired_at = now()
            WHERE key_id = '\(backend.key.keyID)'
            """)
        let restarted = try await installation.startServer()
        var later = backend
        later.server = restarted
        #expect(try await later.put(holder.uniqueId, body).members == ["pin": "unchanged"])
        let new = try await later.put(holder)
        #expect(new.status == 422 && new.invalid.map(\.member) == ["pin"])
        #expect(new.invalid.allSatisfy { $0.reason.contains("kid") })
    }

    @Test("PATCH renews PIN and code, and null removes them")
    func patch() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created(TestCardholder(code: "Code4711", pin: "4917"))
        let renewed = TestCardholder(holder.uniqueId, code: "Code4712", pin: nil)
        let code = try renewed.members(sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.patch(holder.uniqueId, code).members == [:])
        #expect(try await backend.fetch(holder).code == 203)
        #expect(try await backend.fetch(renewed).delivery?.members["length"] == 4)
        let pin = try TestCardholder(holder.uniqueId, code: nil, pin: "830527").members(
            sealedTo: backend.key, of: backend.bank.id)
        #expect(try await backend.patch(holder.uniqueId, pin).members == ["pin": "taken"])
        #expect(try await backend.patch(holder.uniqueId, pin).members == ["pin": "unchanged"])
        #expect(try await backend.fetch(renewed).delivery?.members["length"] == 6)
        #expect(try await backend.patch(holder.uniqueId, ["pin": nil, "authenticationCode": nil]).status == 200)
        let shown = try await backend.get(holder.uniqueId).members
        #expect(shown["hasPin"] == false && shown["hasAuthenticationCode"] == false)
    }

    @Test("What is probably a fault of the sender is refused, and erases nothing")
    func faults() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let patches: [(String, [String: JSON])] = [
            ("pinVersion", ["pinVersion": nil]), ("pinVersion", ["pinVersion": 3]), ("pin", ["pin": ""]),
            ("authenticationCode", ["authenticationCode": ""]), ("pinBlock", ["pinBlock": ["format": "ISO-1"]]),
        ]
        for (member, patch) in patches {
            let answer = try await backend.patch(holder.uniqueId, patch)
            #expect(answer.status == 422 && answer.invalid.map(\.member) == [member], "\(member)")
        }
        let bodies: [(String, [String: JSON])] = [
            ("op", ["op": "patch"]), ("op", ["op": "put"]), ("pin", ["pin": ""]),
        ]
        for (member, body) in bodies {
            let answer = try await backend.put(holder.uniqueId, body)
            #expect(answer.status == 422 && answer.invalid.map(\.member) == [member], "\(member)")
        }
        let shown = try await backend.get(holder.uniqueId).members
        #expect(shown["hasPin"] == true && shown["hasAuthenticationCode"] == true)
    }

    @Test("CLOSED erases PIN and code, by PUT, PATCH, import and command")
    func closed() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        for way in 0..<4 {
            let holder = try await backend.created()
            let id = holder.uniqueId
            var whole = try holder.members(sealedTo: backend.key, of: backend.bank.id)
            whole["status"] = "CLOSED"
            switch way {
            case 0: #expect(try await backend.put(id, whole).status == 200)
            case 1: #expect(try await backend.patch(id, ["status": "CLOSED"]).status == 200)
            case 2: _ = try await backend.importLines(#"{"op":"patch","uniqueId":"\#(id)","status":"CLOSED"}"#)
            default:
                let command = ["cardholder", "set-status", "--bank", backend.bank.id, id, "CLOSED"]
                try await service.installation.run(command).succeeded()
            }
            let shown = try await backend.get(id).members
            #expect(shown["hasPin"] == false && shown["hasAuthenticationCode"] == false && shown["status"] == "CLOSED")
        }
    }

    @Test("A cardholder who may not define a PIN is answered 114")
    func definition() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        #expect(try await backend.patch(holder.uniqueId, ["definition": false]).status == 200)
        #expect(try await backend.get(holder.uniqueId).members["definition"] == false)
        #expect(try await backend.define("8305", holder) == 114)
        #expect(try await backend.patch(holder.uniqueId, ["definition": true]).status == 200)
        #expect(try await backend.define("8305", holder) == 0)
    }

    private func happen(_ event: Event, to holder: TestCardholder, _ backend: Backend) async throws {
        let service = try await Service.shared.value
        let id = holder.uniqueId
        switch event {
        case .expired:
            try await service.installation.sql(
                """
                UPDATE cardholder SET pin_expires_at = now() - interval '1 s' WHERE unique_id = '\(id)';
                UPDATE pin_expiry SET expires_at = now() - interval '1 s' WHERE unique_id = '\(id)'
                """)
            let cleaner = try await service.installation.startServer(["--housekeeping-interval-seconds", "1"])
            try await eventually("the PIN is erased") {
                try await backend.get(id).members["hasPin"] == false
            }
            try await cleaner.stop()
        case .patched: #expect(try await backend.patch(id, ["freeField": "Hello"]).status == 200)
        case .unlocked:
            #expect(try await backend.fetch(TestCardholder(id, code: "Wrong123")).code == 203)
            #expect(try await backend.patch(id, ["authenticationFailures": 0]).status == 200)
        case .defined: #expect(try await backend.define("830527", holder) == 0)
        case .erasedByPUT:
            let code = try TestCardholder(id, pin: nil).members(sealedTo: backend.key, of: backend.bank.id)
            #expect(try await backend.put(id, code).members == [:])
        case .closed:
            #expect(try await backend.patch(id, ["status": "CLOSED"]).status == 200)
        }
    }
}
