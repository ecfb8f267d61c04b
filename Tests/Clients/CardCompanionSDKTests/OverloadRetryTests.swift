import CardCompanionAPI
import Foundation
import Synchronization
import Testing

@testable import CardCompanionSDK

/// A request is sent again only if the server says that it has too much to do and has used nothing.
@Suite struct OverloadRetryTests {
    private static let problem = #"{"type":"urn:card-companion:problem:overloaded","status":503}"#
    private static let problemJSON = "application/problem+json"

    private static func overloaded(retryAfter: String? = "2") -> Reaction {
        .answer(status: 503, type: problemJSON, retryAfter: retryAfter, body: problem)
    }

    private static func answer(
        status: Int = 503, type: String? = problemJSON, retryAfter: String? = "2", body: String = problem
    ) -> OverloadRetry.Answer {
        OverloadRetry.Answer(status: status, contentType: type, retryAfter: retryAfter, body: Data(body.utf8))
    }

    // MARK: The rule

    @Test(
        arguments: [
            ("1", 1), ("5", 5), (" 3 ", 3), ("6", 5), ("120", 5), ("99999999999999999999", 5), ("0", 1), (nil, 1),
            ("", 1), ("-2", 1), ("+2", 1), ("1.5", 1), ("soon", 1), ("Wed, 21 Oct 2026 07:28:00 GMT", 1),
        ] as [(String?, Int)])
    func `The wait is Retry-After, from 1 to 5 seconds, and 1 if it cannot be read`(header: String?, seconds: Int) {
        #expect(OverloadRetry.secondsToWait(after: Self.answer(retryAfter: header), sendCount: 1) == seconds)
    }

    @Test func `The third answer is for the caller`() {
        let waits = (1...4).map { OverloadRetry.secondsToWait(after: Self.answer(), sendCount: $0) }
        #expect(waits == [2, 2, nil, nil])
    }

    @Test(arguments: [problemJSON, "Application/Problem+JSON", "application/problem+json; charset=utf-8"])
    func `The media type can have parameters and capitals`(type: String) {
        #expect(OverloadRetry.secondsToWait(after: Self.answer(type: type), sendCount: 1) == 2)
    }

    @Test func `Any other answer is for the caller`() {
        let others = [
            Self.answer(status: 200), Self.answer(status: 429), Self.answer(status: 500), Self.answer(type: nil),
            Self.answer(type: "application/json"), Self.answer(type: "text/html"), Self.answer(body: ""),
            Self.answer(body: "{}"), Self.answer(body: #"{"type":"about:blank"}"#), Self.answer(body: #"{"type":7}"#),
            Self.answer(body: #"["urn:card-companion:problem:overloaded"]"#), Self.answer(body: "overloaded"),
            Self.answer(body: #"{"type":"urn:card-companion:problem:overloaded:other"}"#),
        ]
        #expect(others.allSatisfy { OverloadRetry.secondsToWait(after: $0, sendCount: 1) == nil })
    }

    @Test func `The random factor is from 0.5 to 1.5`() {
        let factors = (0..<1000).map { _ in RetryWait.real.factor(OverloadRetry.factors) }
        #expect(factors.allSatisfy { (0.5...1.5).contains($0) })
        #expect(Set(factors).count > 900)
    }

    // MARK: The client

    /// Waits no time, and keeps for how long it should have waited.
    private final class Waits: Sendable {
        private let stored = Mutex<[Double]>([])
        var seconds: [Double] { stored.withLock { $0 } }

        func wait(factor: @escaping @Sendable (ClosedRange<Double>) -> Double = { $0.lowerBound }) -> RetryWait {
            RetryWait(factor: factor, sleep: { seconds in self.stored.withLock { $0.append(seconds) } })
        }
    }

    private func fetch(
        _ wait: RetryWait, _ react: @escaping @Sendable (TestRequest) throws -> Reaction
    ) async throws -> ProvisioningResponse {
        try await withTestServer(reacting: react) { url in
            await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: .test(wait: wait))
        }
    }

    @Test func `A request is sent twice more, with the same bytes, and the third answer is returned`() async throws {
        let (waits, recorder) = (Waits(), Recorder())
        let response = try await fetch(waits.wait()) { request in
            recorder.record(request)
            return Self.overloaded(retryAfter: "7")
        }
        #expect(response.errorCode == 90015 && response.retryAfterSeconds == 7)
        #expect(response.errorMessage.contains("HTTP status 503"))
        #expect(recorder.requests.map(\.path) == Array(repeating: APIPath.captcha, count: 3))
        #expect(Set(recorder.requests.map(\.body)).count == 1 && recorder.requests[0].body.count > 100)
        #expect(waits.seconds == [2.5, 2.5])
    }

    @Test func `The wait is multiplied by the factor`() async throws {
        let waits = Waits()
        _ = try await fetch(waits.wait(factor: { $0.upperBound })) { _ in Self.overloaded(retryAfter: nil) }
        #expect(waits.seconds == [1.5, 1.5])
    }

    @Test(arguments: 1...2)
    func `An answer after an overload counts`(overloads: Int) async throws {
        let (waits, recorder, deliver) = (Waits(), Recorder(), DeliveringServer().react)
        let response = try await fetch(waits.wait()) { request in
            recorder.record(request)
            return recorder.requests.count <= overloads ? Self.overloaded() : try deliver(request)
        }
        #expect(response.errorCode == 0 && response.retryAfterSeconds == nil)
        #expect(recorder.requests.count == overloads + 1 && waits.seconds.count == overloads)
    }

    @Test func `The server's keys are fetched again too, and the definition is sent once`() async throws {
        let (waits, recorder, define) = (Waits(), Recorder(), DefiningServer().react)
        let response = try await withTestServer { request in
            recorder.record(request)
            return recorder.requests.count == 1 ? Self.overloaded() : try define(request)
        } _: { url in
            await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: .test(wait: waits.wait()))
        }
        #expect(response.errorCode == 0)
        #expect(recorder.requests.map(\.path) == [APIPath.keySet, APIPath.keySet, APIPath.definePIN])
    }

    @Test(arguments: [
        Reaction.answer(status: 503, type: problemJSON, retryAfter: "1", body: #"{"type":"about:blank","status":503}"#),
        .answer(status: 503, type: problemJSON, retryAfter: "1", body: ""),
        .answer(status: 503, retryAfter: "1", body: problem),
        .answer(status: 429, type: problemJSON, retryAfter: "1", body: problem), .hangUp, .cutOff,
    ])
    func `Nothing else is sent again`(reaction: Reaction) async throws {
        let (waits, recorder) = (Waits(), Recorder())
        let response = try await fetch(waits.wait()) { request in
            recorder.record(request)
            return reaction
        }
        #expect(response.errorCode != 0)
        #expect(recorder.requests.count == 1 && waits.seconds.isEmpty)
    }

    @Test func `A task that is cancelled while it waits gives 90006 and sends nothing more`() async throws {
        let recorder = Recorder()
        // It waits for an hour, so that the test ends only if cancelling does end the wait.
        let (waiting, entered) = AsyncStream<Void>.makeStream()
        let wait = RetryWait(
            factor: { $0.lowerBound },
            sleep: { _ in
                entered.yield()
                try await RetryWait.real.sleep(3600)
            })
        let response = try await withTestServer { request in
            recorder.record(request)
            return Self.overloaded()
        } _: { url in
            await withTaskGroup(of: ProvisioningResponse.self) { group in
                group.addTask {
                    await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: .test(wait: wait))
                }
                for await _ in waiting { break }
                group.cancelAll()
                return await group.next()
            }
        }
        #expect(response?.errorCode == 90006)
        #expect(recorder.requests.count == 1)
    }
}
