internal import Crypto
internal import Foundation

/// A fetch's session and notify key as one text, for an app that stores it: `1.<sessionId>.<key>`, both in base64url.
struct NotifyReceipt {
    let sessionId: String
    let key: SymmetricKey

    /// The format's version, so that a later SDK can recognise receipts that an app stored before an update.
    private static let version = "1"

    init(sessionId: String, key: SymmetricKey) {
        self.sessionId = sessionId
        self.key = key
    }

    /// Parses a receipt. Nil if the text is not exactly what ``text`` gives.
    init?(parsing text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.version, let sessionId = Base64URL.decode(parts[1]),
            let sessionId = String(data: sessionId, encoding: .utf8), !sessionId.isEmpty,
            let key = Base64URL.decode(parts[2]), key.count == DeliveredPIN.notifyKeyByteCount
        else { return nil }
        self.init(sessionId: sessionId, key: SymmetricKey(data: key))
    }

    var text: String {
        let key = key.withUnsafeBytes { Base64URL.encode($0) }
        return [Self.version, Base64URL.encode(sessionId.utf8), key].joined(separator: ".")
    }
}
