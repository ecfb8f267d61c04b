public import Foundation

/// The settings of ``PinCodeRequest``, as ``CardCompanionConfiguration`` for Objective-C.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PinCodeConfiguration: NSObject {
    /// How long one HTTP exchange can take. If the server has too much to do, an operation makes up to three.
    public var timeoutSeconds = 30.0
    /// The SHA-256 thumbprints (RFC 7638, base64url) of the server keys that a PIN may be encrypted to. Empty: all that the
    /// server publishes over TLS.
    public var pinnedServerKeyThumbprints: [String] = []
    /// The minimum number of digits when the cardholder defines a PIN.
    public var minimumPINLength = 4
    /// The maximum number of digits when the cardholder defines a PIN.
    public var maximumPINLength = 6
    /// Whether plain HTTP to other hosts than this device is allowed. Only for tests in a private network.
    public var allowsPlainHTTP = false
    #if canImport(Security)
        /// Whether the notify keys are kept in the keychain while the app is closed.
        public var usesKeychain = false
    #endif

    /// Creates a configuration. The defaults are the SDK document's values.
    public override init() {}

    func session() -> CardCompanionSession {
        let configuration = CardCompanionConfiguration(
            timeoutSeconds: timeoutSeconds, pinnedServerKeyThumbprints: Set(pinnedServerKeyThumbprints),
            allowsPlainHTTP: allowsPlainHTTP,
            definedPINLengths: minimumPINLength...max(minimumPINLength, maximumPINLength))
        return CardCompanionSession(configuration: configuration, receipts: receipts)
    }

    private var receipts: (any NotifyReceiptStore)? {
        #if canImport(Security)
            return usesKeychain ? KeychainReceipts() : nil
        #else
            return nil
        #endif
    }
}
