internal import Cryptography
package import SecureMemory

// Values that the server seals, hands out and stores nowhere. Anyone can ask for such a value as often as they like. So
// they have keys of their own, one for each hour, derived from a data key that seals nothing itself.

extension Keyring {
    private static let hourSeconds: Int64 = 3600
    private static let hourByteCount = 4

    /// Seals a value that is handed out, with AES-256-GCM under the key of an hour.
    ///
    /// - Parameters:
    ///   - place: what the value is for, which it is authenticated with.
    ///   - seconds: the time, in Unix seconds.
    /// - Returns: id of the data key (4 bytes), hour (4 bytes), nonce (12 bytes), ciphertext, tag (16 bytes).
    /// - Throws: `engineFailure`.
    package func sealToHandOut(
        _ value: borrowing some ByteSource & ~Copyable, for place: SealedPlace, at seconds: Int64
    ) throws(KeyVaultError) -> [UInt8] {
        let hour = UInt32(truncatingIfNeeded: seconds / Self.hourSeconds)
        let keys = try keys[place.purpose]
        let prefix = keys.activeId.bigEndianBytes + hour.bigEndianBytes
        return try place.seal(value, after: prefix, key: Self.hourlyKey(prefix, keys.active))
    }

    /// Opens a value that ``sealToHandOut(_:for:at:)`` sealed for the same place. It can come from anyone.
    ///
    /// - Throws: `unknownDataKey`, `damagedValue`.
    package func openHandedOut(_ sealed: [UInt8], for place: SealedPlace) throws(KeyVaultError) -> SecretBytes {
        let prefixCount = Self.idByteCount + Self.hourByteCount
        guard sealed.count >= prefixCount else { throw .damagedValue(place) }
        let prefix = Array(sealed.prefix(prefixCount))
        let key = try keys[place.purpose].key(id: Int32(bigEndianBytes: prefix.prefix(Self.idByteCount)))
        return try place.open(sealed, after: prefix, key: Self.hourlyKey(prefix, key))
    }

    private static let label = Array("card-companion handed out".utf8)

    /// A pseudorandom function of the hour (NIST SP 800-108r1 section 4.1, with one block).
    private static func hourlyKey(_ prefix: [UInt8], _ key: SharedSecret) -> SecretBytes {
        HMACSHA256.derivedKey(for: label + prefix, key: key.bytes)
    }
}
