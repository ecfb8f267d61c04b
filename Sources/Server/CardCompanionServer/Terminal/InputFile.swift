internal import Administration
internal import Cryptography
internal import Foundation
internal import Glibc
package import SecureMemory

/// Files that an operator names.
package enum InputFile {
    private static let chunkByteCount = 65_536

    package static let certificateByteLimit = 1 << 20
    package static let revocationListByteLimit = RevocationList.byteCountLimit
    package static let weakPINListByteLimit = 1 << 18

    /// The largest message for 'explain'.
    package static let messageByteLimit = 1 << 20

    /// A public text without white space at its ends.
    package static func readText(_ path: String) throws -> String {
        String(decoding: try read(path, byteLimit: messageByteLimit), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A secret in hex. White space at the end is ignored.
    package static func readHex(_ path: String) throws -> SecretBytes {
        let hex = try readSecret(path, byteLimit: messageByteLimit)
        let bytes = hex.withBytes { text -> SecretBytes? in
            guard let last = text.lastIndex(where: { $0 > 0x20 }) else { return nil }
            return Hex.decodeSecret(UnsafeRawBufferPointer(rebasing: text[...last]))
        }
        guard let bytes else { throw CommandError.badInput("\(path) must contain hex") }
        return bytes
    }

    /// A public file.
    package static func read(_ path: String, byteLimit: Int) throws -> [UInt8] {
        try readPersonal(path, byteLimit: byteLimit).withBytes { Array($0) }
    }

    /// A file with personal data, in wiped memory.
    package static func readPersonal(_ path: String, byteLimit: Int) throws -> SecretBytes {
        let file = try openForReading(path)
        defer { close(file) }
        return try read(file, path, byteLimit)
    }

    /// A file with a key in clear, in wiped memory. If other users can read it, they may have done so.
    package static func readSecret(_ path: String, byteLimit: Int) throws -> SecretBytes {
        let file = try openForReading(path)
        defer { close(file) }
        var status = stat()
        if path != "-", fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o044 != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw CommandError.refused(
                "\(path) has a key in clear, and other users of this machine can read it (mode 0\(mode)). If nobody has, run "
                    + "'chmod 600 \(path)' and try again, or give the file on standard input ('-'). If somebody may have, use "
                    + "another key")
        }
        return try read(file, path, byteLimit)
    }

    private static func read(_ file: Int32, _ path: String, _ byteLimit: Int) throws -> SecretBytes {
        var failure: Int32 = 0
        // One byte more than allowed, to see whether there is more.
        let bytes = SecretBytes(capacity: byteLimit + 1) { buffer in
            var count = 0
            while count < buffer.count {
                let added = Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                failure = added < 0 ? errno : 0
                guard added > 0 else { break }
                count += added
            }
            return count
        }
        guard failure == 0 else { throw CommandError.notFound("\(path): \(String(cString: strerror(failure)))") }
        guard bytes.count <= byteLimit else {
            throw CommandError.badInput("\(path) must have at most \(byteLimit) bytes")
        }
        return bytes
    }

    /// The size of a regular file; nil for everything else.
    package static func byteCount(_ file: Int32) -> Int? {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The next bytes of a file, in wiped memory; nil at its end.
    package static func readChunk(_ file: Int32) throws -> SharedSecret? {
        var failure: Int32 = 0
        let bytes = SecretBytes(capacity: chunkByteCount) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            failure = count < 0 ? errno : 0
            return max(count, 0)
        }
        guard failure == 0 else {
            throw CommandError.refused("the file cannot be read: \(String(cString: strerror(failure)))")
        }
        return bytes.count == 0 ? nil : SharedSecret(bytes)
    }

    /// A descriptor to read from, the caller's to close; - is standard input.
    package static func openForReading(_ path: String) throws -> Int32 {
        if path == "-" { return dup(STDIN_FILENO) }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CommandError.notFound("\(path): \(String(cString: strerror(errno)))") }
        return file
    }
}
