public import Foundation

/// Helpers with the names that the SDK document uses on iOS (sections 4.1.2 and 5.6).
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class CardCompanionUtil: NSObject {
    /// Returns the Unix time in seconds by the device's clock. Prefer a back-end's clock: see sections 2.1.2 and 2.2.1.
    public static func getTimestamp() -> NSNumber {
        NSNumber(value: Int(Date().timeIntervalSince1970))
    }

    /// Returns the UTF-8 bytes of a text in lower-case hex.
    public static func stringToHex(_ text: String) -> String {
        Hex.encode(text.utf8)
    }

    /// Computes an HMAC-SHA-256 over data in hex.
    ///
    /// - Parameters:
    ///   - key: The bank's key in hex.
    ///   - str: The data in hex, see ``stringToHex(_:)``.
    /// - Returns: 64 lower-case hex digits. If `key` or `str` is not hex, or `key` is empty: an empty text.
    public static func calculHashMacValue(_ key: String, str: String) -> String {
        guard let bytes = Hex.decode(str) else { return "" }
        return CryptoUtil.computeHMAC(key: key, bytes: bytes)
    }
}
