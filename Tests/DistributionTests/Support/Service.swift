import ServerHarness
import Synchronization

/// The server that most suites share, with banks whose cardholders the tests take one by one.
struct Service: Sendable {
    let installation: TestInstallation
    let server: TestServer
    /// PCI-CPP, all settings at their defaults: it erases a PIN whose delivery was confirmed.
    let bank: PooledBank
    /// CB: its tokens carry no authentication code.
    let tokenBank: PooledBank
    /// PCI-CPP, delivers again and again.
    let repeatingBank: PooledBank

    /// For tests that count rows or lines of the log, other suites' are in the way: they take banks of their own.
    static let shared = Once { try await Service() }

    private init() async throws {
        installation = try await TestInstallation()
        server = try await installation.startServer(Self.arguments)
        bank = try await PooledBank(installation.makeBank(), installation, server)
        tokenBank = try await PooledBank(installation.makeBank(scheme: "CB"), installation, server)
        let settings = ["--retention", "keep-repeat", "--reminders", "true", "--fetch-limit", "100"]
        repeatingBank = try await PooledBank(installation.makeBank(settings), installation, server)
    }

    /// What is over is left where it is while tests look at it, once the server has started.
    private static let arguments = ["--housekeeping-interval-seconds", "86400"]

    /// Starts a further server on the same database.
    func startServer() async throws -> TestServer {
        try await installation.startServer(Self.arguments)
    }

    /// Makes a bank with these settings and cardholders.
    func makeBank(
        _ settings: [String] = [], scheme: String = "PCI-CPP", cardholders: [TestCardholder] = []
    ) async throws -> TestBank {
        let bank = try await installation.makeBank(settings, scheme: scheme)
        if !cardholders.isEmpty { try await installation.provision(cardholders, of: bank, through: server) }
        return bank
    }

    /// Provisions one cardholder with something particular.
    func provision(_ cardholder: TestCardholder, of bank: TestBank) async throws -> TestCardholder {
        try await installation.provision([cardholder], of: bank, through: server)
        return cardholder
    }
}

/// A bank with cardholders that no test has taken yet, since importing them one by one takes long.
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

    /// A cardholder of whom no other test knows.
    func cardholder() -> TestCardholder {
        let index = taken.withLock { taken in
            defer { taken += 1 }
            return taken
        }
        return cardholders[index]
    }
}
