import ServerHarness
import Testing

/// Many cardholders in one call, one per line.
@Suite("Imports")
struct ImportTests {
    @Test("Each line creates or replaces a cardholder, and the PIN can be fetched")
    func good() async throws {
        let backend = try await Service.backend.value
        let known = try await backend.created(TestCardholder(pin: "4917"))
        let holders = [
            TestCardholder(), TestCardholder(known.uniqueId, pin: "83052"), TestCardholder(status: "CLOSED"),
        ]
        let answer = try await backend.importLines(lines(holders, backend))
        #expect(answer.status == 200)
        #expect(
            try answer.results == [
                .init(line: 1, uniqueId: holders[0].uniqueId, result: "created"),
                .init(line: 2, uniqueId: known.uniqueId, result: "replaced"),
                .init(line: 3, uniqueId: holders[2].uniqueId, result: "created"),
            ])
        #expect(
            answer.summary == [
                "lines": 3, "created": 2, "replaced": 1, "unchanged": 0, "deleted": 0, "refused": 0, "committed": true,
            ])
        #expect(try await backend.fetch(holders[0]).delivery?.members["length"] == 4)
        #expect(try await backend.fetch(holders[1]).delivery?.members["length"] == 5)
        #expect(try await backend.get(holders[2].uniqueId).members["status"] == "CLOSED")
    }

    @Test("An invalid line is refused, and all other lines are imported")
    func mixed() async throws {
        let backend = try await Service.backend.value
        let mixture = try Mixture(backend)
        let answer = try await backend.importLines(mixture.text)
        #expect(try answer.results == mixture.results)
        #expect(answer.isCommitted && answer.counts == [4, 0, 10])
        for holder in mixture.good { #expect(try await backend.fetch(holder).code == 0) }
        #expect(!answer.text.contains("4111111111111111"))
    }

    @Test("The operator's command gives the same results for the same file")
    func command() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let mixture = try Mixture(backend)
        let done = try await backend.importByCommand(mixture.text, in: service.installation)
        #expect(done.status == 65)
        let results = try done.stdout.split(separator: "\n").map { line in
            ImportAnswer.Result(try JSON(parsing: String(line)).object ?? [:])
        }
        #expect(results.sorted { $0.line < $1.line } == mixture.results)
        for holder in mixture.good { #expect(try await backend.fetch(holder).code == 0) }
        let again = try await backend.importLines(mixture.text)
        #expect(again.counts == [0, 0, 10] && again.summary["unchanged"] == 4)
    }

    @Test("Several lines for one cardholder apply in their order", arguments: [2, 3, 600])
    func inOrder(count: Int) async throws {
        let backend = try await Service.backend.value
        let uniqueId = Unique.name("holder")
        // Other lines in between, so that the two lines are in different batches.
        let others = (0..<count).map { #"{"uniqueId":"\#(uniqueId)-\#($0)"}"# }
        let first = #"{"uniqueId":"\#(uniqueId)","status":"CLOSED","channels":["AC"]}"#
        let last = #"{"uniqueId":"\#(uniqueId)","status":"SUSPENDED"}"#
        let text = ([first] + others + [last]).joined(separator: "\n")
        let answer = try await backend.importLines(text)
        #expect(answer.isCommitted && answer.counts == [count + 1, 1, 0])
        let shown = try await backend.get(uniqueId)
        #expect(shown.members["status"] == "SUSPENDED" && shown.members["channels"] == ["AC", "TOKEN"])
        let again = try await backend.importLines(text)
        #expect(again.counts == [0, 2, 0] && again.summary["unchanged"]?.integer == count)
        #expect(try await backend.get(uniqueId).members["status"] == "SUSPENDED")
    }

    @Test("op patch changes what the line names, op delete erases, and lines for one cardholder apply in their order")
    func operations() async throws {
        let backend = try await Service.backend.value
        let (known, other) = (try await backend.created(), try await backend.created())
        let nobody = Unique.name("nobody")
        func line(_ text: String, _ id: String) -> String { text.replacing("ID", with: id) }
        let lines = [
            line(#"{"op":"patch","uniqueId":"ID","status":"SUSPENDED"}"#, known.uniqueId),
            line(#"{"op":"delete","uniqueId":"ID"}"#, other.uniqueId),
            line(#"{"op":"patch","uniqueId":"ID","status":"SUSPENDED"}"#, other.uniqueId),
            line(#"{"op":"put","uniqueId":"ID","channels":["AC"]}"#, other.uniqueId),
            line(#"{"op":"delete","uniqueId":"ID"}"#, nobody),
            line(#"{"op":"remove","uniqueId":"ID"}"#, nobody),
            line(#"{"op":"patch","uniqueId":"ID","colour":"red"}"#, known.uniqueId),
        ]
        let answer = try await backend.importLines(lines.joined(separator: "\n"))
        #expect(
            try answer.results == [
                .init(line: 1, uniqueId: known.uniqueId, result: "replaced"),
                .init(line: 2, uniqueId: other.uniqueId, result: "deleted"),
                .init(line: 3, uniqueId: other.uniqueId, result: "refused", members: ["uniqueId"]),
                .init(line: 4, uniqueId: other.uniqueId, result: "created"),
                .init(line: 5, uniqueId: nobody, result: "unchanged"),
                .init(line: 6, uniqueId: nobody, result: "refused", members: ["op"]),
                .init(line: 7, uniqueId: known.uniqueId, result: "refused", members: ["colour"]),
            ])
        let patched = try await backend.get(known.uniqueId).members
        #expect(patched["status"] == "SUSPENDED" && patched["hasPin"] == true)
        #expect(try await backend.get(other.uniqueId).members["channels"] == ["AC"])
    }

    @Test("Any number of lines that are sealed to an unknown key are refused, and the rest go in")
    func unknownKeys() async throws {
        let backend = try await Service.shared.value.makeBackend(["--sealed-values", "any"])
        let elsewhere = try await TestInstallation(isNew: true).startServer()
        let sealed = try await elsewhere.sealingKey().seal(Array("4917".utf8), nil)
        try await elsewhere.stop()
        let bad = (0..<700).map { #"{"uniqueId":"holder-\#($0)","pin":"\#(sealed)"}"# }
        let answer = try await backend.importLines((bad + [#"{"uniqueId":"good"}"#]).joined(separator: "\n"))
        #expect(answer.isCommitted && answer.counts == [1, 0, 700])
    }

    @Test("An unknown member in a line or a PUT is ignored, and reported as a warning")
    func warnings() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let warnings: JSON = [["member": "colour", "reason": "is not known: it was ignored"]]
        let name = Unique.name("holder")
        #expect(try await backend.put(name, ["colour": "red", "status": "ACTIVE"]).members == ["warnings": warnings])
        let line = #"{"uniqueId":"\#(name)","colour":"red","size":1}"#
        let answer = try await backend.importLines(line + "\n" + #"{"uniqueId":"\#(name)"}"#)
        let results = answer.text.split(separator: "\n").compactMap { try? JSON(parsing: String($0)).object }
        let first = try #require(results.first { $0["line"] == 1 }?["warnings"]?.array)
        #expect(first.map { $0.object?["member"] } == ["colour", "size"])
        #expect(results.first { $0["line"] == 2 }?["warnings"] == nil)
        let shown = try await service.installation.run(
            ["cardholder", "import", "--bank", backend.bank.id, "-"], stdin: line
        ).succeeded()
        #expect(shown.stderr.contains("line 1: warning: colour: is not known: it was ignored"))
        #expect(shown.stdout.contains("1 unchanged"))
    }

    @Test("A dry run says what is wrong in a file, and writes nothing, not even the good lines")
    func dryRun() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let (good, bad) = (Unique.name("good"), Unique.name("bad"))
        let text = #"""
            {"uniqueId":"\#(good)","colour":"green"}
            {"uniqueId":"\#(bad)","status":"GONE"}
            """#
        func tryImport(_ arguments: String...) async throws -> CommandResult {
            try await service.installation.run(
                ["cardholder", "import", "--bank", backend.bank.id, "--dry-run", "-"] + arguments, stdin: text)
        }
        let shown = try await tryImport()
        #expect(shown.status == 65)
        #expect(shown.stdout == "1 good, 1 refused; nothing was written\n")
        #expect(shown.stderr.contains("line 1: warning: colour: is not known"))
        #expect(shown.stderr.contains("line 2: status: must be one of ACTIVE, SUSPENDED, CLOSED"))
        #expect(try await tryImport("--json").stdout.contains(#"{"line":1,"result":"good","uniqueId":"\#(good)""#))
        let rows = try await service.installation.sql(
            """
            SELECT 1 FROM cardholder WHERE unique_id IN ('\(good)', '\(bad)')
            UNION ALL SELECT 1 FROM import_line WHERE unique_id IN ('\(good)', '\(bad)')
            """)
        #expect(rows.isEmpty)
    }

    @Test("The same lines again change nothing, even after definitions and deliveries")
    func sameAgain() async throws {
        let backend = try await Service.backend.value
        let holders = [TestCardholder(), TestCardholder(channels: ["AC"]), TestCardholder()]
        let text = try lines(holders, backend)
        #expect(try await backend.importLines(text).counts == [3, 0, 0])
        // The first cardholder defines another PIN. The second one's PIN is delivered and erased.
        #expect(try await backend.define("830527", holders[0]) == 0)
        let app = try TestApp()
        let delivery = try app.open(
            try await backend.server.post(Path.captcha, app.captcha(backend.bank, holders[1])))
        #expect(try await backend.server.post(Path.notify, delivery.notify(backend.bank, holders[1])).code == 0)
        var before: [HTTPAnswer] = []
        for holder in holders { before.append(try await backend.get(holder.uniqueId)) }
        let again = try await backend.importLines(text)
        #expect(again.isCommitted && again.counts == [0, 0, 0] && again.summary["unchanged"] == 3)
        for (holder, before) in zip(holders, before) {
            let after = try await backend.get(holder.uniqueId)
            #expect(after["ETag"] == before["ETag"] && after.members == before.members)
        }
        #expect(try await backend.fetch(holders[0]).delivery?.members["length"] == 6)
        #expect(before[1].members["hasPin"] == false)
    }

    @Test("After simultaneous imports of the same cardholders, each cardholder is consistent")
    func simultaneous() async throws {
        let backend = try await Service.shared.value.makeBackend()
        var second = backend
        second.server = try await Service.second.value
        let names = (0..<1500).map { "holder-\($0)" }
        let first = names.map { #"{"uniqueId":"\#($0)","status":"CLOSED","channels":["AC"]}"# }
        let other = names.reversed().map { #"{"uniqueId":"\#($0)","status":"SUSPENDED","channels":["TOKEN"]}"# }
        let backends = [backend, second]
        let answers = try await withThrowingTaskGroup(of: ImportAnswer.self) { group in
            for place in 0..<4 {
                let text = (place < 2 ? first : other).joined(separator: "\n")
                group.addTask { try await backends[place % 2].importLines(text) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(try answers.allSatisfy { try $0.isCommitted && $0.results.count == names.count })
        #expect(try answers.reduce(0) { try $0 + $1.count("created") } == names.count)
        let rows = try await Service.shared.value.installation.sql(
            """
            SELECT count(*), count(*) FILTER (WHERE (status = 'CLOSED') = (channels = ARRAY['AC']))
            FROM cardholder WHERE bank_id = '\(backend.bank.id)'
            """)
        #expect(rows == ["\(names.count)|\(names.count)"])
    }

    private func lines(_ holders: [TestCardholder], _ backend: Backend) throws -> String {
        try holders.map { try $0.line(sealedTo: backend.key, of: backend.bank.id) }.joined(separator: "\n")
    }
}

/// Lines of every kind, and their expected results.
private struct Mixture {
    let good = (0..<4).map { _ in TestCardholder() }
    let text: String
    let results: [ImportAnswer.Result]

    init(_ backend: Backend) throws {
        let key = backend.key
        let bad = Unique.name("bad")
        let badPIN = try key.seal(
            Array("12".utf8), SealedBinding("pin", bankId: backend.bank.id, uniqueId: bad))
        let limit = 65_536
        let padding = limit - (try good[3].line(sealedTo: key, of: backend.bank.id).utf8.count)
        let lines: [(text: String, result: ImportAnswer.Result?)] = [
            (
                try good[0].line(sealedTo: key, of: backend.bank.id),
                .init(line: 1, uniqueId: good[0].uniqueId, result: "created")
            ),
            ("{broken", Self.refused(2, nil, [""])),
            ("", nil),
            (" \t\r", nil),
            (
                #"{"uniqueId":"\#(bad)","status":"GONE","pin":"\#(badPIN)"}"#,
                Self.refused(5, bad, ["status", "pin"])
            ),
            (String(repeating: " ", count: limit) + "{}", Self.refused(6, nil, [""])),
            (
                try good[1].line(sealedTo: key, of: backend.bank.id) + "\r",
                .init(line: 7, uniqueId: good[1].uniqueId, result: "created")
            ),
            (#"{"status":"ACTIVE"}"#, Self.refused(8, nil, ["uniqueId"])),
            (#"{"uniqueId":"4111111111111111"}"#, Self.refused(9, nil, ["uniqueId"])),
            (#"{"op":"delete","uniqueId":"4111111111111111"}"#, Self.refused(10, nil, ["uniqueId"])),
            (#"{"op":"x","uniqueId":"4111111111111111"}"#, Self.refused(11, nil, ["uniqueId"])),
            (#"{"uniqueId":"\#(bad)","uniqueId":"\#(bad)"}"#, Self.refused(12, nil, [""])),
            ("[]", Self.refused(13, nil, [""])),
            (#"{"uniqueId":"\#(bad)","pinBlock":{"format":"ISO-1"}}"#, Self.refused(14, bad, ["pinBlock"])),
            (
                try good[2].line(sealedTo: key, of: backend.bank.id),
                .init(line: 15, uniqueId: good[2].uniqueId, result: "created")
            ),
            // The longest allowed line, without a line break at its end.
            (
                try good[3].line(sealedTo: key, of: backend.bank.id) + String(repeating: " ", count: padding),
                .init(line: 16, uniqueId: good[3].uniqueId, result: "created")
            ),
        ]
        text = lines.map(\.text).joined(separator: "\n")
        results = lines.compactMap(\.result)
    }

    private static func refused(_ line: Int, _ uniqueId: String?, _ members: [String]) -> ImportAnswer.Result {
        .init(line: line, uniqueId: uniqueId, result: "refused", members: members)
    }
}

extension Backend {
    /// Defines a cardholder's PIN by token; returns the response's code.
    func define(_ pin: String, _ holder: TestCardholder) async throws -> Int? {
        let token = bank.token(for: holder, type: "02")
        return try await server.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                "pin": .string(try key.seal(Array(pin.utf8), SealedBinding("pin", for: token))),
            ]
        ).code
    }
}
