internal import Cryptography
package import SecureMemory

/// A key, encrypted and bound to its header (ANSI X9.143, which was TR-31), versions B and D.
package struct KeyBlock: Sendable {
    /// The most characters that the length in a header can say.
    package static let characterLimit = 9999

    /// What the block says about its key. It is not verified yet: see ``key(under:)``.
    package let header: KeyBlockHeader
    /// The whole block.
    package let text: String

    private let headerText: [UInt8]
    private let encryptedKey: [UInt8]
    private let mac: [UInt8]

    /// Reads a key block, strictly.
    ///
    /// - Throws: ``KeyBlockError``, which names the field.
    package init(_ text: String) throws(KeyBlockError) {
        let characters = Array(text.utf8)
        guard !characters.isEmpty else { throw KeyBlockError(.length, "there is no key block: the text is empty") }
        if let end = characters.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
            throw KeyBlockError(
                .length, "a key block is one line, but this one has a line break after \(end) characters")
        }
        guard characters.allSatisfy({ 0x20...0x7E ~= $0 }), characters.count <= Self.characterLimit else {
            throw KeyBlockError(.length, "a key block has at most \(Self.characterLimit) printable ASCII characters")
        }
        var (reader, length) = (TextReader(characters), 0)
        header = try KeyBlockHeader(&reader, blockLength: &length)
        guard length == characters.count else {
            throw KeyBlockError(.length, "it says \(length), but the block has \(characters.count) characters")
        }
        headerText = Array(characters.prefix(reader.position))
        let (blockByteCount, rest) = (header.version.blockByteCount, characters.count - reader.position)
        let keyByteCount = rest / 2 - blockByteCount
        guard rest.isMultiple(of: 2), keyByteCount > 0, keyByteCount.isMultiple(of: blockByteCount) else {
            throw KeyBlockError(.encryptedKey, "it must have a multiple of \(blockByteCount * 2) hex digits")
        }
        encryptedKey = try Self.bytes(try reader.take(keyByteCount * 2, .encryptedKey), .encryptedKey)
        mac = try Self.bytes(try reader.take(blockByteCount * 2, .mac), .mac)
        self.text = text
    }

    private static func bytes(_ text: String, _ field: KeyBlockError.Field) throws(KeyBlockError) -> [UInt8] {
        guard text.isUpperCaseHex, let bytes = Hex.decode(text) else {
            throw KeyBlockError(field, "it must have hex digits in upper case")
        }
        return bytes
    }
}

// MARK: - Opening

extension KeyBlock {
    /// Opens the block. The MAC is compared before anything of the key is used.
    ///
    /// - Throws: ``KeyBlockError`` if the block was changed or is under another key, if the protection key is weaker than the
    ///   key, or if an optional block does not fit the key.
    package func key(under protectionKey: ProtectionKey) throws(KeyBlockError) -> SymmetricKey {
        guard protectionKey.direction.decrypts else {
            throw KeyBlockError(.protectionKey, "it can only wrap keys (mode of use E): name one that can open them")
        }
        guard protectionKey.version == header.version else {
            throw KeyBlockError(
                .version,
                "a block of version \(header.version.rawValue) needs a protection key of \(header.version.algorithm.name), "
                    + "not of \(protectionKey.key.algorithm.name)")
        }
        let key = try Self.key(in: try authenticatedKeyData(protectionKey), header)
        try Self.requireRank(of: key, under: protectionKey)
        for block in header.optionalBlocks {
            switch block {
            case .checkValue(let value): try value.check(key, .optionalBlock(block.id))
            case .protectionKeyCheckValue(let value): try value.check(protectionKey.key, .optionalBlock(block.id))
            case .hashIsSHA256, .timeStamp, .timeOfCreation, .label, .wrappingPedigree: break
            }
        }
        return key
    }

    private func authenticatedKeyData(_ protectionKey: ProtectionKey) throws(KeyBlockError) -> SecretBytes {
        do throws(CryptographyError) {
            let keys = try protectionKey.derivedKeys()
            let keyData = try keys.encryption.decryptChain(encryptedKey, initializationVector: mac)
            if ConstantTime.areEqual(mac, try Self.mac(headerText, keyData, keys.authentication)) { return keyData }
        } catch {
            throw KeyBlockError(.protectionKey, "\(error)")
        }
        throw KeyBlockError(.mac, "it does not match: the block was changed, or it is under another key")
    }

    /// The key's length in bits (2 bytes), the key, and bytes that hide its length.
    private static func key(
        in keyData: borrowing SecretBytes, _ header: KeyBlockHeader
    ) throws(KeyBlockError) -> SymmetricKey {
        let found = keyData.withBytes { bytes -> SecretBytes? in
            let bits = Int(bigEndianBytes: bytes[..<lengthByteCount])
            guard bits.isMultiple(of: 8), bits / 8 <= bytes.count - lengthByteCount else { return nil }
            return SecretBytes(
                copying: UnsafeRawBufferPointer(rebasing: bytes[lengthByteCount..<lengthByteCount + bits / 8]))
        }
        guard let found else { throw KeyBlockError(.key, "its length must be whole bytes that are in the block") }
        do throws(InvalidKey) {
            return try SymmetricKey(header.algorithm, found)
        } catch {
            throw KeyBlockError(.key, "\(error)")
        }
    }

    private static let lengthByteCount = 2

    private static func requireRank(
        of key: SymmetricKey, under protectionKey: ProtectionKey
    ) throws(KeyBlockError) {
        guard key.strength <= protectionKey.key.strength else {
            throw KeyBlockError(
                .protectionKey,
                "it is weaker (\(protectionKey.key.strength)) than the key that it protects (\(key.strength))")
        }
    }

    private static func mac(
        _ header: [UInt8], _ keyData: borrowing SecretBytes, _ key: BlockCipher
    ) throws(CryptographyError) -> [UInt8] {
        var message = SecretBuffer(capacity: header.count + keyData.count)
        message.append(header)
        message.append(keyData)
        return try key.authenticationCode(for: message.finish()).withBytes { [UInt8]($0) }
    }
}

// MARK: - Making

extension KeyBlock {
    /// Wraps a key.
    ///
    /// - Parameter random: fills the block up to the length that the longest key of the algorithm has.
    /// - Throws: ``KeyBlockError`` if key, header and protection key do not belong together.
    package init(
        wrapping key: SymmetricKey, header: KeyBlockHeader, under protectionKey: ProtectionKey,
        random: (Int) -> SecretBytes
    ) throws(KeyBlockError) {
        guard protectionKey.direction.encrypts else {
            throw KeyBlockError(.protectionKey, "it can only open key blocks (mode of use D)")
        }
        guard header.version == protectionKey.version, header.algorithm == key.algorithm else {
            throw KeyBlockError(.algorithm, "the header is for other keys")
        }
        try Self.requireRank(of: key, under: protectionKey)
        let keyData = Self.keyData(key, multiple: header.version.blockByteCount, random)
        let payloadLength = 2 * (keyData.count + header.version.blockByteCount)
        let headerText = Array(header.text(payloadLength: payloadLength).utf8)
        let sealed: (key: [UInt8], mac: [UInt8])
        do throws(CryptographyError) {
            let keys = try protectionKey.derivedKeys()
            let mac = try Self.mac(headerText, keyData, keys.authentication)
            sealed = (try keys.encryption.encryptChain(keyData, initializationVector: mac), mac)
        } catch {
            throw KeyBlockError(.protectionKey, "\(error)")
        }
        self.header = header
        self.headerText = headerText
        (encryptedKey, mac) = sealed
        text = String(decoding: headerText, as: UTF8.self) + Hex.encode(sealed.key + sealed.mac).uppercased()
    }

    private static func keyData(
        _ key: SymmetricKey, multiple: Int, _ random: (Int) -> SecretBytes
    ) -> SecretBytes {
        let count = key.secret.bytes.count
        let longest = key.algorithm.blockCipher?.keyByteCounts.max() ?? count
        let total = (lengthByteCount + longest + multiple - 1) / multiple * multiple
        var data = SecretBuffer(capacity: total)
        data.append(UInt16(count * 8).bigEndianBytes)
        data.append(key.secret.bytes)
        data.append(random(total - data.count))
        return data.finish()
    }
}
