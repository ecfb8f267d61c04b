import ServerHarness
import Synchronization
import Testing

/// The installation, the server and the banks that most suites share.
struct Service: Sendable {
    /// The shared service of this test process.
    static let shared = Once { try await Service() }

    let installation: TestInstallation
    let server: TestServer
    let keys: ServerKeySet
    /// A bank that accepts any PIN of 4 to 6 digits, with limits high enough for all tests.
    let bank: TestBank

    static let freeSettings = [
        "--weak-pin-rules", "none", "--definitions-per-day", "100", "--fetch-limit",
        "100",
        "--retention", "keep-repeat", "--delivery-format", "digits",
    ]

    private let holders: Holders
    private let timestamps = Timestamps()

    /// A separate installation, for a suite that other suites could disturb, or that would disturb them.
    ///
    /// - Parameters:
    ///   - cluster: nil uses the shared cluster.
    ///   - environment: environment variables of the server.
    ///   - holderCount: the number of cardholders provisioned per batch.
    init(
        on cluster: TestCluster? = nil, environment: [String: String] = [:], holderCount: Int = 40
    ) async throws {
        installation = try await TestInstallation(on: cluster)
        server = try await installation.startServer(environment: Self.manyRequests.merging(environment) { $1 })
        keys = try await ServerKeySet(of: server)
        bank = try await installation.makeBank(Self.freeSettings)
        holders = Holders(installation, server, bank, batchSize: holderCount)
    }

    /// A second server on the shared installation.
    static let second = Once { try await shared.value.installation.startServer(environment: manyRequests) }

    /// Tests of simultaneous requests send many for one cardholder.
    private static let manyRequests = ["CARDHOLDER_REQUESTS": "100"]

    /// A cardholder that no other test uses, with the PIN 4917.
    func holder() async throws -> TestCardholder {
        try await holders.next()
    }

    /// A cardholder of another bank.
    func holder(of bank: TestBank, status: String? = nil) async throws -> TestCardholder {
        let holder = TestCardholder(status: status)
        try await installation.provision([holder], of: bank, through: server)
        return holder
    }

    /// A request that is answered 0.
    ///
    /// - Parameter choice: a PIN's digits, or indexes.
    func attempt(
        _ call: DefinitionCall, _ holder: TestCardholder, _ choice: String = "8305", of bank: TestBank? = nil
    ) throws -> Attempt {
        var attempt = try Attempt(call, bank ?? self.bank, holder, choice, keys: keys)
        // Two definitions within one second would have the same hashMac.
        if call == .hmac { attempt.timestamp = .string("\(timestamps.next(of: holder.uniqueId))") }
        return attempt
    }

    /// Sends a request.
    func send(_ attempt: Attempt, through server: TestServer? = nil) async throws -> HTTPAnswer {
        try await (server ?? self.server).post(attempt.call.path, attempt.body())
    }

    /// Sends a request; returns the response's code.
    func code(_ attempt: Attempt, through server: TestServer? = nil) async throws -> Int {
        let answer = try await send(attempt, through: server)
        try #require(answer.status == 200, "\(answer.members)")
        return try #require(answer.code)
    }

    /// Requests a keypad.
    func keypad(
        _ holder: TestCardholder, size: Int = 12, of bank: TestBank? = nil, through server: TestServer? = nil
    ) async throws -> Keypad {
        var attempt = try attempt(.keypad, holder, of: bank)
        attempt.keypadSize = .integer(size)
        return try Keypad(try await send(attempt, through: server))
    }

    /// A request that defines a PIN. For `.indexes`, requests a keypad first and sends the PIN's indexes on it.
    func defining(
        _ pin: String, _ call: DefinitionCall, _ holder: TestCardholder, of bank: TestBank? = nil,
        through server: TestServer? = nil
    ) async throws -> Attempt {
        guard call == .indexes else { return try attempt(call, holder, pin, of: bank) }
        let keypad = try await keypad(holder, of: bank, through: server)
        var attempt = try attempt(call, holder, try keypad.indexes(of: pin), of: bank)
        attempt.keypadId = keypad.id
        return attempt
    }

    /// Defines a PIN.
    func define(
        _ pin: String, _ call: DefinitionCall, _ holder: TestCardholder, of bank: TestBank? = nil
    ) async throws -> Int {
        try await code(defining(pin, call, holder, of: bank))
    }

    /// Fetches a cardholder's PIN by token.
    func fetch(
        _ holder: TestCardholder, of bank: TestBank? = nil, type: String = "00", through server: TestServer? = nil
    ) async throws -> Delivery {
        let bank = bank ?? self.bank
        let app = try TestApp()
        let token = bank.token(for: holder, type: type)
        let answer = try await (server ?? self.server).post(Path.tokenCaptcha, app.tokenCaptcha(bank, token))
        let code = try #require(answer.code)
        return Delivery(code: code, token: token, content: code == 0 ? try app.open(answer) : nil)
    }

    /// Fetches a cardholder's PIN and confirms it.
    func deliver(_ holder: TestCardholder, of bank: TestBank? = nil) async throws {
        let bank = bank ?? self.bank
        let delivery = try await fetch(holder, of: bank)
        let content = try #require(delivery.content)
        let notify = content.tokenNotify(bank, holder, token: delivery.token)
        try #require(try await server.post(Path.tokenNotify, notify).code == 0)
    }

    /// Gives a cardholder the authentication code again, and nothing else.
    func renewCode(of holder: TestCardholder, of bank: TestBank) async throws {
        var members = try TestCardholder(holder.uniqueId, code: holder.code, pin: nil)
            .members(sealedTo: await server.sealingKey(), of: bank.id)
        members.merge(["uniqueId": .string(holder.uniqueId), "op": "patch"]) { $1 }
        try await installation.run(
            ["cardholder", "import", "--bank", bank.id, "-"], stdin: JSON.object(members).text
        ).succeeded()
    }

    /// Sends requests at the same time, distributed over the servers; returns their codes in ascending order.
    func codes(_ attempts: [Attempt], through servers: [TestServer]) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (place, attempt) in attempts.enumerated() {
                group.addTask { try await code(attempt, through: servers[place % servers.count]) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
    }

    /// Columns of a cardholder's row.
    func row(_ columns: String, of holder: TestCardholder) async throws -> String {
        try await installation.sql("SELECT \(columns) FROM cardholder WHERE unique_id = '\(holder.uniqueId)'")
            .joined(separator: "\n")
    }
}

/// The response to a fetch.
struct Delivery: Sendable {
    let code: Int
    let token: TestToken
    let content: TestDelivery?

    /// The number of digits of the delivered PIN. Each digit has an image.
    var length: Int? {
        get throws {
            guard let content else { return nil }
            let length = try #require(content.members["length"]?.integer)
            try #require(content.images.count == length)
            return length
        }
    }
}

/// A keypad from the server's response.
struct Keypad: Sendable {
    let id: String
    /// The digit at each place; nil for an empty place.
    let places: [String?]

    init(_ answer: HTTPAnswer) throws {
        try #require(answer.code == 0, "\(answer.members)")
        id = try #require(answer.members["keypadId"]?.string)
        let keypad = try #require(answer.members["keypad"]?.array)
        try #require(keypad.allSatisfy { $0 == .null || $0.string != nil })
        places = keypad.map(\.string)
    }

    /// The place of a digit.
    func index(of digit: Character) throws -> Int {
        try #require(places.firstIndex { $0 == String(digit) })
    }

    /// The places of a PIN's digits, separated by commas.
    func indexes(of pin: String) throws -> String {
        try pin.map { String(try index(of: $0)) }.joined(separator: ",")
    }
}

/// Gives a cardholder each timestamp at most once.
private final class Timestamps: Sendable {
    private let used = Mutex<[String: Set<Int>]>([:])

    /// The latest unused timestamp that is not in the future.
    func next(of uniqueId: String) -> Int {
        used.withLock { used in
            var timestamp = TestBank.timestamp()
            while !used[uniqueId, default: []].insert(timestamp).inserted { timestamp -= 1 }
            return timestamp
        }
    }
}

/// Provisions cardholders in batches, because starting the program for each one is slow.
private actor Holders {
    private let batchSize: Int
    private let makeBatch: @Sendable () -> Once<[TestCardholder]>
    private var batch: Once<[TestCardholder]>
    private var usedCount = 0

    init(_ installation: TestInstallation, _ server: TestServer, _ bank: TestBank, batchSize: Int) {
        self.batchSize = batchSize
        makeBatch = {
            Once {
                let holders = (0..<batchSize).map { _ in TestCardholder() }
                try await installation.provision(holders, of: bank, through: server)
                return holders
            }
        }
        batch = makeBatch()
    }

    func next() async throws -> TestCardholder {
        if usedCount == batchSize { (batch, usedCount) = (makeBatch(), 0) }
        let position = usedCount
        usedCount += 1
        return try await batch.value[position]
    }
}
