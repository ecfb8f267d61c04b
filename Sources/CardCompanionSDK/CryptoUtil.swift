internal import Crypto
internal import Foundation

/// The HMAC of section 5.6. It proves the bank's back-end to the server: the bank's key belongs there and into tests,
/// never into an app.
public enum CryptoUtil {
    /// HMAC-SHA-256 in lower-case hex, as `hashMac` wants it over bankId + uniqueId + timestamp.
    ///
    /// - Parameters:
    ///   - key: the bank's key in hex.
    ///   - data: the text, of which the UTF-8 bytes are taken.
    /// - Returns: 64 hex digits; an empty text, which every operation refuses, where `key` is empty or not hex.
    public static func computeHMAC(key: String, data: String) -> String {
        computeHMAC(key: key, bytes: Array(data.utf8))
    }

    static func computeHMAC(key: String, bytes: [UInt8]) -> String {
        guard let key = Hex.decode(key), !key.isEmpty else { return "" }
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: bytes, using: SymmetricKey(data: key)))
    }
}

/// The same and more under the names that the document gives them on iOS (sections 4.1.2 and 5.6).
public enum CardCompanionUtil {
    /// Unix seconds by the device's clock. A back-end's clock is the better one: see sections 2.1.2 and 2.2.1.
    public static func getTimestamp() -> Int {
        Int(Date().timeIntervalSince1970)
    }

    /// The UTF-8 bytes of a text in lower-case hex.
    public static func stringToHex(_ text: String) -> String {
        Hex.encode(text.utf8)
    }

    /// HMAC-SHA-256 in lower-case hex.
    ///
    /// - Parameters:
    ///   - key: the bank's key in hex.
    ///   - str: the data in hex, see ``stringToHex(_:)``.
    /// - Returns: 64 hex digits; an empty text where `key` or `str` is not hex or `key` is empty.
    public static func calculHashMacValue(key: String, str: String) -> String {
        guard let bytes = Hex.decode(str) else { return "" }
        return CryptoUtil.computeHMAC(key: key, bytes: bytes)
    }
}
