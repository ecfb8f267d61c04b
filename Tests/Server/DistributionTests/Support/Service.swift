import ServerHarness
import Synchronization

/// The server that most suites share, and its banks. Each test takes its own cardholders from the banks' pools.
struct Service: Sendable {
    let installation: TestInstallation
    let server: TestServer
    /// PCI-CPP with default settings: erases a PIN after its confirmed delivery.
    let bank: PooledBank
    /// CB: its tokens need no authentication code.
    let tokenBank: PooledBank
    /// PCI-CPP: delivers a PIN repeatedly.
    let repeatingBank: PooledBank

    /// The shared service. Tests that count rows or log lines must make their own banks, because other suites also write.
    static let shared = Once { try await Service() }

    private init() async throws {
        installation = try await TestInstallation()
        server = try await installation.startServer(Self.arguments, environment: Self.environment)
        bank = try await PooledBank(installation.makeBank(), installation, server)
        tokenBank = try await PooledBank(installation.makeBank(scheme: "CB"), installation, server)
        let settings = ["--retention", "keep-repeat", "--reminders", "true", "--fetch-limit", "100"]
        repeatingBank = try await PooledBank(installation.makeBank(settings), installation, server)
    }

    /// Housekeeping runs only at the start, so that expired rows stay while tests check them. Many requests of one
    /// cardholder are allowed at once, because tests of simultaneous requests send them.
    private static let arguments = ["--housekeeping-interval-seconds", "86400"]
    private static let environment = ["CARDHOLDER_REQUESTS": "100"]

    /// Starts another server on the same database.
    func startServer() async throws -> TestServer {
        try await installation.startServer(Self.arguments, environment: Self.environment)
    }

    /// Makes a bank with the given settings and cardholders.
    func makeBank(
        _ settings: [String] = [], scheme: String = "PCI-CPP", cardholders: [TestCardholder] = []
    ) async throws -> TestBank {
        let bank = try await installation.makeBank(settings, scheme: scheme)
        if !cardholders.isEmpty { try await installation.provision(cardholders, of: bank, through: server) }
        return bank
    }

    /// Provisions one cardholder with particular values.
    func provision(_ cardholder: TestCardholder, of bank: TestBank) async throws -> TestCardholder {
        try await installation.provision([cardholder], of: bank, through: server)
        return cardholder
    }
}

/// A bank with a pool of unused cardholders, because importing them one by one is slow.
final class PooledBank: Sendable {
    let bank: TestBank
    private let cardholders: [TestCardholder]
    private let taken = Mutex(0)

    private static let size = 250

    init(_ bank: TestBank, _ installation: TestInstallation, _ server: TestServer) async throws {
        self.bank = bank
        cardholders = (0..<Self.size).map { _ in TestCardholder() }
        try await installation.provision(cardholders, of: bank, through: server)
    }

    /// A cardholder that no other test uses.
    func cardholder() -> TestCardholder {
        let index = taken.withLock { taken in
            defer { taken += 1 }
            return taken
        }
        return cardholders[index]
    }
}
