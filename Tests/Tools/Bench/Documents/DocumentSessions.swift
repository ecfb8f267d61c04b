import DocumentValidationClient
import DocumentValidationSimulation
import EMRTDSimulation
import Foundation
import ServerHarness

/// Sessions of document verification: the bank's side asks for checks, and apps with a simulated chip pass them.
struct DocumentSessions: Sendable {
    /// A client can begin 500 sessions at once.
    private static let clientCount = 5

    /// A check, and the client that it is for.
    struct Check: Sendable {
        let validationId: String
        let clientId: String
    }

    private let service: BenchService
    private let document: SimulatedDocument
    /// The verification of such a document.
    let loop: VerificationLoop
    private let client: ValidationClient

    /// Lets the bank trust a made-up state, and adds a client.
    init(of service: BenchService) async throws {
        guard let address = ServerAddress(service.server.url.replacing(/^http/, with: "ws")) else {
            throw LoadFailed(description: "the server's address is \(service.server.url)")
        }
        let now = Int64(TestBank.timestamp())
        let state = try SimulatedIssuer(at: now)
        let (root, list) = (TestFolder.shared.unused("root.cer"), TestFolder.shared.unused("list.ml"))
        try Data(state.certificate).write(to: URL(filePath: root))
        try Data(state.masterList(of: [state.certificate], signingTime: now - 60)).write(to: URL(filePath: list))
        let bank = service.bank.id
        try await service.installation.run(["csca", "import", "--bank", bank, "--root", root, list]).succeeded()
        for client in 0..<Self.clientCount {
            try await service.installation.run([
                "document-client", "add", "--bank", bank, "--id", Self.clientId(client),
            ]).succeeded()
        }
        self.service = service
        document = try state.issue()
        loop = try VerificationLoop(document, of: state)
        client = ValidationClient(address)
    }

    /// Asks for a check of each of these cardholders.
    ///
    /// The clients take turns.
    func requestChecks(_ numbers: Range<Int>) async throws -> [Check] {
        var checks: [Check] = []
        for number in numbers {
            let clientId = Self.clientId(number)
            var call = IssuerCall(
                "POST",
                "/v1/banks/\(service.bank.id)/cardholders/\(BenchService.uniqueId(number))/identity-checks",
                body: Array(JSON.object(Self.request(clientId)).text.utf8))
            call.authority = RequestBatch.host
            call.headers = [("Content-Type", "application/json")]
            let answer = try await service.server.call(call, by: service.issuer, host: RequestBatch.host)
            guard let validationId = answer.members["validationId"]?.string else {
                throw LoadFailed(description: "a check was refused: \(answer.members)")
            }
            checks.append(Check(validationId: validationId, clientId: clientId))
        }
        return checks
    }

    /// Plays a session of each check.
    func play(_ checks: [Check], atOnce: Int) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for first in 0..<atOnce {
                group.addTask {
                    for check in stride(from: first, to: checks.count, by: atOnce) { try await play(checks[check]) }
                }
            }
        }
    }

    private func play(_ check: Check) async throws {
        let end = try await client.run(
            SimulatedConnector(validationId: check.validationId, clientId: check.clientId, document: document)
        ).closeFrame
        guard end.code == 1000, end.reason.isEmpty else {
            throw LoadFailed(description: "a session ended with \(end.code) \(end.reason)")
        }
    }

    private static func clientId(_ number: Int) -> String { "bench-\(number % clientCount)" }

    /// What the documents of ``SimulatedIssuer`` say.
    private static func request(_ clientId: String) -> [String: JSON] {
        ["clientId": .string(clientId), "document": ["issuingState": "UTO", "documentNumber": "L898902C3"]]
    }
}
