import CardCompanionModel
import CardCompanionStore
import HTTPTypes
import Hummingbird
import KeyVault
import Testing

@testable import CardCompanion
@testable import CardCompanionHTTP

/// What a client is told of an error, and what the audit trail records.
@Suite struct ProblemTests {
    private func retryAfter(_ problem: Problem) throws -> String? {
        problem.headers[try #require(HTTPField.Name("Retry-After"))]
    }

    @Test func `Errors that pass are 503, with the time after which a client can try again`() throws {
        let errors: [(any Error, String)] = [
            (ServiceUnavailable("a queue is full", retryAfterSeconds: 7), "7"),
            (StoreError.unavailable(reason: ""), "1"), (StoreError.outcomeUnknown(reason: ""), "1"),
            (StoreError.conflict(reason: ""), "1"),
            (KeyVaultError.vaultClosed, "\(VaultWatch.intervalSeconds)"),
        ]
        for (error, retryAfterSeconds) in errors {
            let problem = Problem(error)
            #expect(problem.status == .serviceUnavailable, "\(error)")
            #expect(try retryAfter(problem) == retryAfterSeconds, "\(error)")
        }
    }

    @Test func `Too many requests for a cardholder are 429`() throws {
        let problem = Problem(TooManyRequests(retryAfterSeconds: 3))
        #expect(problem.status == .tooManyRequests)
        #expect(try retryAfter(problem) == "3")
    }

    @Test func `A problem stays what it is, and an error of the router keeps its status`() {
        #expect(Problem(Problem(.conflict, "Because.", kind: "why")).kind == "why")
        #expect(Problem(HTTPError(.badRequest)).status == .badRequest)
    }

    @Test func `Everything else is 500, and says nothing of its cause`() {
        for error: any Error in [StoreError.refused(reason: "secret"), StoreError.bankNotFound, CancellationError()] {
            let problem = Problem(error)
            #expect(problem.isFault && !problem.detail.contains("secret"))
        }
    }
}
