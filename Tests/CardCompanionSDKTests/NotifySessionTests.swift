import CardCompanionAPI
import Crypto
import Synchronization
import Testing

@testable import CardCompanionSDK

/// When a notify key is kept and removed.
@Suite struct NotifySessionTests {
    private let parameters = TokenNotifyParameters(
        token: TokenProvisioningParameters.example.token, sessionId: "s-1", status: .success)

    private func fetch(_ url: String, _ session: CardCompanionSession) async {
        let response = await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: session)
        #expect(response.errorCode == 0)
    }

    @Test func `A session without a fetch gives 90000 and nothing is sent`() async throws {
        let server = DeliveringServer()
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 90000)
        #expect(server.recorder.requests.isEmpty)
    }

    @Test func `After a successful notify the session gives 90000`() async throws {
        let session = CardCompanionSession.test()
        let codes = try await withTestServer(reacting: DeliveringServer().react) { url in
            await fetch(url, session)
            let first = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
            let second = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
            return [first.errorCode, second.errorCode]
        }
        #expect(codes == [0, 90000])
    }

    @Test func `A notify that failed on the way can be retried`() async throws {
        let session = CardCompanionSession.test()
        let deliver = DeliveringServer().react
        let failures = Mutex([Reaction.hangUp, .answer(status: 503, body: "{}")])
        let codes = try await withTestServer { request in
            guard request.path == APIPath.tokenNotify else { return try deliver(request) }
            return try failures.withLock { $0.popLast() } ?? deliver(request)
        } _: { url in
            await fetch(url, session)
            var codes: [Int] = []
            for _ in 0..<3 {
                let response = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
                codes.append(response.errorCode)
            }
            return codes
        }
        #expect(codes == [90015, 90006, 0])
    }

    @Test(arguments: [(14 * 60 + 59, 0), (15 * 60, 90000)])
    func `A session expires after 15 minutes`(seconds: Int, code: Int) async throws {
        let clock = ManualClock()
        let session = CardCompanionSession.test(clock: clock)
        let response = try await withTestServer(reacting: DeliveringServer().react) { url in
            await fetch(url, session)
            clock.advance(by: .seconds(seconds))
            return await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
        }
        #expect(response.errorCode == code)
    }

    @Test func `When the store is full, the oldest key is removed`() async {
        let clock = ManualClock()
        let store = NotifyKeyStore(now: clock.now)
        for number in 0...NotifyKeyStore.maximumCount {
            clock.advance(by: .seconds(1))
            await store.keep(SymmetricKey(size: .bits256), forSession: "\(number)")
        }
        #expect(await store.key(forSession: "0") == nil)
        #expect(await store.key(forSession: "1") != nil)
        #expect(await store.key(forSession: "\(NotifyKeyStore.maximumCount)") != nil)
    }
}
