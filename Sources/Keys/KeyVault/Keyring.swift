internal import Cryptography
package import SecureMemory
internal import Synchronization

/// The place in the database that a sealed value belongs to. It is authenticated together with the value, so a value does
/// not open after it was moved to another row or column.
package struct SealedPlace: Sendable, Equatable {
    /// Which data keys it takes.
    let purpose: Keyring.Purpose
    let bytes: [UInt8]

    /// - Parameters:
    ///   - column: table and column, such as `cardholder.sealed_pin`.
    ///   - purpose: of the data keys that seal or authenticate what is there.
    ///   - row: the parts of the row's primary key.
    package init(_ column: String, _ purpose: Keyring.Purpose, row: String...) {
        self.init(column, purpose, row: row)
    }

    package init(_ column: String, _ purpose: Keyring.Purpose, row: [String]) {
        self.purpose = purpose
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.reduce(4 + column.utf8.count) { $0 + 4 + $1.utf8.count })
        Self.append(column, to: &bytes)
        for part in row { Self.append(part, to: &bytes) }
        self.bytes = bytes
    }

    private static func append(_ part: String, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(part.utf8.count).bigEndian) { bytes += $0 }
        bytes += part.utf8
    }

    /// Seals a value for this place with AES-256-GCM: prefix, nonce (12 bytes), ciphertext, tag (16 bytes).
    func seal(
        _ value: borrowing some ByteSource & ~Copyable, after prefix: [UInt8], key: borrowing SecretBytes
    ) throws(KeyVaultError) -> [UInt8] {
        do {
            return try prefix + AESGCM.sealBox(value, key: key, authenticating: prefix + bytes)
        } catch {
            throw .engineFailure
        }
    }

    /// Opens what ``seal(_:after:key:)`` sealed.
    func open(_ sealed: [UInt8], after prefix: [UInt8], key: borrowing SecretBytes) throws(KeyVaultError) -> SecretBytes
    {
        do {
            return try AESGCM.openBox(sealed.dropFirst(prefix.count), key: key, authenticating: prefix + bytes)
        } catch {
            throw .damagedValue(self)
        }
    }
}

extension SealedPlace: CustomStringConvertible {
    /// For an operator: `cardholder.sealed_pin of MYBANK, 4711`.
    package var description: String {
        var (parts, rest) = ([String](), bytes[...])
        while rest.count >= 4 {
            let count = Int(UInt32(bigEndianBytes: rest.prefix(4)))
            parts.append(String(decoding: rest.dropFirst(4).prefix(count), as: UTF8.self))
            rest = rest.dropFirst(4 + count)
        }
        let row = parts.dropFirst().filter { !$0.isEmpty }.joined(separator: ", ")
        return row.isEmpty ? parts[0] : "\(parts[0]) of \(row)"
    }
}

/// The unwrapped data keys. They seal the secrets in the database, and authenticate codes and tokens. They can be replaced
/// while the keyring is used, and taken away: then nothing can be sealed, opened or authenticated.
package final class Keyring: Sendable {
    /// What a data key is for. A key has one purpose, so that a leaked key opens nothing else.
    package enum Purpose: String, CaseIterable, Sendable {
        case pins, codes, keypads, keys
        case freeFields = "free-fields"
        case digests, audit
    }

    /// An unwrapped data key.
    package struct DataKey: Sendable {
        let id: Int32
        let key: SharedSecret
        let isActive: Bool
        let isCompromised: Bool

        /// - Parameters:
        ///   - key: 32 bytes.
        ///   - isActive: whether new values are made with it.
        ///   - isCompromised: whether it opens values only to seal them again.
        package init(id: Int32, key: SharedSecret, isActive: Bool, isCompromised: Bool = false) {
            self.id = id
            self.key = key
            self.isActive = isActive
            self.isCompromised = isCompromised
        }
    }

    /// The data keys of each purpose.
    package struct Keys: Sendable {
        private let ofPurposes: [Purpose: PurposeKeys]

        /// - Throws: `damagedDataKey` if a key has a wrong length, `noActiveKey` if a purpose has none.
        package init(_ keys: [Purpose: [DataKey]]) throws(KeyVaultError) {
            var ofPurposes: [Purpose: PurposeKeys] = [:]
            for purpose in Purpose.allCases {
                ofPurposes[purpose] = try PurposeKeys(keys[purpose] ?? [], purpose: purpose)
            }
            self.ofPurposes = ofPurposes
        }

        subscript(purpose: Purpose) -> PurposeKeys {
            get throws(KeyVaultError) {
                guard let keys = ofPurposes[purpose] else { throw .noActiveKey(purpose: purpose.rawValue) }
                return keys
            }
        }

        /// The key that a stored value names.
        ///
        /// - Throws: `damagedValue` if it is one of another purpose: the value was moved. `unknownDataKey`, `compromisedDataKey`.
        fileprivate func key(
            _ id: Int32, for place: SealedPlace, evenCompromised: Bool
        ) throws(KeyVaultError) -> SharedSecret {
            let keys = try self[place.purpose]
            guard keys.keys[id] != nil || key(id) == nil else { throw .damagedValue(place) }
            return try keys.key(id: id, evenCompromised: evenCompromised)
        }

        fileprivate func key(_ id: Int32) -> SharedSecret? { ofPurposes.values.lazy.compactMap { $0.keys[id] }.first }

        fileprivate func isCompromised(_ id: Int32) -> Bool {
            ofPurposes.values.contains { $0.compromised.contains(id) }
        }
    }

    private struct State: Sendable {
        /// Nil while the keys are taken away.
        var keys: Keys?
        /// How many values each key has sealed since ``takeUses()``.
        var uses: [Int32: Int64] = [:]
    }

    package static let keyByteCount = 32

    static let idByteCount = 4

    private let state: Mutex<State>

    /// - Parameter keys: nil if the vault is still to be opened.
    package init(_ keys: Keys?) {
        state = Mutex(State(keys: keys))
    }

    /// Replaces all keys.
    package func replace(_ keys: Keys) {
        state.withLock { $0.keys = keys }
    }

    /// Replaces all keys, unless they were taken away.
    package func refresh(_ keys: Keys) {
        state.withLock { if $0.keys != nil { $0.keys = keys } }
    }

    /// Takes the keys away. They are wiped when the last request that uses one has ended.
    package func close() {
        state.withLock { $0.keys = nil }
    }

    /// Whether there are keys.
    package var isOpen: Bool { state.withLock { $0.keys != nil } }

    /// The data key, if the keyring has it.
    package func key(_ id: Int32) -> SharedSecret? { state.withLock { $0.keys?.key(id) } }

    /// The data key that new values of a purpose are made with.
    ///
    /// - Throws: `vaultClosed`.
    package func activeKeyId(_ purpose: Purpose) throws(KeyVaultError) -> Int32 { try keys[purpose].activeId }

    /// How many values each data key has sealed since the last call.
    package func takeUses() -> [Int32: Int64] {
        state.withLock { state in
            defer { state.uses = [:] }
            return state.uses
        }
    }

    /// Counts what could not be reported.
    package func putBackUses(_ count: Int64, of id: Int32) {
        state.withLock { $0.uses[id, default: 0] += count }
    }

    var keys: Keys {
        get throws(KeyVaultError) {
            guard let keys = state.withLock({ $0.keys }) else { throw .vaultClosed }
            return keys
        }
    }

    /// The active key of a purpose, which is counted as used once more.
    private func keyToSeal(_ purpose: Purpose) throws(KeyVaultError) -> (id: Int32, key: SharedSecret) {
        let active = try keys[purpose]
        state.withLock { $0.uses[active.activeId, default: 0] += 1 }
        return (active.activeId, active.active)
    }

    /// Seals a value with AES-256-GCM.
    ///
    /// - Returns: id of the data key (4 bytes), nonce (12 bytes), ciphertext, tag (16 bytes).
    /// - Throws: `vaultClosed`, `engineFailure`.
    package func seal(
        _ value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) throws(KeyVaultError) -> [UInt8] {
        let (keyId, key) = try keyToSeal(place.purpose)
        return try place.seal(value, after: keyId.bigEndianBytes, key: key.bytes)
    }

    /// Opens a value that ``seal(_:in:)`` sealed for the same place.
    ///
    /// - Throws: `unknownDataKey`, `compromisedDataKey`, `damagedValue`, `vaultClosed`.
    package func open(_ sealed: [UInt8], in place: SealedPlace) throws(KeyVaultError) -> SecretBytes {
        try open(sealed, in: place, evenCompromised: false)
    }

    /// As ``open(_:in:)``, for a reader that must go on: nil if the value does not open.
    ///
    /// - Throws: `vaultClosed`.
    package func openIfWhole(_ sealed: [UInt8], in place: SealedPlace) throws(KeyVaultError) -> SecretBytes? {
        do throws(KeyVaultError) {
            return try open(sealed, in: place)
        } catch .vaultClosed {
            throw .vaultClosed
        } catch {
            return nil
        }
    }

    private func open(
        _ sealed: [UInt8], in place: SealedPlace, evenCompromised: Bool
    ) throws(KeyVaultError) -> SecretBytes {
        guard sealed.count >= Self.idByteCount else { throw .damagedValue(place) }
        let id = Array(sealed.prefix(Self.idByteCount))
        let key = try keys.key(Int32(bigEndianBytes: id), for: place, evenCompromised: evenCompromised)
        return try place.open(sealed, after: id, key: key.bytes)
    }

    /// The data key that a sealed value, or a MAC, was made with.
    package static func keyId(of value: [UInt8]) -> Int32 { Int32(bigEndianBytes: value.prefix(idByteCount)) }

    /// Whether a value was sealed with a compromised key.
    package func isCompromised(_ sealed: [UInt8]) -> Bool {
        let id = Self.keyId(of: sealed)
        return state.withLock { $0.keys?.isCompromised(id) } ?? false
    }

    /// The same value, sealed with the active key; nil if it already is. A compromised key opens values for this alone.
    ///
    /// - Throws: `unknownDataKey`, `damagedValue`, `vaultClosed`, `engineFailure`.
    package func sealedAnew(_ sealed: [UInt8], in place: SealedPlace) throws(KeyVaultError) -> [UInt8]? {
        guard !sealed.starts(with: try activeKeyId(place.purpose).bigEndianBytes) else { return nil }
        return try seal(try open(sealed, in: place, evenCompromised: true), in: place)
    }

    /// The MAC that is stored instead of a value that must only be compared.
    ///
    /// - Returns: id of the data key (4 bytes), HMAC-SHA-256 (32 bytes).
    /// - Throws: `vaultClosed`.
    package func authenticationCode(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) throws(KeyVaultError) -> [UInt8] {
        let keys = try keys[place.purpose]
        return Self.code(for: value, in: place, id: keys.activeId, key: keys.active)
    }

    /// The MACs with every key: the first one as ``authenticationCode(for:in:)``, then those with other keys. One of them
    /// equals the MAC that was stored for the same value.
    ///
    /// - Throws: `vaultClosed`.
    package func authenticationCodes(
        for value: borrowing some ByteSource & ~Copyable, in place: SealedPlace
    ) throws(KeyVaultError) -> [[UInt8]] {
        let keys = try keys[place.purpose]
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
    let compromised: Set<Int32>
    let activeId: Int32
    let active: SharedSecret

    init(_ dataKeys: [Keyring.DataKey], purpose: Keyring.Purpose) throws(KeyVaultError) {
        if let damaged = dataKeys.first(where: { $0.key.bytes.count != Keyring.keyByteCount }) {
            throw .damagedDataKey(id: damaged.id)
        }
        guard let active = dataKeys.last(where: \.isActive) else { throw .noActiveKey(purpose: purpose.rawValue) }
        keys = Dictionary(dataKeys.map { ($0.id, $0.key) }) { $1 }
        compromised = Set(dataKeys.filter(\.isCompromised).map(\.id))
        activeId = active.id
        self.active = active.key
    }

    func key(id: Int32, evenCompromised: Bool = false) throws(KeyVaultError) -> SharedSecret {
        guard evenCompromised || !compromised.contains(id) else { throw .compromisedDataKey(id: id) }
        guard let key = keys[id] else { throw .unknownDataKey(id: id) }
        return key
    }
}
