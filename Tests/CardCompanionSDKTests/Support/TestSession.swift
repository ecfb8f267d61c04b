import Synchronization

@testable import CardCompanionSDK

/// A clock that only `advance(by:)` moves.
final class ManualClock: Sendable {
    private let elapsed = Mutex(Duration.zero)
    private let start = ContinuousClock().now

    func now() -> ContinuousClock.Instant {
        start + elapsed.withLock { $0 }
    }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += duration }
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
        configuration: CardCompanionConfiguration = CardCompanionConfiguration(timeout: .seconds(120)),
        freshKeys: FreshKeys = .generated, clock: ManualClock = ManualClock()
    ) -> CardCompanionSession {
        CardCompanionSession(configuration: configuration, freshKeys: freshKeys, now: clock.now)
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
