internal import Cryptography
package import SecureMemory

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

/// The unwrapped data keys. They seal the secrets in the database, and authenticate codes and tokens.
package struct Keyring: Sendable {
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

    /// The length of a data key.
    package static let keyByteCount = 32

    static let idByteCount = 4
    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    private let sealing: DataKeys
    private let authenticating: DataKeys
    let handingOut: DataKeys

    /// Unwraps the data keys.
    ///
    /// - Throws: `foreignMasterKey`, `damagedDataKey`, `noActiveKey`.
    package init(
        sealing: [WrappedKey], authenticating: [WrappedKey], handingOut: [WrappedKey], masterKey: any MasterKey
    ) throws(KeyVaultError) {
        self.sealing = try DataKeys(sealing, purpose: "seal", masterKey)
        self.authenticating = try DataKeys(authenticating, purpose: "authenticate", masterKey)
        self.handingOut = try DataKeys(handingOut, purpose: "hand-out", masterKey)
    }

    /// Seals a value with AES-256-GCM.
    ///
    /// - Returns: id of the data key (4 bytes), nonce (12 bytes), ciphertext, tag (16 bytes).
    /// - Throws: `engineFailure`.
    package func seal(
        _ value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) throws(KeyVaultError) -> [UInt8] {
        let id = sealing.activeId.bigEndianBytes
        let nonce = SecureRandom.bytes(count: Self.nonceByteCount)
        do {
            let sealed = try AESGCM.seal(
                value, key: sealing.active.bytes, nonce: nonce, authenticating: id + place.bytes)
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
        let key = try sealing.key(id: Int32(bigEndianBytes: id))
        do {
            return try AESGCM.open(
                ciphertext: ciphertext, tag: Array(sealed.suffix(Self.tagByteCount)), key: key.bytes, nonce: nonce,
                authenticating: id + place.bytes)
        } catch {
            throw .damagedValue
        }
    }

    /// The MAC that is stored instead of a value that must only be compared.
    ///
    /// - Returns: id of the data key (4 bytes), HMAC-SHA-256 (32 bytes).
    package func authenticationCode(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) -> [UInt8] {
        Self.code(for: value, in: place, id: authenticating.activeId, key: authenticating.active)
    }

    /// The MACs with every key, including old keys. One of them equals the MAC that was stored for the same value.
    package func authenticationCodes(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) -> [[UInt8]] {
        var codes: [[UInt8]] = []
        for (id, key) in authenticating.keys {
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
struct DataKeys: Sendable {
    let keys: [Int32: SharedSecret]
    let activeId: Int32
    let active: SharedSecret

    init(_ wrapped: [Keyring.WrappedKey], purpose: String, _ masterKey: any MasterKey) throws(KeyVaultError) {
        var keys: [Int32: SharedSecret] = [:]
        for key in wrapped {
            guard key.masterKeyId == masterKey.id else { throw .foreignMasterKey(dataKeyId: key.id) }
            guard let bytes = masterKey.unwrap(key.bytes), bytes.count == Keyring.keyByteCount else {
                throw .damagedDataKey(id: key.id)
            }
            keys[key.id] = SharedSecret(bytes)
        }
        guard let id = wrapped.last(where: \.isActive)?.id, let active = keys[id] else {
            throw .noActiveKey(purpose: purpose)
        }
        self.keys = keys
        activeId = id
        self.active = active
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
