internal import Crypto

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
