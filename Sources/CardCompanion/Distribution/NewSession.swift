internal import CardCompanionAPI
internal import Cryptography
internal import SecureMemory

/// A session that a fetch is about to open.
///
/// The notify key goes to the client inside the sealed delivery and is forgotten here: the store gets only the SHA-256
/// of the three hashes that it makes, enough to recognise the right one and of no use for making it.
struct NewSession: Sendable {
    static let idByteCount = 24
    static let notifyKeyByteCount = 32

    let id: String
    let notifyKey: SharedSecret

    init() {
        id = Base64URL.encode(SecureRandom.bytes(count: Self.idByteCount))
        notifyKey = SharedSecret(SecureRandom.secret(count: Self.notifyKeyByteCount))
    }

    /// For each notify status, SHA-256 of the one right hash.
    func confirmations(bankId: String, uniqueId: String) -> [[UInt8]] {
        NotifyStatus.allCases.map { status in
            let message = Array((bankId + uniqueId + id + String(status.rawValue)).utf8)
            return SHA256.hash(HMACSHA256.authenticationCode(for: message, key: notifyKey.bytes))
        }
    }
}
