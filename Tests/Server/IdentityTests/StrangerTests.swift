import DocumentValidationClient
import EMRTDSimulation
import ServerHarness
import Testing

/// What strangers cost the sessions of others.
@Suite("Strangers and sessions")
struct StrangerTests {
    @Test("An address that names made-up clients keeps no known client out, and has to wait itself")
    func madeUpClients() async throws {
        // So that a slow machine does not fill the buckets again during the test.
        let service = try await IdentityService([
            "--http-proxies", "127.0.0.1", "--lookups-rate", "1", "--http-address-rate", "1",
        ])
        let bank = try await service.makeBank()
        let document = try bank.state.issue(bank.person)
        // From now on the server knows the client.
        #expect(try await bank.session(try await bank.validationId(), document: document).isNormal)

        // It goes on while the others come.
        async let refusals = Self.flood(bank, document)
        let reasons = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<10 {
                group.addTask {
                    var reasons: [String] = []
                    for _ in 0..<10 {
                        reasons.append(
                            try await bank.session("no-check", document: document, from: "192.0.2.1").reason)
                    }
                    return reasons
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        // The client was found, and has no such check.
        #expect(reasons.count == 100 && Set(reasons) == ["INVALID_START_MESSAGE"])
        let whole = try await bank.session(try await bank.validationId(), document: document, from: "192.0.2.1")
        #expect(whole.isNormal)
        #expect(try await refusals > 0)
    }

    /// Names made-up clients, one after the other.
    ///
    /// - Returns: how often the address had to wait.
    private static func flood(_ bank: IdentityBank, _ document: SimulatedDocument) async throws -> Int {
        var refusals = 0
        for number in 0..<300 {
            do {
                _ = try await bank.session(
                    "any", document: document, clientId: "made-up-\(number)", from: "192.0.2.66")
            } catch ValidationClient.Failure.refused(status: 429) {
                refusals += 1
            }
        }
        return refusals
    }
}
