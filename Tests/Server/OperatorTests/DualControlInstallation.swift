import ServerHarness

/// An installation under dual control, with a bank and cardholders. Nothing is changed in it: tests take copies.
struct DualControlInstallation {
    let installation: TestInstallation
    let operators: TestOperators
    let bank: TestBank
    /// Provisioned before dual control was on, since a command cannot set their codes afterwards.
    let holders = [TestCardholder(), TestCardholder(), TestCardholder(), TestCardholder()]

    private static let ofTwo = Once { try await DualControlInstallation(["alice", "bob"]) }
    private static let ofThree = Once { try await DualControlInstallation(["alice", "bob", "carol"]) }

    static func of(_ names: [String]) -> Once<DualControlInstallation> { names.count == 2 ? ofTwo : ofThree }

    private init(_ names: [String]) async throws {
        installation = try await TestInstallation()
        operators = try await TestOperators(names)
        bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "50"])
        let server = try await installation.startServer()
        try await installation.provision(holders, of: bank, through: server)
        try await server.stop()
        try await installation.run(["vault", "init"] + operators.first(names.count)).succeeded()
        try await installation.runWithTwo(["operator", "dual-control", "on"], of: operators)
    }
}
