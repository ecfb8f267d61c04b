internal import Cryptography
internal import Glibc
package import SecureMemory

/// A master key in a file that only its owner can read: for the sandbox and for a first installation. Anyone who has
/// both the file and the database can read all secrets.
package struct FileMasterKey: MasterKey {
    private static let header = "card-companion-master-key-1:"
    private static let keyByteCount = 32
    private static let maximumFileByteCount = 256

    private let key: SharedSecret

    /// See ``MasterKey/id``: the first 8 bytes of an HMAC of a constant with the key, in hex.
    package let id: String

    /// Reads the file. It must be a regular file that belongs to this user or to root, without permissions for group and
    /// others.
    ///
    /// - Throws: `unusableFile`.
    package init(path: String) throws(KeyVaultError) {
        let contents = try SecretFile.read(path, byteLimit: Self.maximumFileByteCount)
        let key = contents.withBytes { bytes -> SecretBytes? in
            let header = Array(Self.header.utf8)
            guard bytes.starts(with: header) else { return nil }
            let digits = bytes.dropFirst(header.count).prefix { $0 != UInt8(ascii: "\n") }
            return Hex.decodeSecret(UnsafeRawBufferPointer(rebasing: digits))
        }
        guard let key, key.count == Self.keyByteCount else {
            throw .unusableFile(path: path, reason: "it does not contain a master key")
        }
        self.init(key)
    }

    /// Generates a key and writes its file, with mode 0600. Never overwrites an existing file.
    ///
    /// - Returns: the key in the file. If another process created the file first, that process's key.
    /// - Throws: `unusableFile`.
    package static func create(path: String) throws(KeyVaultError) -> FileMasterKey {
        // Written under another name and linked when complete, so that no process reads half a file.
        let draft = "\(path).\(getpid()).\(Hex.encode(SecureRandom.bytes(count: 4)))"
        defer { unlink(draft) }
        try SecretFile.write(text(of: SecureRandom.secret(count: keyByteCount)), to: draft)
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw .unusableFile(path: path, reason: "it cannot be created: \(String(cString: strerror(errno)))")
        }
        try SecretFile.syncFolder(of: path)
        return try FileMasterKey(path: path)
    }

    private static func text(of key: consuming SecretBytes) -> SecretBytes {
        var text = SecretBuffer()
        text.append(header)
        text.appendHex(key)
        text.append("\n")
        return text.finish()
    }

    private init(_ key: consuming SecretBytes) {
        let code = HMACSHA256.authenticationCode(for: Array("card-companion master key id".utf8), key: key)
        id = Hex.encode(Array(code.prefix(8)))
        self.key = SharedSecret(key)
    }

    package func wrap(_ dataKey: SharedSecret, as name: DataKeyName) async throws(KeyVaultError) -> [UInt8] {
        do {
            return try AESGCM.sealBox(dataKey.bytes, key: key.bytes, authenticating: name.bytes(under: id))
        } catch {
            throw .engineFailure
        }
    }

    package func unwrap(_ wrapped: [UInt8], as name: DataKeyName) async throws(KeyVaultError) -> SharedSecret {
        do {
            return SharedSecret(
                try AESGCM.openBox(wrapped[...], key: key.bytes, authenticating: name.bytes(under: id)))
        } catch {
            throw .damagedDataKey(id: name.id)
        }
    }
}
