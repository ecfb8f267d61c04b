import Cryptography
import Foundation
import Glibc
import SecureMemory

/// Files that an operator names.
enum InputFile {
    /// The largest certificate file.
    static let certificateByteLimit = 1 << 20

    /// The largest list of weak PINs.
    static let weakPINListByteLimit = 1 << 18

    /// The largest message to be explained.
    static let messageByteLimit = 1 << 20

    /// A public text, whole, without white space at its ends.
    static func readText(_ path: String) throws -> String {
        String(decoding: try read(path, byteLimit: messageByteLimit), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A secret in hex, with white space at its ends or not.
    static func readHex(_ path: String) throws -> SecretBytes {
        let hex = try readSecret(path, byteLimit: messageByteLimit)
        let bytes = hex.withBytes { text -> SecretBytes? in
            guard let last = text.lastIndex(where: { $0 > 0x20 }) else { return nil }
            return Hex.decodeSecret(UnsafeRawBufferPointer(rebasing: text[...last]))
        }
        guard let bytes else { throw CommandError.badInput("\(path) does not hold hex") }
        return bytes
    }

    /// A public file, whole.
    static func read(_ path: String, byteLimit: Int) throws -> [UInt8] {
        try readSecret(path, byteLimit: byteLimit).withBytes { Array($0) }
    }

    /// A file that holds a secret, whole, in wiped memory.
    static func readSecret(_ path: String, byteLimit: Int) throws -> SecretBytes {
        let file = try openForReading(path)
        defer { close(file) }
        // One byte more than is allowed, to see whether there is more.
        let bytes = SecretBytes(capacity: byteLimit + 1) { buffer in
            var count = 0
            while count < buffer.count {
                let added = Glibc.read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                guard added > 0 else { break }
                count += added
            }
            return count
        }
        guard bytes.count <= byteLimit else {
            throw CommandError.badInput("\(path) is longer than the \(byteLimit) bytes that are read")
        }
        return bytes
    }

    /// A descriptor to read from, the caller's to close; - is standard input.
    static func openForReading(_ path: String) throws -> Int32 {
        if path == "-" { return dup(STDIN_FILENO) }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CommandError.notFound("\(path): \(String(cString: strerror(errno)))") }
        return file
    }
}
