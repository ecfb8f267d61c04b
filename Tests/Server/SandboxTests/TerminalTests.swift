import Foundation
import ServerHarness
import Testing

/// The way of a chosen PIN: server, connector, the bank's program, the host, and the terminal that accepts it.
///
/// One after the other, because one of them kills the connector.
@Suite("The sandbox's terminal", .serialized)
struct TerminalTests {
    private static let sandbox = Once { try await TerminalSandbox() }

    @Test("A chosen PIN is accepted when the page is told that it works, and another one is not")
    func accepted() async throws {
        let sandbox = try await Self.sandbox.value
        #expect(try await sandbox.definedPIN(of: "alice") == nil)
        let before = try await sandbox.enter("7391", of: "alice")
        #expect(before["isAccepted"] == false && before["knows"] == false, "\(before)")
        let event = try await sandbox.define("7391", of: "alice")
        try await sandbox.untilEffective("alice")
        #expect(try await sandbox.exports(of: "alice") == ["pvv-\(event)"])
        let right = try await sandbox.enter("7391", of: "alice")
        #expect(right["isAccepted"] == true && right["knows"] == true && right["triesLeft"] == 3, "\(right)")
        #expect(right["cardNumber"]?.string?.wholeMatch(of: /999900•{6}\d{4}/) != nil, "\(right)")
        // One in ten thousand PINs has the same value, so that one of the two may.
        var wrong: [[String: JSON]] = []
        for pin in ["2468", "8642"] { wrong.append(try await sandbox.enter(pin, of: "alice")) }
        #expect(wrong.contains { $0["isAccepted"] == false && $0["knows"] == true }, "\(wrong)")
    }

    @Test("After three wrong PINs the right one is refused too, and the next PIN that is chosen is accepted")
    func blocked() async throws {
        let sandbox = try await Self.sandbox.value
        _ = try await sandbox.define("7391", of: "bob")
        try await sandbox.untilEffective("bob")
        var triesLeft: [Int] = []
        while triesLeft.last != 0 {
            let pin = "\(2000 + triesLeft.count)"
            triesLeft.append(try #require(try await sandbox.enter(pin, of: "bob")["triesLeft"]?.integer))
        }
        #expect(triesLeft.suffix(3) == [2, 1, 0])
        #expect(try await sandbox.enter("7391", of: "bob")["isAccepted"] == false)
        _ = try await sandbox.define("58026", of: "bob")
        try await sandbox.untilEffective("bob")
        // A PVV covers the first four digits.
        for pin in ["58026", "5802"] { #expect(try await sandbox.enter(pin, of: "bob")["isAccepted"] == true) }
    }

    @Test("If the connector dies after it has handed out a PIN, another one goes on, and nothing happens twice")
    func killed() async throws {
        let sandbox = try await Self.sandbox.value
        let host = try #require(try await sandbox.process("host"))
        let connector = try #require(try await sandbox.process("forward"))
        // The host gets the line, and does not read it yet.
        kill(host, SIGSTOP)
        let event = try await sandbox.define("7391", of: "carol")
        try await eventually("the PIN is handed out") {
            try await sandbox.installation.sql(
                "SELECT attempts >= 1 FROM forwarded_pin WHERE event_id = '\(event)'") == ["t"]
        }
        kill(connector, SIGKILL)
        kill(host, SIGCONT)
        try await sandbox.untilEffective("carol")
        #expect(try await sandbox.exports(of: "carol") == ["pvv-\(event)"])
        #expect(try await sandbox.enter("7391", of: "carol")["isAccepted"] == true)
        #expect(try await sandbox.process("forward") != connector)
        #expect(sandbox.server.log.contains("The bank's connector has ended, and is started again"))
    }

    @Test("The connector and the host end with the server, also if it is killed")
    func endsWithServer() async throws {
        var sandbox = try await TerminalSandbox()
        for isKilled in [true, false] {
            let processes = [
                try #require(try await sandbox.process("forward")), try #require(try await sandbox.process("host")),
            ]
            if isKilled { try await sandbox.server.kill9() } else { #expect(try await sandbox.server.stop() == 0) }
            try await eventually("they have ended") {
                processes.allSatisfy { !FileManager.default.fileExists(atPath: "/proc/\($0)") }
            }
            if isKilled { sandbox = try await TerminalSandbox(sandbox.installation) }
        }
    }
}

/// A running sandbox, with what its page and its terminal do.
private struct TerminalSandbox: Sendable {
    let installation: TestInstallation
    let server: TestServer
    private let key: SealingKey

    init(_ installation: TestInstallation? = nil) async throws {
        self.installation = if let installation { installation } else { try await TestInstallation() }
        server = try await self.installation.startSandbox()
        key = try await server.sealingKey()
    }

    var folder: String { "\(installation.dataDirectory)/sandbox" }

    /// Chooses a PIN, as the page does with a token.
    ///
    /// - Returns: the id of its event `pin.defined`.
    func define(_ pin: String, of uniqueId: String) async throws -> String {
        let names = try await server.post("/sandbox/bank/transaction", [:]).members
        let signed = try await server.post(
            "/sandbox/bank/token", names.merging(["uniqueId": .string(uniqueId), "type": "02"]) { $1 })
        let padded = pin + String(repeating: " ", count: 16 - pin.count)
        let binding = SealedBinding(
            "pin", bankId: "SANDBOX", uniqueId: uniqueId, requestId: names["idTransaction"]?.string)
        let sealed = try key.seal(Array(padded.utf8), binding)
        let answer = try await server.post(
            "/v1/pin-definition/token/pin", signed.members.merging(["pin": .string(sealed)]) { $1 })
        try #require(answer.code == 0 && answer.members["effective"] == "later", "\(answer.members)")
        return try #require(
            try await installation.sql(
                "SELECT event_id FROM chosen_pin WHERE bank_id = 'SANDBOX' AND unique_id = '\(uniqueId)'"
            ).first)
    }

    /// What the page is told of the PIN that was chosen last; nil if there is none.
    func definedPIN(of uniqueId: String) async throws -> String? {
        try await server.post("/sandbox/bank/defined-pin", ["uniqueId": .string(uniqueId)]).members["state"]?.string
    }

    func untilEffective(_ uniqueId: String) async throws {
        try await eventually("the PIN of \(uniqueId) works") { try await definedPIN(of: uniqueId) == "effective" }
    }

    /// Enters a PIN at the terminal.
    func enter(_ pin: String, of uniqueId: String) async throws -> [String: JSON] {
        let answer = try await server.post(
            "/sandbox/terminal", ["uniqueId": .string(uniqueId), "pin": .string(pin)])
        try #require(answer.status == 200, "\(answer.members)")
        return answer.members
    }

    /// The Idempotency-Key of each export.
    func exports(of uniqueId: String) async throws -> [String] {
        try await installation.sql(
            """
            SELECT data->>'idempotencyKey' FROM event
            WHERE type = 'pin.exported' AND unique_id = '\(uniqueId)' ORDER BY event_id
            """)
    }

    /// The process of the server's connector, or that of the host below it.
    func process(_ command: String) async throws -> Int32? {
        var found: Int32?
        try await eventually("there is a process '\(command)'") {
            found = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.first { id in
                let line = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
                let words = String(decoding: line, as: UTF8.self).split(separator: "\0").map(String.init)
                return words.dropFirst().first == command && words.contains(folder)
            }
            return found != nil
        }
        return found
    }
}
