internal import CardCompanionAPI
internal import Foundation

/// How the SDK talks to the server.
public struct CardCompanionConfiguration: Sendable {
    /// How long one HTTP exchange may take in all.
    public var timeout: Duration

    /// The longest answer that is read, in bytes.
    public var maximumAnswerByteCount: Int

    /// SHA-256 thumbprints (RFC 7638, base64url) of the server keys to which a PIN may be sealed. Empty: whatever keys
    /// the server publishes over TLS.
    public var pinnedServerKeyThumbprints: Set<String>

    /// Whether plain http is allowed to other hosts than this machine. For tests inside one's own network.
    public var allowsPlainHTTP: Bool

    /// How many digits a PIN may have that the cardholder defines. The document says 4 to 6.
    public var definedPINLengths: ClosedRange<Int>

    /// A configuration with the document's values where nothing else is said.
    public init(
        timeout: Duration = .seconds(30), maximumAnswerByteCount: Int = 1 << 20,
        pinnedServerKeyThumbprints: Set<String> = [], allowsPlainHTTP: Bool = false,
        definedPINLengths: ClosedRange<Int> = 4...6
    ) {
        self.timeout = timeout
        self.maximumAnswerByteCount = maximumAnswerByteCount
        self.pinnedServerKeyThumbprints = pinnedServerKeyThumbprints
        self.allowsPlainHTTP = allowsPlainHTTP
        self.definedPINLengths = definedPINLengths
    }
}

/// What outlives a single call: the notify keys between a fetch and its notify. A notify must go through the session of
/// its fetch.
public final class CardCompanionSession: Sendable {
    /// The session that the operations use where they are given none.
    public static let shared = CardCompanionSession()

    /// How this session talks to the server.
    public let configuration: CardCompanionConfiguration

    let http: HTTPClient
    let freshKeys: FreshKeys
    let notifyKeys: NotifyKeyStore

    /// A session of its own.
    public convenience init(configuration: CardCompanionConfiguration = CardCompanionConfiguration()) {
        self.init(configuration: configuration, freshKeys: .generated, now: { ContinuousClock().now })
    }

    init(
        configuration: CardCompanionConfiguration, freshKeys: FreshKeys,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.configuration = configuration
        self.freshKeys = freshKeys
        http = HTTPClient(
            timeout: configuration.timeout, maximumAnswerByteCount: configuration.maximumAnswerByteCount)
        notifyKeys = NotifyKeyStore(now: now)
    }

    func host(_ hostUrl: String) throws(SDKError) -> HostURL {
        try HostURL(hostUrl, allowsPlainHTTP: configuration.allowsPlainHTTP)
    }
}
