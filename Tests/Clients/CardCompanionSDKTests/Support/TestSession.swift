import Synchronization

@testable import CardCompanionSDK

/// A clock that only `advance(bySeconds:)` moves.
final class ManualClock: Sendable {
    private let time = Mutex(MonotonicTime.now)

    func now() -> MonotonicTime { time.withLock { $0 } }

    func advance(bySeconds seconds: Double) {
        time.withLock { $0 = $0 + seconds }
    }
}

/// The requests that a server received, in order.
final class Recorder: Sendable {
    private let stored = Mutex<[TestRequest]>([])

    func record(_ request: TestRequest) {
        stored.withLock { $0.append(request) }
    }

    var requests: [TestRequest] { stored.withLock { $0 } }
}

extension CardCompanionSession {
    /// A session with a manual clock and a timeout that is long enough for slow machines.
    static func test(
        configuration: CardCompanionConfiguration = CardCompanionConfiguration(timeoutSeconds: 120),
        receipts: (any NotifyReceiptStore)? = nil, freshKeys: FreshKeys = .generated, wait: RetryWait = .real,
        clock: ManualClock = ManualClock()
    ) -> CardCompanionSession {
        CardCompanionSession(
            configuration: configuration, receipts: receipts, freshKeys: freshKeys, wait: wait, now: clock.now)
    }
}

extension ProvisioningParameters {
    static let example = ProvisioningParameters(
        bankId: "BANK", uniqueId: "102456", authCode: "4711", timestamp: "1475255010", hashMac: "ab12")
}

extension TokenProvisioningParameters {
    static let example = TokenProvisioningParameters(
        token: #"{"IdBEL":"BANK","IdPorteur":"102456","IdTransaction":"1","Type":"00"}"#, signature: "c2ln")
}
