import Foundation
import ServerHarness
import Testing

@Suite("Fuzzing")
struct FuzzTests {
    private static let bodyCount = 2500
    private static let requestCount = 600

    @Test(
        "Randomly changed bodies are answered as the protocol says, without internal errors or leaks",
        arguments: [1, 2] as [UInt64])
    func bodies(seed: UInt64) async throws {
        let target = try await Target.shared.value
        let ready = try await target.server.request("GET", "/health/ready").status
        #expect(ready == 200)
        let before = try Process(target.server)
        try await RawConnection.open(target.server.port, patienceSeconds: 600) { connection in
            var random = SeededRandom(seed: seed)
            for round in 0..<Self.bodyCount {
                let operation = Operation.allCases[round % Operation.allCases.count]
                let body = try Self.body(operation, target, using: &random)
                let answer = try await connection.post(operation.path, body)
                Self.expectProtocol(answer, operation, String(decoding: body, as: UTF8.self))
            }
        }
        try await Self.expectHealthy(target, since: before)
    }

    @Test("Randomly changed request heads cause no internal errors or leaks")
    func requests() async throws {
        let target = try await Target.shared.value
        let before = try Process(target.server)
        var random = SeededRandom(seed: 3)
        for round in 0..<Self.requestCount {
            let operation = Operation.allCases[round % Operation.allCases.count]
            let body = JSON.object(try operation.members(target)).text
            let head =
                "POST \(operation.path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            let request = random.mutated(Array(head.utf8), count: 3) + Array(body.utf8)
            let answers = try await RawConnection.open(target.server.port) { connection in
                try await connection.send(request)
                try await connection.closeOutput()
                return RawAnswer.all(in: try await connection.receiveAll())
            }
            for answer in answers {
                #expect(answer.status < 500 && answer.code != 500, "\(String(decoding: request, as: UTF8.self))")
            }
        }
        try await Self.expectHealthy(target, since: before)
    }

    /// Half of the bodies are changed as text. The others have one unusual member in a valid request, with a new signature
    /// if it is in a token, so that they pass more checks.
    private static func body(
        _ operation: Operation, _ target: Target, using random: inout SeededRandom
    ) throws -> [UInt8] {
        let tokenMembers = ["IdBEL", "IdPorteur", "IdTransaction", "Timestamp", "Type", "AuthenticationCode"]
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: return random.mutated(Array(JSON.object(try operation.members(target)).text.utf8), count: 4)
        case 2 where operation.hasToken:
            let name = tokenMembers.randomElement(using: &random) ?? ""
            let value = Values.parsed.randomElement(using: &random) ?? .null
            return Array(JSON.object(try operation.members(target, changingToken: name, to: value)).text.utf8)
        default:
            let members = try operation.members(target)
            let name = members.keys.sorted().randomElement(using: &random) ?? ""
            return Values.text(members, name, Values.all.randomElement(using: &random) ?? "")
        }
    }

    private static func expectProtocol(_ answer: RawAnswer, _ operation: Operation, _ body: String) {
        if answer.status == 200 {
            #expect(answer.code != nil && answer.code != 500, "\(operation): \(body)")
            #expect(operation.faultCode == 500 || answer.code != 300, "\(operation): \(body)")
        } else {
            #expect([400, 413].contains(answer.status) && answer.isProblem, "\(operation): \(body): \(answer.text)")
        }
    }

    private static func expectHealthy(_ target: Target, since before: Process) async throws {
        #expect(target.faults.isEmpty)
        #expect(try await target.server.request("GET", "/health/ready").status == 200)
        let after = try Process(target.server)
        #expect(after.descriptors <= before.descriptors + 40, "other suites also have connections, but not so many")
        #expect(after.residentKilobytes < before.residentKilobytes + 200_000)
    }

    /// The server's open file descriptors and resident memory.
    private struct Process {
        let descriptors: Int
        let residentKilobytes: Int

        init(_ server: TestServer) throws {
            descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(server.processID)/fd").count
            let file = try FileHandle(forReadingFrom: URL(filePath: "/proc/\(server.processID)/status"))
            let status = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            residentKilobytes = status.firstMatch(of: /VmRSS:\s+(\d+) kB/).flatMap { Int($0.1) } ?? .max
        }
    }
}

/// A random number generator with a fixed seed, so that failures are reproducible.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    // SplitMix64 (Steele, Lea and Flood, 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Applies 1 to `count` random changes: replaced, inserted, duplicated or removed bytes.
    mutating func mutated(_ bytes: [UInt8], count: Int) -> [UInt8] {
        var bytes = bytes
        let special = Array("{}[]\",:\\u0\r\n\t ;=-+.%\u{0}é".utf8) + [0x80, 0xFF]
        for _ in 0..<Int.random(in: 1...count, using: &self) where bytes.count > 1 {
            let place = Int.random(in: 0..<bytes.count, using: &self)
            let end = min(bytes.count, place + Int.random(in: 1...40, using: &self))
            switch Int.random(in: 0..<5, using: &self) {
            case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &self)
            case 1: bytes[place] = special.randomElement(using: &self) ?? 0
            case 2: bytes.insert(special.randomElement(using: &self) ?? 0, at: place)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
            default: bytes.removeSubrange(place..<end)
            }
        }
        return bytes
    }
}
