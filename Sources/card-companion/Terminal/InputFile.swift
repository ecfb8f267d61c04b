import Foundation
import Glibc
import SecureMemory

/// Files that an operator names.
enum InputFile {
    /// The largest certificate file.
    static let certificateByteLimit = 1 << 20

    /// The largest list of weak PINs.
    static let weakPINListByteLimit = 1 << 18

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

    static func openForReading(_ path: String) throws -> Int32 {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw CommandError.notFound("\(path): \(String(cString: strerror(errno)))") }
        return file
    }
}
