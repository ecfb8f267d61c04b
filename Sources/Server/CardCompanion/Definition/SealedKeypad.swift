internal import CardCompanionModel
internal import Cryptography
internal import KeyVault
internal import SecureMemory

/// A keypad that comes back with a definition. `keypadId` is the keypad itself, sealed for one bank and cardholder until it
/// expires. It is stored nowhere (protocol, section 2.7).
struct SealedKeypad {
    /// How long a keypad can be used.
    static let lifetimeSeconds: Int64 = 300
    /// The longest keypadId.
    static let characterLimit = 256

    private static let expiryByteCount = 8

    let layout: SharedSecret
    /// What a definition spends. It is kept until the keypad has expired by the clock of every server.
    let spent: AuthorizedDefinition.Keypad

    /// The keypadId of a new keypad.
    static func id(
        of layout: KeypadLayout, bankId: Identifier, uniqueId: String, now: Timestamp, keyring: Keyring
    ) throws(KeyVaultError) -> String {
        let expiry = now.advanced(bySeconds: lifetimeSeconds)
        var text = SecretBuffer()
        text.append(expiry.seconds.bigEndianBytes)
        text.append(layout.places.bytes)
        let place = SealedPlace.keypad(bankId: bankId, uniqueId: uniqueId)
        return Base64URL.encode(try keyring.sealToHandOut(text.finish(), for: place, at: now.seconds))
    }

    /// Opens a keypadId; nil if it has expired, belongs to another cardholder, or was not made by these servers.
    init?(id: String, bankId: Identifier, uniqueId: String, now: Timestamp, keyring: Keyring) {
        guard id.utf8.count <= Self.characterLimit, let sealed = Base64URL.decode(id),
            let text = try? keyring.openHandedOut(sealed, for: .keypad(bankId: bankId, uniqueId: uniqueId)),
            text.count > Self.expiryByteCount
        else { return nil }
        let expiry = text.withBytes { Timestamp(seconds: Int64(bigEndianBytes: $0.prefix(Self.expiryByteCount))) }
        guard now.seconds < expiry.seconds else { return nil }
        layout = SharedSecret(
            text.withBytes {
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0.dropFirst(Self.expiryByteCount)))
            })
        spent = .init(digest: .keypad(sealed), expiresAt: expiry.advanced(bySeconds: ClockMargin.seconds))
    }
}
