internal import CardCompanionModel
internal import Cryptography
internal import KeyVault

/// The name of a delivery's session: random, with a MAC that only the servers of this installation can make. So a name that
/// no server gave to this cardholder is refused without reading the session's row.
struct SessionName: Sendable {
    static let randomByteCount = 16
    static let tagByteCount = 16

    /// In base64url.
    let text: String

    init(bankId: Identifier, uniqueId: Identifier, keyring: Keyring) throws(KeyVaultError) {
        let random = SecureRandom.bytes(count: Self.randomByteCount)
        let place = CardholderPlace(bankId: bankId, uniqueId: uniqueId).session
        text = Base64URL.encode(random + Self.tag(try keyring.authenticationCode(for: random, in: place)))
    }

    /// Whether a server has given this name to a session of this cardholder.
    static func isGenuine(
        _ name: Identifier, bankId: Identifier, uniqueId: Identifier, keyring: Keyring
    ) throws(KeyVaultError) -> Bool {
        guard let bytes = Base64URL.decode(name.text), bytes.count == randomByteCount + tagByteCount else {
            return false
        }
        let (random, tag) = (Array(bytes.prefix(randomByteCount)), Array(bytes.suffix(tagByteCount)))
        let place = CardholderPlace(bankId: bankId, uniqueId: uniqueId).session
        return try keyring.authenticationCodes(for: random, in: place)
            .contains { ConstantTime.areEqual(tag, Self.tag($0)) }
    }

    /// The first bytes of a MAC, without the id of its key.
    private static func tag(_ code: [UInt8]) -> [UInt8] {
        Array(code.suffix(HMACSHA256.byteCount).prefix(tagByteCount))
    }
}
