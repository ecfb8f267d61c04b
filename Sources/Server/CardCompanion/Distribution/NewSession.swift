internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import SecureMemory

/// A session that a fetch opens.
///
/// The notify key goes to the client in the sealed delivery and is not stored. The store gets only the SHA-256 of the three
/// hashes that the key can make: enough to recognise the right hash, and useless to make one.
struct NewSession: Sendable {
    static let notifyKeyByteCount = 32

    let id: String
    let notifyKey: SharedSecret

    init(_ name: SessionName) {
        id = name.text
        notifyKey = SharedSecret(SecureRandom.secret(count: Self.notifyKeyByteCount))
    }

    /// For each notify status, SHA-256 of the only right hash.
    func confirmations(bankId: Identifier, uniqueId: Identifier) -> [[UInt8]] {
        let messages = NotifyStatus.allCases.map { status in
            Array((bankId.text + uniqueId.text + id + String(status.rawValue)).utf8)
        }
        return HMACSHA256.authenticationCodes(for: messages, key: notifyKey.bytes).map { SHA256.hash($0) }
    }
}
