internal import CardCompanionAPI
internal import Foundation

/// The settings of a ``CardCompanionSession``.
public struct CardCompanionConfiguration: Sendable {
    /// How long one HTTP exchange can take, from the request to the end of the answer. If the server has too much to do, an
    /// operation makes up to three, and waits between them.
    public var timeoutSeconds: Double

    /// The maximum size of an answer's body, in bytes. A longer answer gives code 90003.
    public var maximumAnswerByteCount: Int

    /// The SHA-256 thumbprints (RFC 7638, base64url) of the server keys that the SDK may encrypt a PIN to. If empty, it
    /// accepts every key that the server publishes over TLS.
    public var pinnedServerKeyThumbprints: Set<String>

    /// Whether the SDK may use plain HTTP to other hosts than this machine. Only for tests in a private network.
    public var allowsPlainHTTP: Bool

    /// The allowed number of digits when the cardholder defines a PIN. The SDK document says 4 to 6.
    public var definedPINLengths: ClosedRange<Int>

    /// Creates a configuration. The defaults are the SDK document's values.
    public init(
        timeoutSeconds: Double = 30, maximumAnswerByteCount: Int = 1 << 20,
        pinnedServerKeyThumbprints: Set<String> = [], allowsPlainHTTP: Bool = false,
        definedPINLengths: ClosedRange<Int> = 4...6
    ) {
        self.timeoutSeconds = timeoutSeconds
        self.maximumAnswerByteCount = maximumAnswerByteCount
        self.pinnedServerKeyThumbprints = pinnedServerKeyThumbprints
        self.allowsPlainHTTP = allowsPlainHTTP
        self.definedPINLengths = definedPINLengths
    }
}

/// The state that the SDK keeps between calls: the notify key of each fetch, which its notify needs, and the keypad that each
/// cardholder was given last. So a notify must use the same session as its fetch, and a definition by keypad the same as
/// its keypad.
public final class CardCompanionSession: Sendable {
    /// The default session of all operations.
    public static let shared = CardCompanionSession()

    /// The session's settings.
    public let configuration: CardCompanionConfiguration

    let http: HTTPClient
    let freshKeys: FreshKeys
    let notifyKeys: NotifyKeyStore
    let receipts: (any NotifyReceiptStore)?
    let keypads: KeypadMemory

    /// Creates a session that has no notify keys and keypads yet.
    ///
    /// - Parameters:
    ///   - configuration: The settings.
    ///   - receipts: Where the notify keys are kept while the app is closed; on Apple's systems `.keychain`. Nil: nowhere, and a
    ///     notify after a restart needs ``restore(notifyReceipt:)``.
    public convenience init(
        configuration: CardCompanionConfiguration = CardCompanionConfiguration(),
        receipts: (any NotifyReceiptStore)? = nil
    ) {
        self.init(configuration: configuration, receipts: receipts, freshKeys: .generated, now: { .now })
    }

    init(
        configuration: CardCompanionConfiguration, receipts: (any NotifyReceiptStore)? = nil, freshKeys: FreshKeys,
        wait: RetryWait = .real, now: @escaping @Sendable () -> MonotonicTime
    ) {
        self.configuration = configuration
        self.receipts = receipts
        self.freshKeys = freshKeys
        http = HTTPClient(
            timeoutSeconds: configuration.timeoutSeconds, maximumAnswerByteCount: configuration.maximumAnswerByteCount,
            wait: wait)
        notifyKeys = NotifyKeyStore(now: now)
        keypads = KeypadMemory(now: now)
    }

    func host(_ hostUrl: String) throws(SDKError) -> HostURL {
        try HostURL(hostUrl, allowsPlainHTTP: configuration.allowsPlainHTTP)
    }
}
