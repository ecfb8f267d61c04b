internal import Cryptography
package import SecureMemory
internal import Synchronization

/// The place in the database that a sealed value belongs to. It is authenticated together with the value, so a value does
/// not open after it was moved to another row or column.
package struct SealedPlace: Sendable, Equatable {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - column: table and column, such as `cardholder.sealed_pin`.
    ///   - row: the parts of the row's primary key.
    package init(_ column: String, row: String...) {
        bytes = ([column] + row).flatMap { part in
            let text = Array(part.utf8)
            return withUnsafeBytes(of: UInt32(text.count).bigEndian, Array.init) + text
        }
    }
}

/// The unwrapped data keys. They seal the secrets in the database, and authenticate codes and tokens. They can be replaced
/// while the keyring is used.
package final class Keyring: Sendable {
    /// A data key as it is stored in the database.
    package struct WrappedKey: Sendable {
        let id: Int32
        let bytes: [UInt8]
        let masterKeyId: String
        let isActive: Bool

        /// A row of the table `data_key`.
        package init(id: Int32, bytes: [UInt8], masterKeyId: String, isActive: Bool) {
            self.id = id
            self.bytes = bytes
            self.masterKeyId = masterKeyId
            self.isActive = isActive
        }
    }

    private struct Keys: Sendable {
        var sealing: PurposeKeys
        var authenticating: PurposeKeys
        var handingOut: PurposeKeys
        /// How many values each key has sealed since ``takeUses()``.
        var uses: [Int32: Int64] = [:]
    }

    /// The length of a data key.
    package static let keyByteCount = 32

    static let idByteCount = 4
    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    private let keys: Mutex<Keys>

    /// Unwraps the data keys.
    ///
    /// - Throws: `foreignMasterKey`, `damagedDataKey`, `noActiveKey`.
    package init(
        sealing: [WrappedKey], authenticating: [WrappedKey], handingOut: [WrappedKey], masterKey: any MasterKey
    ) throws(KeyVaultError) {
        keys = Mutex(
            Keys(
                sealing: try PurposeKeys(sealing, purpose: "seal", masterKey),
                authenticating: try PurposeKeys(authenticating, purpose: "authenticate", masterKey),
                handingOut: try PurposeKeys(handingOut, purpose: "hand-out", masterKey)))
    }

    /// Takes the place of all keys. A key that the keyring already has is not unwrapped again.
    ///
    /// - Parameter masterKey: nil if there is no new key.
    /// - Throws: as `init`. Then the keyring is unchanged.
    package func replace(
        sealing: [WrappedKey], authenticating: [WrappedKey], handingOut: [WrappedKey], masterKey: (any MasterKey)?
    ) throws(KeyVaultError) {
        let old = keys.withLock(\.self)
        let sealing = try PurposeKeys(sealing, purpose: "seal", masterKey, known: old.sealing.keys)
        let authenticating = try PurposeKeys(
            authenticating, purpose: "authenticate", masterKey, known: old.authenticating.keys)
        let handingOut = try PurposeKeys(handingOut, purpose: "hand-out", masterKey, known: old.handingOut.keys)
        keys.withLock {
            $0.sealing = sealing
            $0.authenticating = authenticating
            $0.handingOut = handingOut
        }
    }

    /// Whether the keyring has the data key.
    package func has(_ id: Int32) -> Bool {
        keys.withLock { keys in
            [keys.sealing, keys.authenticating, keys.handingOut].contains { $0.keys[id] != nil }
        }
    }

    /// The data key that values are sealed with.
    package var sealingKeyId: Int32 { keys.withLock(\.sealing.activeId) }

    /// The data key that new MACs are made with.
    package var authenticatingKeyId: Int32 { keys.withLock(\.authenticating.activeId) }

    /// How many values each data key has sealed since the last call.
    package func takeUses() -> [Int32: Int64] {
        keys.withLock { keys in
            defer { keys.uses = [:] }
            return keys.uses
        }
    }

    /// Counts what could not be reported.
    package func putBackUses(_ count: Int64, of id: Int32) {
        keys.withLock { $0.uses[id, default: 0] += count }
    }

    var authenticating: PurposeKeys { keys.withLock(\.authenticating) }
    var handingOut: PurposeKeys { keys.withLock(\.handingOut) }

    /// The active key, which is counted as used once more.
    private func keyToSeal() -> (id: Int32, key: SharedSecret) {
        keys.withLock { keys in
            keys.uses[keys.sealing.activeId, default: 0] += 1
            return (keys.sealing.activeId, keys.sealing.active)
        }
    }

    /// Seals a value with AES-256-GCM.
    ///
    /// - Returns: id of the data key (4 bytes), nonce (12 bytes), ciphertext, tag (16 bytes).
    /// - Throws: `engineFailure`.
    package func seal(
        _ value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) throws(KeyVaultError) -> [UInt8] {
        let (keyId, key) = keyToSeal()
        let id = keyId.bigEndianBytes
        let nonce = SecureRandom.bytes(count: Self.nonceByteCount)
        do {
            let sealed = try AESGCM.seal(
                value, key: key.bytes, nonce: nonce, authenticating: id + place.bytes)
            return id + nonce + sealed.ciphertext + sealed.tag
        } catch {
            throw .engineFailure
        }
    }

    /// Opens a value that ``seal(_:in:)`` sealed for the same place.
    ///
    /// - Throws: `unknownDataKey`, `damagedValue`.
    package func open(_ sealed: [UInt8], in place: SealedPlace) throws(KeyVaultError) -> SecretBytes {
        let overhead = Self.idByteCount + Self.nonceByteCount + Self.tagByteCount
        guard sealed.count >= overhead else { throw .damagedValue }
        let id = Array(sealed.prefix(Self.idByteCount))
        let nonce = Array(sealed.dropFirst(Self.idByteCount).prefix(Self.nonceByteCount))
        let ciphertext = Array(sealed.dropFirst(Self.idByteCount + Self.nonceByteCount).dropLast(Self.tagByteCount))
        let key = try keys.withLock(\.sealing).key(id: Int32(bigEndianBytes: id))
        do {
            return try AESGCM.open(
                ciphertext: ciphertext, tag: Array(sealed.suffix(Self.tagByteCount)), key: key.bytes, nonce: nonce,
                authenticating: id + place.bytes)
        } catch {
            throw .damagedValue
        }
    }

    /// The same value, sealed with the active key; nil if it already is.
    ///
    /// - Throws: `unknownDataKey`, `damagedValue`, `engineFailure`.
    package func sealedAnew(_ sealed: [UInt8], in place: SealedPlace) throws(KeyVaultError) -> [UInt8]? {
        guard !sealed.starts(with: sealingKeyId.bigEndianBytes) else { return nil }
        return try seal(try open(sealed, in: place), in: place)
    }

    /// The MAC that is stored instead of a value that must only be compared.
    ///
    /// - Returns: id of the data key (4 bytes), HMAC-SHA-256 (32 bytes).
    package func authenticationCode(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) -> [UInt8] {
        let keys = authenticating
        return Self.code(for: value, in: place, id: keys.activeId, key: keys.active)
    }

    /// The MACs with every key: the first one as ``authenticationCode(for:in:)``, then those with other keys. One of them
    /// equals the MAC that was stored for the same value.
    package func authenticationCodes(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) -> [[UInt8]] {
        let keys = authenticating
        var codes = [Self.code(for: value, in: place, id: keys.activeId, key: keys.active)]
        for (id, key) in keys.keys where id != keys.activeId {
            codes.append(Self.code(for: value, in: place, id: id, key: key))
        }
        return codes
    }

    private static func code(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace, id: Int32, key: SharedSecret
    ) -> [UInt8] {
        var message = SecretBuffer()
        message.append(place.bytes)
        message.append(value)
        return id.bigEndianBytes + HMACSHA256.authenticationCode(for: message.finish(), key: key.bytes)
    }
}

/// The data keys of one purpose.
struct PurposeKeys: Sendable {
    let keys: [Int32: SharedSecret]
    let activeId: Int32
    let active: SharedSecret

    /// - Parameters:
    ///   - masterKey: nil if all keys are known.
    ///   - known: keys that are unwrapped already.
    init(
        _ wrapped: [Keyring.WrappedKey], purpose: String, _ masterKey: (any MasterKey)?,
        known: [Int32: SharedSecret] = [:]
    ) throws(KeyVaultError) {
        var keys: [Int32: SharedSecret] = [:]
        for key in wrapped {
            if let bytes = known[key.id] {
                keys[key.id] = bytes
            } else {
                keys[key.id] = try Self.unwrapped(key, masterKey)
            }
        }
        guard let id = wrapped.last(where: \.isActive)?.id, let active = keys[id] else {
            throw .noActiveKey(purpose: purpose)
        }
        self.keys = keys
        activeId = id
        self.active = active
    }

    private static func unwrapped(
        _ key: Keyring.WrappedKey, _ masterKey: (any MasterKey)?
    ) throws(KeyVaultError) -> SharedSecret {
        guard let masterKey, key.masterKeyId == masterKey.id else { throw .foreignMasterKey(dataKeyId: key.id) }
        guard let bytes = masterKey.unwrap(key.bytes), bytes.count == Keyring.keyByteCount else {
            throw .damagedDataKey(id: key.id)
        }
        return SharedSecret(bytes)
    }

    func key(id: Int32) throws(KeyVaultError) -> SharedSecret {
        guard let key = keys[id] else { throw .unknownDataKey(id: id) }
        return key
    }
}

extension Int32 {
    var bigEndianBytes: [UInt8] {
        withUnsafeBytes(of: bigEndian, Array.init)
    }

    init(bigEndianBytes bytes: [UInt8]) {
        self = bytes.reduce(0) { $0 << 8 | Int32($1) }
    }
}
