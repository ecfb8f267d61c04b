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
        let contents = try Self.read(path)
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
        try write(SecureRandom.secret(count: keyByteCount), to: draft)
        guard link(draft, path) == 0 || errno == EEXIST else {
            throw .unusableFile(path: path, reason: "it cannot be created: \(String(cString: strerror(errno)))")
        }
        try syncFolder(of: path)
        return try FileMasterKey(path: path)
    }

    /// After a power failure the file must still have its name: the database may have secrets under its key by then.
    private static func syncFolder(of path: String) throws(KeyVaultError) {
        let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else {
            throw .unusableFile(
                path: path, reason: "its folder cannot be written to disk: \(String(cString: strerror(errno)))")
        }
    }

    private init(_ key: consuming SecretBytes) {
        let code = HMACSHA256.authenticationCode(for: Array("card-companion master key id".utf8), key: key)
        id = Hex.encode(Array(code.prefix(8)))
        self.key = SharedSecret(key)
    }

    package func wrap(_ dataKey: borrowing SecretBytes) throws(KeyVaultError) -> [UInt8] {
        do {
            return try AESKeyWrap.wrap(dataKey, with: key.bytes)
        } catch {
            throw .engineFailure
        }
    }

    package func unwrap(_ wrapped: [UInt8]) -> SecretBytes? {
        do {
            return try AESKeyWrap.unwrap(wrapped, with: key.bytes)
        } catch {
            return nil
        }
    }

    private static func read(_ path: String) throws(KeyVaultError) -> SecretBytes {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            throw .unusableFile(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusableFile(path: path, reason: "it must be a regular file")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .unusableFile(path: path, reason: "its mode 0\(mode) gives other users access: run chmod 0600 on it")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .unusableFile(path: path, reason: "it must belong to the user of this process, or to root")
        }
        return SecretBytes(capacity: maximumFileByteCount) { max(0, Glibc.read(file, $0.baseAddress, $0.count)) }
    }

    private static func write(_ key: consuming SecretBytes, to path: String) throws(KeyVaultError) {
        var text = SecretBuffer()
        text.append(header)
        text.appendHex(key)
        text.append("\n")
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .unusableFile(path: path, reason: "it cannot be created: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        let contents = text.finish()
        let written = contents.withBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard written == contents.count, fsync(file) == 0 else {
            throw .unusableFile(path: path, reason: "it cannot be written: \(String(cString: strerror(errno)))")
        }
    }
}
