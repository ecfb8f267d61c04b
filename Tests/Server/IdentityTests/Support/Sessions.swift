import Cryptography
import DocumentValidationClient
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import ServerHarness
import Testing

/// How the session of an app ended.
struct SessionEnd: Sendable {
    let code: Int
    let reason: String
    /// The passport of RESULT.
    let connector: SimulatedConnector

    var isNormal: Bool { code == 1000 && reason.isEmpty }
}

extension IdentityBank {
    /// Asks for a check; returns its validationId.
    func validationId() async throws -> String {
        let answer = try await check()
        return try #require(answer.members["validationId"]?.string, "\(answer.members)")
    }

    /// Plays the app.
    ///
    /// - Parameters:
    ///   - document: nil for a genuine one of ``person``.
    ///   - address: of the app, as a proxy says.
    func session(
        _ validationId: String, document: SimulatedDocument? = nil, misbehaviors: [Misbehavior] = [],
        plan: SimulatedConnector.Plan = .init(), clientId: String? = nil, through server: TestServer? = nil,
        from address: String? = nil, pause: @escaping @Sendable (SimulatedConnector) async throws -> Void = { _ in }
    ) async throws -> SessionEnd {
        let url = (server ?? service.server).url.replacing(/^http/, with: "ws")
        let client = ValidationClient(
            try #require(ServerAddress(url)), fields: address.map { [("Forwarded", "for=\($0)")] } ?? [])
        let outcome = try await client.run(
            SimulatedConnector(
                validationId: validationId, clientId: clientId ?? self.clientId,
                document: try document ?? state.issue(person), misbehaviors: misbehaviors, plan: plan), pause: pause)
        #expect(outcome.connector.end == outcome.closeFrame)
        return SessionEnd(
            code: outcome.closeFrame.code, reason: outcome.closeFrame.reason, connector: outcome.connector)
    }

    /// The events identity.checked: their data.
    func checkedEvents() async throws -> [[String: JSON]] { try await events("identity.checked") }

    /// The events identity.failed: their data.
    func failedEvents() async throws -> [[String: JSON]] { try await events("identity.failed") }

    private func events(_ type: String) async throws -> [[String: JSON]] {
        let answer = try await service.server.events(limit: 500, by: issuer)
        try #require(answer.status == 200)
        return (answer.members["events"]?.array ?? []).compactMap(\.object)
            .filter { $0["type"] == .string(type) && $0["uniqueId"] == .string(holder.uniqueId) }
            .compactMap { $0["data"]?.object }
    }
}
