import Crypto
import Foundation
import PythonOracle
import ServerHarness
import Testing

/// PINs that come as PIN blocks, which psec makes, under keys of the bank.
@Suite("PIN blocks", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PINBlockTests {
    private static let pan = "5432101234567891"

    /// A bank that may send all formats, with a key of Triple DES (tdes) and one of AES (aes).
    private struct Sender {
        static let oracle = PythonOracle(script: "../../../Keys/PINBlocksTests/Oracles/psec_oracle.py")

        let backend: Backend
        let keys: [String: [UInt8]]

        init(backend: Backend, keys: [String: [UInt8]]) {
            self.backend = backend
            self.keys = keys
        }

        init(_ settings: [String] = ["--pin-blocks", "iso-0,iso-1,iso-3,iso-4"], direction: String = "decrypt")
            async throws
        {
            let service = try await Service.shared.value
            backend = try await service.makeBackend(settings + ["--text-pins", "true"])
            keys = ["tdes": Self.random(16), "aes": Self.random(32)]
            for (algorithm, key) in keys {
                try await service.installation.importKey(
                    key, label: algorithm, into: backend.bank.id,
                    ["--usage", "pin-encryption", "--algorithm", algorithm, "--direction", direction])
            }
        }

        static func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

        /// The label of the key for a format.
        func label(_ format: String) -> String { format == "iso-4" ? "aes" : "tdes" }

        /// The JSON object of a PIN block.
        func members(_ format: String, _ pin: String, pan: String = PINBlockTests.pan) async throws -> [String: JSON] {
            let asked = [
                "format": format, "key": Hex.encode(keys[label(format)] ?? []), "pin": pin, "pan": pan,
            ]
            let block = try #require(try await Self.oracle.ask("encrypt", asked)["block"])
            var members: [String: JSON] = [
                "format": .string(format), "key": .string(label(format)), "block": .string(block),
            ]
            if format != "iso-1" { members["pan"] = .string(pan) }
            return members
        }

        /// The members, sealed for a cardholder.
        func sealed(
            _ members: [String: JSON], for uniqueId: String, contentType: String = "pinBlock"
        ) throws -> JSON {
            let binding = SealedBinding(contentType, bankId: backend.bank.id, uniqueId: uniqueId)
            return .string(try backend.key.seal(Array(JSON.object(members).text.utf8), binding))
        }

        /// The body of a PUT or PATCH.
        func body(_ members: [String: JSON], for holder: TestCardholder) throws -> [String: JSON] {
            var body = try holder.members(sealedTo: backend.key, of: backend.bank.id)
            body["pinBlock"] = try sealed(members, for: holder.uniqueId)
            return body
        }

        /// The digits that a cardholder gets.
        func digits(of holder: TestCardholder) async throws -> JSON? {
            let app = try TestApp()
            var request = try app.tokenCaptcha(backend.bank, backend.bank.token(for: holder))
            request["formats"] = ["text"]
            return try app.open(try await backend.server.post(Path.tokenCaptcha, request)).members["text"]
        }

        func refusal(_ members: [String: JSON]) async throws -> String {
            let holder = TestCardholder(pin: nil)
            let answer = try await backend.put(holder.uniqueId, body(members, for: holder))
            #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinBlock"], "\(answer.members)")
            #expect(try await backend.get(holder.uniqueId).status == 404)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(!text.contains(PINBlockTests.pan) && !text.contains("4917"))
            return answer.invalid.first?.reason ?? ""
        }
    }

    private static let sender = Once { try await Sender() }

    @Test(
        "A PIN in a block of each format is taken by PUT, PATCH and import, and the cardholder gets it",
        arguments: ["iso-0", "iso-1", "iso-3", "iso-4"])
    func formats(format: String) async throws {
        let sender = try await Self.sender.value
        let holder = TestCardholder(pin: nil, accessibility: "text")
        let put = try await sender.backend.put(
            holder.uniqueId, sender.body(sender.members(format, "4917"), for: holder))
        #expect(put.status == 201)
        #expect(try await sender.digits(of: holder) == "4917")

        let patch = ["pinBlock": try await sender.sealed(sender.members(format, "58261"), for: holder.uniqueId)]
        #expect(try await sender.backend.patch(holder.uniqueId, patch).status == 200)
        #expect(try await sender.digits(of: holder) == "58261")

        let other = TestCardholder(pin: nil, accessibility: "text")
        var line = try await sender.body(sender.members(format, "736194"), for: other)
        line["uniqueId"] = .string(other.uniqueId)
        let answer = try await sender.backend.importLines(JSON.object(line).text + "\n")
        #expect(answer.status == 200)
        #expect(try await sender.digits(of: other) == "736194")
        let third = TestCardholder(pin: nil, accessibility: "text")
        line = try await sender.body(sender.members(format, "2846"), for: third)
        line["uniqueId"] = .string(third.uniqueId)
        let installation = try await Service.shared.value.installation
        try await sender.backend.importByCommand(JSON.object(line).text, in: installation).succeeded()
        #expect(try await sender.digits(of: third) == "2846")
    }

    @Test("The same block again changes nothing, and a block has a pinVersion as a pin has")
    func takenOnce() async throws {
        let sender = try await Self.sender.value
        let holder = TestCardholder(pin: nil, accessibility: "text")
        let body = try await sender.body(sender.members("iso-0", "4917"), for: holder)
        let first = try await sender.backend.put(holder.uniqueId, body)
        let again = try await sender.backend.put(holder.uniqueId, body)
        #expect(first.status == 201 && again.status == 200 && first["ETag"] == again["ETag"])
        let versioned: [String: JSON] = [
            "pinBlock": try await sender.sealed(sender.members("iso-4", "5826"), for: holder.uniqueId), "pinVersion": 1,
        ]
        #expect(try await sender.backend.patch(holder.uniqueId, versioned).status == 200)
        #expect(try await sender.digits(of: holder) == "5826")
        #expect(try await sender.backend.get(holder.uniqueId).members["pinVersion"] == 1)
        #expect(try await sender.backend.patch(holder.uniqueId, ["pin": nil]).status == 200)
        #expect(try await sender.backend.get(holder.uniqueId).members["hasPin"] == false)
    }

    @Test("A bank may only send the formats that its setting allows, and none by default")
    func allowed() async throws {
        let none = try await Sender([])
        #expect(try await none.refusal(none.members("iso-0", "4917")).contains("may send no PIN blocks"))
        let some = try await Sender(["--pin-blocks", "iso-1,iso-4"])
        for format in ["iso-0", "iso-3"] {
            #expect(try await some.refusal(some.members(format, "4917")).contains("may send: iso-1, iso-4"))
        }
        let holder = TestCardholder(pin: nil)
        let body = try await some.body(some.members("iso-4", "4917"), for: holder)
        #expect(try await some.backend.put(holder.uniqueId, body).status == 201)
        // The setting holds at once.
        let installation = try await Service.shared.value.installation
        try await installation.run(["bank", "set", some.backend.bank.id, "--pin-blocks", "none"]).succeeded()
        #expect(try await some.refusal(some.members("iso-4", "4917")).contains("may send no PIN blocks"))
    }

    @Test("A PIN block and a pin together are refused, and a pinBlock cannot be removed")
    func together() async throws {
        let sender = try await Self.sender.value
        let holder = TestCardholder(pin: "4917")
        let body = try await sender.body(sender.members("iso-0", "4917"), for: holder)
        let answer = try await sender.backend.put(holder.uniqueId, body)
        #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinBlock"])
        #expect(answer.invalid.first?.reason.contains("must not come with pin") == true)
        let created = try await sender.backend.created()
        let removed = try await sender.backend.patch(created.uniqueId, ["pinBlock": nil])
        #expect(removed.status == 422 && removed.invalid.map(\.member) == ["pinBlock"])
    }

    @Test("A block that is not sealed for this cardholder and as a PIN block is refused")
    func bindings() async throws {
        let sender = try await Self.sender.value
        let (holder, other) = (TestCardholder(pin: nil), TestCardholder(pin: nil))
        let members = try await sender.members("iso-0", "4917")
        for (value, reason) in [
            (try sender.sealed(members, for: other.uniqueId), "sub"),
            (try sender.sealed(members, for: holder.uniqueId, contentType: "pin"), "cty"),
            (.object(members), "must be a JWE"),
            ("", "JWE"), ("4917", "JWE"),
        ] {
            let answer = try await sender.backend.put(holder.uniqueId, ["pinBlock": value])
            #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinBlock"])
            #expect(answer.invalid.first?.reason.contains(reason) == true, "\(answer.invalid)")
        }
        // A sealed block is not taken as a PIN either.
        let asPIN = try await sender.backend.put(
            holder.uniqueId, ["pin": try sender.sealed(members, for: holder.uniqueId)])
        #expect(asPIN.status == 422 && asPIN.invalid.first?.reason.contains("cty") == true)
    }

    @Test("Members that are missing, wrong or unknown are refused")
    func badMembers() async throws {
        let sender = try await Self.sender.value
        let good = try await sender.members("iso-0", "4917")
        for (name, value, reason) in [
            ("format", nil, "format must be"), ("format", "iso-2", "format must be"), ("format", 0, "format must be"),
            ("key", nil, "key must be"), ("key", "a\0", "key must be"), ("key", "nobody", "no active key"),
            ("block", nil, "block must be hex"),
            ("block", "0412", "has 8 bytes"), ("block", "xyz", "block must be hex"), ("pan", nil, "needs a PAN"),
            ("pan", 5, "pan must be"), ("pan", "123", "needs a PAN"), ("pin", "4917", "unknown member"),
            ("format", "iso-4", "needs a key of AES"), ("key", "aes", "needs a key of Triple DES"),
            ("format", "iso-1", "has no PAN"),
        ] as [(String, JSON?, String)] {
            var members = good
            members[name] = value
            #expect(try await sender.refusal(members).contains(reason), "\(name)")
        }
        let holder = TestCardholder(pin: nil)
        let binding = SealedBinding("pinBlock", bankId: sender.backend.bank.id, uniqueId: holder.uniqueId)
        for text in ["", "4917", "[]", "{\"format\":\"iso-0\",\"format\":\"iso-1\"}"] {
            let value = JSON.string(try sender.backend.key.seal(Array(text.utf8), binding))
            let answer = try await sender.backend.put(holder.uniqueId, ["pinBlock": value])
            #expect(answer.status == 422 && answer.invalid.first?.reason.contains("strict JSON object") == true)
        }
    }

    @Test("A PAN has 13 digits or more in formats 0 and 3, and 12 or more in format 4")
    func panLengths() async throws {
        let sender = try await Self.sender.value
        for (format, shortest) in [("iso-0", 13), ("iso-3", 13), ("iso-4", 12)] {
            for length in [shortest, 19] {
                let holder = TestCardholder(pin: nil)
                let pan = String("5432101234567891234".prefix(length))
                let body = try await sender.body(sender.members(format, "4917", pan: pan), for: holder)
                #expect(try await sender.backend.put(holder.uniqueId, body).status == 201, "\(format) \(length)")
            }
            for length in [shortest - 1, 20] {
                var members = try await sender.members(format, "4917")
                members["pan"] = .string(String("54321012345678912345".prefix(length)))
                #expect(try await sender.refusal(members).contains("needs a PAN of \(shortest) to 19 digits"))
            }
        }
    }

    @Test("A block for another PAN, under another key or of another format does not open, and a PIN must fit the bank")
    func content() async throws {
        let sender = try await Self.sender.value
        for format in ["iso-0", "iso-3", "iso-4"] {
            var members = try await sender.members(format, "4917")
            members["pan"] = "5432107654321091"
            #expect(try await sender.refusal(members).contains("not of this format, key and PAN"))
        }
        var members = try await sender.members("iso-0", "4917")
        members["format"] = "iso-3"
        #expect(try await sender.refusal(members).contains("not of this format, key and PAN"))
        members = try await sender.members("iso-0", "4917")
        members["block"] = "00000000000000000"
        #expect(try await sender.refusal(members).contains("block must be hex"))
        #expect(try await sender.refusal(sender.members("iso-0", "1234567")).contains("must have 4 to 6 digits"))
    }

    @Test("A key that is disabled, erased, for the other direction or of another bank opens nothing")
    func keys() async throws {
        let sender = try await Sender()
        let installation = try await Service.shared.value.installation
        let members = try await sender.members("iso-0", "4917")
        let holder = TestCardholder(pin: nil)
        #expect(try await sender.backend.put(holder.uniqueId, sender.body(members, for: holder)).status == 201)
        for command in ["disable", "remove"] {
            try await installation.run(["key", command, "--bank", sender.backend.bank.id, "tdes"]).succeeded()
            #expect(try await sender.refusal(members).contains("no active key"))
        }
        let sealing = try await Sender(direction: "encrypt")
        #expect(try await sealing.refusal(sealing.members("iso-0", "4917")).contains("cannot open what the bank sends"))
        // A key of another usage is none for PIN blocks.
        try await installation.importKey(
            Sender.random(16), label: "kbpk", into: sender.backend.bank.id,
            ["--usage", "key-block", "--algorithm", "tdes"])
        var other = members
        other["key"] = "kbpk"
        #expect(try await sender.refusal(other).contains("no active key"))
        other["key"] = .string(TestBank.hmacLabel)
        #expect(try await sender.refusal(other).contains("no active key"))
    }

    @Test(
        "An import reads a key once per batch, not per line, and a key that was disabled opens nothing of the next import"
    )
    func keysOfImports() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank(["--pin-blocks", "iso-1"])
        let backend = Backend(
            server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank, algorithm: .ed25519),
            key: try await server.sealingKey())
        let sender = Sender(backend: backend, keys: ["tdes": Sender.random(16)])
        try await installation.importKey(
            sender.keys["tdes"] ?? [], label: "tdes", into: bank.id,
            ["--usage", "pin-encryption", "--algorithm", "tdes"])
        let members = try await sender.members("iso-1", "4917")
        let lines = try (0..<600).map { _ in
            let holder = TestCardholder(code: nil, pin: nil)
            return JSON.object(
                try sender.body(members, for: holder).merging(["uniqueId": .string(holder.uniqueId)]) { $1 }
            ).text
        }
        let reads = "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'bank_key'"
        func count() async throws -> Int { try #require(Int(try await installation.sql(reads)[0])) }
        let before = try await count()
        #expect(try await backend.importLines(lines.joined(separator: "\n")).counts == [600, 0, 0])
        try await installation.run(["key", "disable", "--bank", bank.id, "tdes"]).succeeded()
        let refused = try await backend.importLines(lines[0])
        #expect(try refused.results.map(\.members) == [["pinBlock"]])
        // A session tells its counts when it ends.
        try await server.stop()
        try await installation.untilNoServerIsConnected()
        let after = try await count()
        #expect(before < after && after < before + 100, "\(after - before) reads")
    }

    @Test("Keys that came in key blocks open PIN blocks and verify hashMacs")
    func keyBlocks() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(["--pin-blocks", "iso-4", "--text-pins", "true"])
        let (protectionKey, pinKey, hmacKey) = (Sender.random(32), Sender.random(16), Sender.random(32))
        try await service.installation.importKey(
            protectionKey, label: "kbpk", into: backend.bank.id, ["--usage", "key-block", "--algorithm", "aes"])
        for (key, letters, usage) in [(pinKey, "P0AD", "pin-encryption"), (hmacKey, "M7HV", "distribution")] {
            let asked = [
                "protectionKey": Hex.encode(protectionKey), "key": Hex.encode(key), "header": "D0000\(letters)00N0000",
            ]
            let block = try #require(
                try await PythonOracle(script: "../../../Keys/KeyBlocksTests/Oracles/psec_oracle.py").ask(
                    "wrap", asked)[
                        "block"])
            try await service.installation.run([
                "key", "import", "--bank", backend.bank.id, "--usage", usage, "--tr31", block, "--under", "kbpk",
                "--label",
                usage,
            ]).succeeded()
        }
        let holder = TestCardholder(pin: nil, accessibility: "text")
        let sender = Sender(backend: backend, keys: ["aes": pinKey])
        var members = try await sender.members("iso-4", "4917")
        members["key"] = "pin-encryption"
        #expect(try await backend.put(holder.uniqueId, sender.body(members, for: holder)).status == 201)

        let app = try TestApp()
        let bank = TestBank(id: backend.bank.id, hmacKey: SymmetricKey(data: hmacKey), signer: backend.bank.signer)
        var request = try app.captcha(bank, holder)
        request["formats"] = ["text"]
        #expect(try app.open(try await backend.server.post(Path.captcha, request)).members["text"] == "4917")
    }

    @Test("The PAN is nowhere in the database or in the server's log")
    func forgotten() async throws {
        let sender = try await Self.sender.value
        let holder = TestCardholder(pin: nil)
        let members = try await sender.members("iso-0", "4917")
        #expect(try await sender.backend.put(holder.uniqueId, sender.body(members, for: holder)).status == 201)
        let shared = try await Service.shared.value
        let tables = try await shared.installation.sql(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'card_companion'")
        #expect(tables.contains("cardholder"))
        for table in tables {
            let rows = try await shared.installation.sql(
                "SELECT count(*) FROM card_companion.\(table) AS row WHERE row::text ~ '\(Self.pan)|\(Hex.encode(Self.pan.utf8))'"
            )
            #expect(rows == ["0"], "\(table)")
        }
        #expect(shared.server.logLines(with: Self.pan).isEmpty)
    }

    @Test("bank set, bank show and their limits")
    func settings() async throws {
        let installation = try await Service.shared.value.installation
        let id = Unique.name("bank")
        try await installation.run(["bank", "add", id, "--scheme", "CB"]).succeeded()
        func shown(_ member: String) async throws -> JSON? {
            let json = try await installation.run(["bank", "show", id, "--json"]).succeeded().stdout
            return try JSON(parsing: json).object?[member]
        }
        #expect(try await shown("pinBlocks") == [])
        try await installation.run(["bank", "set", id, "--pin-blocks", "iso-4,iso-1"]).succeeded()
        #expect(try await shown("pinBlocks") == ["iso-1", "iso-4"])
        let unknown = try await installation.run(["bank", "set", id, "--pin-blocks", "iso-2"])
        #expect(unknown.status == 65 && unknown.stderr.contains("--pin-blocks must list iso-0, iso-1, iso-3, iso-4"))
        try await installation.importKey(
            (0..<24).map { _ in UInt8.random(in: .min ... .max) }, label: "pek", into: id,
            ["--usage", "pin-encryption", "--algorithm", "tdes", "--direction", "encrypt"])
        try await installation.run(["bank", "set", id, "--defined-pin-key", "pek"]).succeeded()
        #expect(try await shown("definedPINKey") == "pek")
        let without = try await installation.run(["bank", "set", id, "--pin-blocks", "iso-4"])
        #expect(without.status == 65 && without.stderr.contains("must list iso-1"))
        try await installation.run(["bank", "set", id, "--defined-pin-key", "none", "--pin-blocks", "none"]).succeeded()
        #expect(try await shown("pinBlocks") == [])
        #expect(try await shown("definedPINKey") == nil)
    }
}
