import EIDInterface
import EIDSimulation
import EIDWebSocket
import Foundation
import Testing

@Suite("The programs of the eID card", .timeLimit(.minutes(15)))
struct ToolTests {
    /// Runs `eid` with a simulated kernel.
    private func eid(
        _ arguments: [String], input: String = "", scenario: String = "{}"
    ) async throws -> (status: Int32, output: String, errors: String) {
        let host = KernelHost(try Scenario(parsing: Data(scenario.utf8)))
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        return try await withThrowingTaskGroup(of: (Int32, String, String)?.self) { group in
            group.addTask {
                try await KernelServer(host, port: 0).run { continuation.yield($0) }
                return nil
            }
            group.addTask {
                for await port in ports {
                    let program = try Program("eid", arguments + ["--port", String(port)], input: input)
                    return (await program.status(), program.output, program.errors)
                }
                return nil
            }
            defer { group.cancelAll() }
            return try #require(try await group.next() ?? nil)
        }
    }

    @Test("eid info names the program, its readers and cards")
    func info() async throws {
        let text = try await eid(["info"])
        #expect(text.status == 0)
        #expect(text.output.hasPrefix("Name: eid-simulator\n"))
        #expect(text.output.hasSuffix("Simulator: a card with 3 tries left for its PIN\n"))
        let json = try await eid(["info", "--json"])
        #expect(
            json.output.hasSuffix(
                #"{"attached":true,"card":{"deactivated":false,"inoperative":false,"retryCounter":3},"#
                    + #""keypad":false,"reader":"Simulator"}"# + "\n"))
    }

    @Test("eid change-pin changes a transport PIN, and asks again for what is not right")
    func changePIN() async throws {
        let result = try await eid(
            ["change-pin", "--json"], input: "1\n12345\n111111\n222222\n111111\n111111\n",
            scenario: #"{"cards":{"new":{"pin":"12345"}},"readers":[{"name":"NFC","card":"new"}]}"#)
        #expect(result.status == 0)
        #expect(result.output.hasSuffix(#"{"screen":"pinIsChanged"}"# + "\n"))
        #expect(result.errors.contains("You must provide 5 - 6 digits."))
        #expect(result.errors.contains("The two PINs are different."))
        #expect(!(result.output + result.errors).contains("111111"))
    }

    @Test("eid change-pin asks for CAN and PUK, and says how many tries are left")
    func blocked() async throws {
        let result = try await eid(
            ["change-pin"], input: "000000\n111111\n111111\n000000\n654321\n000000\n1234567890\n123456\n")
        #expect(result.status == 0)
        for text in ["(2 tries left)", "CAN, on the front of the card (one try left)", "The PIN is blocked."] {
            #expect(result.errors.contains(text), "\(result.errors)")
        }
    }

    @Test("eid authenticate shows what is read, and goes on only with consent")
    func authenticate() async throws {
        let scenario = #"{"service":{"required":["FamilyName"],"optional":["GivenNames"]}}"#
        let yes = try await eid(
            ["authenticate", "https://service.example/token"], input: "y\ny\n123456\n", scenario: scenario)
        #expect(yes.status == 0)
        #expect(yes.output.contains("https://simulation.invalid/eid"))
        #expect(yes.errors.contains("wants to read: Family name"))
        #expect(yes.errors.contains("Zuständige Datenschutzaufsicht"))
        let no = try await eid(["authenticate", "https://service.example/token"], input: "n\nn\n", scenario: scenario)
        #expect(no.status == 2)
    }

    @Test("The end of the input ends the workflow")
    func end() async throws {
        #expect(try await eid(["change-pin"], input: "").status == 2)
        #expect(try await eid(["authenticate", "https://service.example/token"], input: "y\n").status == 2)
    }

    @Test("Without an AusweisApp eid says so")
    func unreachable() async throws {
        let program = try Program("eid", ["info", "--port", "1"])
        #expect(await program.status() == 1)
        #expect(program.errors.contains("There is no AusweisApp"))
    }

    @Test("eid-simulator takes a free port, writes it to a file, serves, and ends at SIGTERM")
    func simulator() async throws {
        let program = try Program("eid-simulator", ["--port", "0"])
        while !program.output.contains("\n") { try await Task.sleep(for: .milliseconds(20)) }
        let address = try #require(program.output.firstMatch(of: /ws:\/\/localhost:(\d+)\/eID-Kernel/))
        #expect(program.output.contains("authenticates nobody"))
        #expect(program.files.contains("AusweisApp2.\(program.processID).port"))
        let port = try #require(Int(address.output.1))
        try await WebSocketTransport(host: "127.0.0.1", port: port, userAgent: "tests").withConnection { connection in
            var messages = connection.messages.makeAsyncIterator()
            try await connection.send(Command.getInfo.text)
            let message = try Message(parsing: try #require(try await messages.next()))
            #expect(message == .info(SimulatedKernel.version))
        }
        program.terminate()
        #expect(await program.status() == 0)
        #expect(!program.files.contains { $0.hasSuffix(".port") })
    }

    @Test("eid-simulator refuses a wrong scenario")
    func wrongScenario() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "scenario-\(UUID().uuidString).json")
        try Data(#"{"levels":[4]}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let program = try Program("eid-simulator", ["--port", "0", "--scenario", file.path])
        #expect(await program.status() != 0)
        #expect(program.errors.contains("levels must be 1, 2 or 3"))
    }
}
