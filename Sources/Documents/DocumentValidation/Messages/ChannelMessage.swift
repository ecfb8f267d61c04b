internal import Cryptography
package import EMRTD
internal import SecureMemory
internal import StrictJSON

/// The object SecureMessagingInfo: the keys and the counter of a channel to a chip.
package struct ChannelMessage: Sendable {
    package let channel: SecureChannel
    /// Whether keys of Triple DES have 24 bytes, as in Java, or 16.
    private let repeatsFirstKey: Bool

    init(_ json: borrowing JSONText) throws(CloseReason) {
        guard let name = json.text(of: "algorithm"), let counter = json.integer("ssc"),
            let encryption = json.secret(of: "encKey"), let authentication = json.secret(of: "macKey"),
            let encryptionKey = Base64.decodeSecret(encryption),
            let authenticationKey = Base64.decodeSecret(authentication)
        else { throw .invalidAccessKeyValues }
        repeatsFirstKey = name != "DESede" || encryptionKey.count == 24
        guard let cipher = Self.cipher(name, keyByteCount: encryptionKey.count),
            let encryptionKey = Self.key(encryptionKey, cipher),
            let authenticationKey = Self.key(authenticationKey, cipher),
            let keys = try? SessionKeys(cipher, encryptionKey: encryptionKey, authenticationKey: authenticationKey),
            let counter = SendSequenceCounter(signed: counter, cipher: cipher)
        else { throw .invalidAccessKeyValues }
        channel = SecureChannel(keys: keys, counter: counter)
    }

    /// The object for another channel, with keys of the same form.
    ///
    /// - Throws: ``CloseReason/serverError`` if its counter has no number of 64 bits.
    func object(of channel: SecureChannel, in writer: inout JSONWriter) throws(CloseReason) {
        guard let counter = channel.counter.signed else { throw .serverError }
        let isTripleDES = channel.keys.cipher == .tripleDES
        writer.add("algorithm", isTripleDES ? "DESede" : "AES")
        for (name, key) in [("encKey", channel.keys.encryptionKey), ("macKey", channel.keys.authenticationKey)] {
            var bytes = SecretBuffer(capacity: 32)
            bytes.append(key.bytes)
            if isTripleDES, repeatsFirstKey {
                key.bytes.withBytes { bytes.append(UnsafeRawBufferPointer(rebasing: $0[..<8])) }
            }
            writer.add(name, base64: bytes.finish())
        }
        writer.add("ssc", counter)
    }

    private static func cipher(_ name: String, keyByteCount: Int) -> SessionKeys.Cipher? {
        switch (name, keyByteCount) {
        case ("DESede", 16), ("DESede", 24): .tripleDES
        case ("AES", 16): .aes128
        case ("AES", 24): .aes192
        case ("AES", 32): .aes256
        default: nil
        }
    }

    /// If a key of Triple DES has three parts, the third must be the first one.
    private static func key(_ bytes: borrowing SecretBytes, _ cipher: SessionKeys.Cipher) -> SecretBytes? {
        guard cipher == .tripleDES, bytes.count == 24 else { return bytes.copy() }
        return bytes.withBytes { bytes in
            let parts = (0..<3).map { UnsafeRawBufferPointer(rebasing: bytes[$0 * 8..<$0 * 8 + 8]) }
            guard ConstantTime.areEqual(parts[0], parts[2]) else { return nil }
            return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<16]))
        }
    }
}
