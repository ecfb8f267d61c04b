import Crypto
import Foundation
import ServerHarness
import Testing

/// Each code of PIN definition, in each case in which it occurs (protocol, section 2.9).
@Suite("Definition codes")
struct CodeTests {
    @Test("A successful definition is answered 0, with no other members", arguments: DefinitionCall.definitions)
    func success(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let answer = try await service.send(service.defining("8305", call, service.holder()))
        #expect(answer.status == 200)
        #expect(answer.members == ["errorCode": 0, "errorMessage": "Success"])
        #expect(answer["Cache-Control"] == "no-store")
        #expect(answer["X-Request-Id"]?.isEmpty == false)
    }

    @Test("A refusal is answered with a code and a message, and no other members", arguments: DefinitionCall.allCases)
    func refusal(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let answer = try await service.send(service.attempt(call, TestCardholder("nobody")))
        #expect(answer.status == 200)
        #expect(answer.members.keys.sorted() == ["errorCode", "errorMessage"])
        #expect(answer.code == 111)
        #expect(answer.message?.isEmpty == false)
        #expect(answer["Cache-Control"] == "no-store")
    }

    @Test(
        "A member that is absent, null or empty is answered with its own code",
        arguments: [
            (DefinitionCall.keypad, ["bankId": 100, "uniqueId": 110, "keypadSize": 213]),
            (.hmac, ["bankId": 100, "uniqueId": 110, "timestamp": 120, "hashMac": 140, "pin": 130]),
            (.token, ["token": 118, "signature": 210, "pin": 130]),
            (.indexes, ["token": 118, "signature": 210, "indexes": 130]),
        ])
    func missing(call: DefinitionCall, codes: [String: Int]) async throws {
        let service = try await Service.shared.value
        for (name, code) in codes {
            for value: JSON? in [nil, .null, ""] {
                var attempt = try service.attempt(call, TestCardholder())
                attempt.members = [name: value]
                #expect(try await service.code(attempt) == code, "\(name)")
            }
        }
    }

    @Test(
        "A token member that is absent, null or empty is answered with its own code", arguments: DefinitionCall.byToken)
    func missingInToken(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let codes = [
            "IdBEL": 100, "IdPorteur": 110, "IdFournisseur": 115, "IdTransaction": 116, "Timestamp": 120, "Type": 117,
        ]
        for (name, code) in codes {
            for value: JSON? in [nil, .null, ""] {
                var attempt = try service.attempt(call, TestCardholder())
                attempt.tokenMembers = [name: value]
                #expect(try await service.code(attempt) == code, "\(name)")
            }
        }
    }

    @Test("An unknown or disabled bank is answered 101", arguments: DefinitionCall.allCases)
    func bankNotFound(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = TestCardholder()
        #expect(try await service.code(service.attempt(call, holder, of: bank)) == 111)
        try await service.installation.run(["bank", "set", bank.id, "--status", "DISABLED"]).succeeded()
        #expect(try await service.code(service.attempt(call, holder, of: bank)) == 101)
        var attempt = try service.attempt(call, holder, of: bank)
        attempt.bankId = "nobody"
        #expect(try await service.code(attempt) == 101)
    }

    @Test("A uniqueId that is a number is no cardholder's, and is answered 111 to who could sign it")
    func numberAsCardholder() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder("\(Int.random(in: 1_000_000...9_999_999))")
        try await service.installation.provision([holder], of: service.bank, through: service.server)
        var attempt = try service.attempt(.hmac, holder)
        attempt.members["uniqueId"] = .integer(try #require(Int(holder.uniqueId)))
        #expect(try await service.code(attempt) == 111)
        attempt.members["hashMac"] = .string(String(repeating: "0", count: 64))
        #expect(try await service.code(attempt) == 141)
        attempt = try service.attempt(.hmac, holder)
        #expect(try await service.code(attempt) == 0, "as a text it is")
    }

    @Test("A cardholder who is not ACTIVE is answered 114", arguments: ["SUSPENDED", "CLOSED"])
    func statusNotSatisfied(status: String) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder(of: service.bank, status: status)
        for call in DefinitionCall.definitions {
            #expect(try await service.code(service.attempt(call, holder)) == 114, "\(call)")
        }
    }

    @Test(
        "A definition above the bank's daily limit is answered 114, until the next day",
        arguments: DefinitionCall.definitions)
    func definitionsPerDay(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let limit = 2
        let bank = try await service.installation.makeBank(["--definitions-per-day", "\(limit)"])
        let holder = try await service.holder(of: bank)
        var codes: [Int] = []
        // The count restarts if midnight (UTC) passes during the test.
        while codes.last != 114, codes.count <= 2 * limit {
            codes.append(try await service.define(["8305", "2947"][codes.count % 2], call, holder, of: bank))
        }
        #expect(codes.dropLast().allSatisfy { $0 == 0 } && codes.count > limit && codes.last == 114, "\(codes)")
        try await service.installation.sql(
            "UPDATE cardholder SET definition_day = definition_day - 1 WHERE unique_id = '\(holder.uniqueId)'")
        #expect(try await service.define("8305", call, holder, of: bank) == 0)
    }

    @Test(
        "A timestamp that is not ten decimal digits, as string or integer, is answered 121",
        arguments: DefinitionCall.definitions)
    func timestampForm(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let now = TestBank.timestamp()
        let bad: [JSON] = [
            .string("+\(now)"), .string(" \(now)"), .string("\(now) "), .string("0\(now)"), .string("\(now)000"),
            .string("\(now).0"), "1e9", "now", "-123456789", .integer(now * 1000), .integer(-now), true, ["a": 1],
            "١٢٣٤٥٦٧٨٩٠",
        ]
        for timestamp in bad {
            var attempt = try service.attempt(call, TestCardholder())
            attempt.timestamp = timestamp
            #expect(try await service.code(attempt) == 121, "\(timestamp)")
        }
        var attempt = try await service.defining("8305", call, service.holder())
        let name = call == .hmac ? "timestamp" : "Timestamp"
        attempt.timestamp = .string("\(now)")
        if call == .hmac { attempt.members[name] = .integer(now) } else { attempt.tokenMembers[name] = .integer(now) }
        #expect(try await service.code(attempt) == 0)
    }

    @Test(
        "A timestamp outside the bank's tolerance is answered 121, and the message states the difference",
        arguments: DefinitionCall.definitions)
    func timestampWindow(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank([
            "--timestamp-tolerance", "1000", "--definitions-per-day", "9",
        ])
        let holder = try await service.holder(of: bank)
        for (away, direction) in [(-1100, "behind"), (1100, "ahead")] {
            var attempt = try service.attempt(call, holder, of: bank)
            attempt.timestamp = .string("\(TestBank.timestamp(away))")
            let answer = try await service.send(attempt)
            #expect(answer.code == 121)
            let message = try #require(answer.message)
            let seconds = try #require(message.firstMatch(of: /(\d+) seconds/).flatMap { Int($0.1) })
            #expect(abs(seconds - 1100) < 60 && message.contains(direction), "\(message)")
        }
        for away in [-900, 900] {
            var attempt = try await service.defining("8305", call, holder, of: bank)
            attempt.timestamp = .string("\(TestBank.timestamp(away))")
            #expect(try await service.code(attempt) == 0)
        }
    }

    @Test("A wrong hashMac is answered 141; upper-case hex is accepted")
    func hashMac() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let right = try service.attempt(.hmac, holder)
        let hex = right.hashMac
        let wrong = [
            String(hex.dropLast(2)), hex + "00", String(hex.dropLast()), " " + hex, "0x" + hex, "wrong",
            String(hex.reversed()), try service.attempt(.hmac, TestCardholder()).hashMac,
        ]
        for text in wrong {
            var attempt = right
            attempt.members["hashMac"] = .string(text)
            #expect(try await service.code(attempt) == 141, "\(text)")
        }
        var attempt = right
        attempt.members["hashMac"] = .string(hex.uppercased())
        #expect(try await service.code(attempt) == 0)
    }

    @Test("A hashMac with a disabled key is answered 200, until the key is enabled")
    func hmacKeys() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        let disable = ["key", "disable", "--bank", bank.id, TestBank.hmacLabel]
        #expect(try await service.define("8305", .hmac, holder, of: bank) == 0)
        try await service.installation.run(disable).succeeded()
        #expect(try await service.define("8305", .hmac, holder, of: bank) == 200)
        try await service.installation.run(["key", "enable"] + disable[2...]).succeeded()
        var attempt = try service.attempt(.hmac, holder, of: bank)
        attempt.timestamp = .string("\(TestBank.timestamp(1))")
        #expect(try await service.code(attempt) == 0)
    }

    @Test("A key for distribution does not exist for definitions, alone or beside another one")
    func keyUsage() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        let (fetchKey, definitionKey) = (SymmetricKey(size: .bits256), SymmetricKey(size: .bits256))
        func code(_ key: SymmetricKey) async throws -> Int? {
            let other = TestBank(id: bank.id, hmacKey: key, signer: bank.signer)
            return try await service.code(service.attempt(.hmac, holder, of: other))
        }
        try await service.installation.importHMACKey(fetchKey, label: "f", usage: "distribution", into: bank)
        try await service.installation.run(["key", "disable", "--bank", bank.id, TestBank.hmacLabel]).succeeded()
        #expect(try await code(fetchKey) == 200)
        try await service.installation.importHMACKey(definitionKey, label: "d", usage: "definition", into: bank)
        #expect(try await code(fetchKey) == 141)
        #expect(try await code(definitionKey) == 0)
    }

    @Test("A cardholder without the request's channel is answered 114", arguments: DefinitionCall.definitions)
    func channels(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        for channel in ["AC", "TOKEN"] {
            let holder = TestCardholder(channels: [channel])
            try await service.installation.provision([holder], of: service.bank, through: service.server)
            let isRight = (channel == "AC") == (call == .hmac)
            #expect(try await service.define("8305", call, holder) == (isRight ? 0 : 114), "\(channel)")
        }
    }

    @Test(
        "A locked cardholder is answered 114 until an unlock",
        arguments: DefinitionCall.definitions, ["authentication_failures = 3", "unconfirmed_fetches = 5"])
    func locked(call: DefinitionCall, state: String) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        try await service.installation.sql(
            "UPDATE cardholder SET \(state) WHERE unique_id = '\(holder.uniqueId)'")
        #expect(try await service.define("8305", call, holder, of: bank) == 114)
        let unlock = ["cardholder", "unlock", "--bank", bank.id, holder.uniqueId]
        try await service.installation.run(unlock).succeeded()
        var attempt = try await service.defining("8305", call, holder, of: bank)
        attempt.timestamp = .string("\(TestBank.timestamp(1))")
        #expect(try await service.code(attempt) == 0)
    }

    @Test("A token that is not one strict JSON object is answered 208", arguments: DefinitionCall.byToken)
    func tokenFormat(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let text = try service.attempt(call, TestCardholder()).token.text
        let bad = [
            "token", "[\(text)]", "\"text\"", "null", text + text, text + "x", String(text.dropLast()),
            text.replacing("\"02\"", with: "02"), text.replacing("{\"", with: "{\"Type\":\"02\",\""),
            text.replacing(",", with: ",,"), "\u{FEFF}" + text, text.replacing("\"", with: "'"),
        ]
        for token in bad {
            var attempt = try service.attempt(call, TestCardholder())
            attempt.tokenText = token
            #expect(try await service.code(attempt) == 208, "\(token)")
        }
        var attempt = try service.attempt(call, TestCardholder())
        attempt.members["token"] = try JSON(parsing: text)
        #expect(try await service.code(attempt) == 208)
    }

    @Test("A token whose Type is not 2 or 02 is answered 209", arguments: DefinitionCall.byToken)
    func tokenType(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        for type: JSON in ["0", "00", "1", "01", "3", "002", " 2", "2.0", "two", 0, 1, 20, true, ["2"]] {
            var attempt = try service.attempt(call, TestCardholder())
            attempt.tokenMembers["Type"] = type
            #expect(try await service.code(attempt) == 209, "\(type)")
        }
        for type: JSON in ["2", "02", 2] {
            var attempt = try await service.defining("8305", call, service.holder())
            attempt.tokenMembers["Type"] = type
            #expect(try await service.code(attempt) == 0, "\(type)")
        }
    }

    @Test(
        "A signature that does not match the exact bytes of the token is answered 206",
        arguments: DefinitionCall.byToken)
    func signature(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let right = try await service.defining("8305", call, service.holder())
        let text = right.token.text
        let signature = try right.signer.signature(of: text)
        let otherSigner = try await TestAuthority.shared.value.otherSigner
        let wrong = [
            try otherSigner.signature(of: text), try right.signer.pssSignature(of: text),
            try right.signer.signature(of: text + " "), "not base64!", String(signature.dropLast(4)),
            signature + "AAAA",
            signature.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: ""), "AA==",
        ]
        for signature in wrong {
            var attempt = right
            attempt.members["signature"] = .string(signature)
            #expect(try await service.code(attempt) == 206, "\(signature)")
        }
        var rewritten = right
        rewritten.tokenText = text.replacing(",", with: ", ")
        rewritten.members["signature"] = .string(signature)
        #expect(try await service.code(rewritten) == 206)
        rewritten.members["signature"] = nil
        rewritten.tokenText = "\n\(text.replacing("\"Type\"", with: "\"\\u0054ype\"").replacing(",", with: " ,\t")) "
        #expect(try await service.code(rewritten) == 0)
    }

    @Test("The certificate is the one that the token names, or the default one, and must be within its validity")
    func certificates() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        let other = try await TestAuthority.shared.value.otherSigner
        try await service.installation.importCertificate(other, alias: "other", isDefault: false, into: bank)

        func code(alias: JSON?, signer: TestAuthority.Signer) async throws -> Int {
            var attempt = try service.attempt(.token, holder, "12", of: bank)
            attempt.signer = signer
            if let alias { attempt.tokenMembers["SignatureCertAlias"] = alias }
            return try await service.code(attempt)
        }
        // The check that gives 131 runs after the signature check.
        for alias: JSON? in [nil, .null, "", .string(TestBank.certificateAlias)] {
            #expect(try await code(alias: alias, signer: bank.signer) == 131)
            #expect(try await code(alias: alias, signer: other) == 206)
        }
        #expect(try await code(alias: "other", signer: other) == 131)
        #expect(try await code(alias: "other", signer: bank.signer) == 206)
        #expect(try await code(alias: "unknown", signer: bank.signer) == 200)

        func move(_ columns: String) async throws {
            try await service.installation.sqlAsCommand(
                "UPDATE certificate SET \(columns) WHERE bank_id = '\(bank.id)' AND alias = 'other'", of: bank.id)
        }
        try await move("not_after = now() - interval '1 minute', not_before = now() - interval '1 day'")
        #expect(try await code(alias: "other", signer: other) == 206)
        try await move("not_before = now() + interval '1 hour', not_after = now() + interval '1 day'")
        #expect(try await code(alias: "other", signer: other) == 206)
        try await move("not_before = now() - interval '1 hour'")
        #expect(try await code(alias: "other", signer: other) == 131)
    }

    @Test("A bank without an HMAC key and certificate is answered 200")
    func noCertificate() async throws {
        let service = try await Service.shared.value
        let id = Unique.name("bare")
        try await service.installation.run(["bank", "add", id, "--scheme", "CB"]).succeeded()
        for call in DefinitionCall.definitions {
            var attempt = try service.attempt(call, TestCardholder())
            attempt.bankId = id
            #expect(try await service.code(attempt) == 200)
        }
    }

    @Test("The token's AuthenticationCode is ignored by definition", arguments: DefinitionCall.byToken)
    func authenticationCode(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for code: JSON in ["wrong", 17, .null, ["a"]] {
            var attempt = try await service.defining("8305", call, holder)
            attempt.tokenMembers["AuthenticationCode"] = code
            #expect(try await service.code(attempt) == 0)
        }
        #expect(try await service.row("authentication_failures", of: holder) == "0")
    }

    // One case at a time: two that drop their triggers at once would wait for each other.
    @Test(
        "An internal error is answered 300, and the token is not spent", .serialized,
        arguments: DefinitionCall.definitions)
    func fault(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempt = try await service.defining("8305", call, holder)
        let name = "fault_\(holder.uniqueId.suffix(8))"
        try await service.installation.sql(
            """
            CREATE FUNCTION \(name)() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'raised by the test'; END $$;
            CREATE TRIGGER \(name) BEFORE UPDATE ON cardholder FOR EACH ROW
                WHEN (NEW.unique_id = '\(holder.uniqueId)') EXECUTE FUNCTION \(name)();
            """)
        let answer = try await service.send(attempt)
        #expect(answer.members == ["errorCode": 300, "errorMessage": "Internal error"])
        #expect(answer.status == 200)
        try await service.installation.sql("DROP TRIGGER \(name) ON cardholder; DROP FUNCTION \(name)()")
        #expect(try await service.code(attempt) == 0)
    }

    @Test("A wrong method, body, media type or size is an HTTP problem", arguments: DefinitionCall.allCases)
    func problems(call: DefinitionCall) async throws {
        let server = try await Service.shared.value.server
        let wrongMethod = try await server.request("GET", call.path)
        #expect(wrongMethod.status == 405 && wrongMethod["Allow"] == "POST")
        for body in ["", "[]", "{", "{\"a\":1,\"a\":2}", "{}{}", "null", "{\"pin\":\"\\ud800\"}"] {
            let answer = try await server.post(call.path, bytes: Array(body.utf8))
            #expect(answer.status == 400 && answer["Content-Type"] == "application/problem+json", "\(body)")
        }
        #expect(try await server.post(call.path, bytes: Array("{}".utf8), contentType: "text/plain").status == 415)
        let large = "{\"a\":\"\(String(repeating: "a", count: 65_536))\"}"
        #expect(try await server.post(call.path, bytes: Array(large.utf8)).status == 413)
        #expect(try await server.request("GET", call.path)["X-Request-Id"]?.isEmpty == false)
    }
}
