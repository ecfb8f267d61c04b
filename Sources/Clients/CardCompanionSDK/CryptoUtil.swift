internal import Crypto
internal import Foundation

/// The HMAC of the SDK document's section 5.6. It authenticates the bank's back-end to the server.
///
/// Use the bank's key only in the back-end and in tests, never in an app.
public enum CryptoUtil {
    /// Computes an HMAC-SHA-256. For `hashMac`, `data` is bankId + uniqueId + timestamp.
    ///
    /// - Parameters:
    ///   - key: The bank's key in hex.
    ///   - data: The text to authenticate, encoded as UTF-8.
    /// - Returns: 64 lower-case hex digits. If `key` is empty or not hex: an empty text, which every operation refuses.
    public static func computeHMAC(key: String, data: String) -> String {
        computeHMAC(key: key, bytes: Array(data.utf8))
    }

    static func computeHMAC(key: String, bytes: [UInt8]) -> String {
        guard let key = Hex.decode(key), !key.isEmpty else { return "" }
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
    }
}

/// Helpers with the names that the SDK document uses on iOS (sections 4.1.2 and 5.6).
public enum CardCompanionUtil {
    /// Returns the Unix time in seconds by the device's clock. Prefer a back-end's clock: see sections 2.1.2 and 2.2.1.
    public static func getTimestamp() -> Int {
        Int(Date().timeIntervalSince1970)
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
    public static func calculHashMacValue(key: String, str: String) -> String {
        guard let bytes = Hex.decode(str) else { return "" }
        return CryptoUtil.computeHMAC(key: key, bytes: bytes)
    }
}
