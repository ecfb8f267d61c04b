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

    @Test(arguments: [(86_399, 0), (86_400, 90000)])
    func `A session expires after 24 hours`(seconds: Int, code: Int) async throws {
        let clock = ManualClock()
        let session = CardCompanionSession.test(clock: clock)
        let response = try await withTestServer(reacting: DeliveringServer().react) { url in
            await fetch(url, session)
            clock.advance(bySeconds: Double(seconds))
            return await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
        }
        #expect(response.errorCode == code)
    }

    @Test func `A receipt brings the key back after a restart`() async throws {
        let server = DeliveringServer()
        let (code, receipt) = try await withTestServer(reacting: server.react) { url in
            let fetched = await PINDistribution.postGetPINCaptchaTokenRequest(
                .example, hostUrl: url, session: .test())
            let receipt = try #require(fetched.notifyReceipt)
            let restarted = CardCompanionSession.test()
            #expect(await restarted.restore(notifyReceipt: receipt))
            let notified = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: restarted)
            return (notified.errorCode, receipt)
        }
        #expect(code == 0)
        let body = try #require(server.recorder.requests.last).decoded(TokenNotifyRequest.self)
        #expect(body.hash == TestDelivery.notifyHash("BANK102456s-10"))
        // Pinned, because receipts outlive the app's update.
        #expect(receipt == "1.cy0x.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    }

    @Test func `There is a receipt for images that are incomplete, and none without a session`() async throws {
        let incomplete = DeliveringServer(delivery: TestDelivery(length: 3))
        let refusing: @Sendable (TestRequest) -> Reaction = { _ in
            .json(CaptchaAnswer(errorCode: 203, errorMessage: "Wrong Authentication Code"))
        }
        for (react, code) in [(incomplete.react, 90013), (refusing, 203)] {
            let response = try await withTestServer(reacting: react) { url in
                await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
            }
            #expect(response.errorCode == code)
            #expect((response.notifyReceipt != nil) == (code == 90013))
        }
    }

    private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    @Test(arguments: [
        "", ".", "..", "...", "1..", "1.cy0x", "1.cy0x.", "1..\(key)", "2.cy0x.\(key)", "01.cy0x.\(key)",
        "cy0x.\(key)", "1.cy0x.\(key).", "1.cy0x.\(key)A", "1.cy0x.\(key)=", " 1.cy0x.\(key)", "1.cy0x.\(key)\n",
        "1.cy1.\(key)", "1.cy+x.\(key)", "1._w.\(key)", "1.cy0x.AAEC", "1.cy0x.\(key.dropLast())é", "é.é.é",
        String(repeating: ".", count: 100_000),
    ])
    func `A bad receipt gives false and changes nothing`(receipt: String) async {
        let session = CardCompanionSession.test()
        #expect(await !session.restore(notifyReceipt: receipt))
        #expect(await session.notifyKeys.key(forSession: "s-1") == nil)
    }

    @Test func `When the store is full, the oldest key is removed`() async {
        let clock = ManualClock()
        let store = NotifyKeyStore(now: clock.now)
        for number in 0...NotifyKeyStore.maximumCount {
            clock.advance(bySeconds: 1)
            await store.keep(SymmetricKey(size: .bits256), forSession: "\(number)")
        }
        #expect(await store.key(forSession: "0") == nil)
        #expect(await store.key(forSession: "1") != nil)
        #expect(await store.key(forSession: "\(NotifyKeyStore.maximumCount)") != nil)
    }

    /// Receipts as on a disk: they are there after a restart.
    private final class KeptReceipts: NotifyReceiptStore {
        private let receipts = Mutex<[String: String]>([:])

        func save(_ receipt: String, forSession sessionId: String) { receipts.withLock { $0[sessionId] = receipt } }
        func receipt(forSession sessionId: String) -> String? { receipts.withLock { $0[sessionId] } }
        func remove(forSession sessionId: String) { receipts.withLock { $0[sessionId] = nil } }
        var count: Int { receipts.withLock { $0.count } }
    }

    @Test func `With a store for receipts a notify works after a restart, and its receipt is removed`() async throws {
        let receipts = KeptReceipts()
        let server = DeliveringServer()
        let codes = try await withTestServer(reacting: server.react) { url in
            await fetch(url, .test(receipts: receipts))
            #expect(receipts.count == 1)
            let restarted = CardCompanionSession.test(receipts: receipts)
            let first = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: restarted)
            let second = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: restarted)
            return [first.errorCode, second.errorCode]
        }
        #expect(codes == [0, 90000])
        #expect(receipts.count == 0)
    }

    @Test func `A receipt of another session is not used`() async throws {
        let receipts = KeptReceipts()
        let key = Base64URL.encode([UInt8](repeating: 1, count: 32))
        receipts.save("1.\(Base64URL.encode("another".utf8)).\(key)", forSession: "s-1")
        let response = await PINDistribution.postNotifyTokenRequest(
            parameters, hostUrl: "http://127.0.0.1:1", session: .test(receipts: receipts))
        #expect(response.errorCode == 90000)
    }

    @Test func `Without a store, the answer says what to do`() async throws {
        let response = await PINDistribution.postNotifyTokenRequest(
            parameters, hostUrl: "http://127.0.0.1:1", session: .test())
        #expect(response.errorMessage.contains("give the session a store for receipts"))
    }
}
