/// A buffer for text that contains secrets. When it grows, the old memory is wiped.
package struct SecretBuffer: ~Copyable, Sendable {
    private var storage: SecretBytes
    private var room: Int
    private let memory: SecretMemory

    package private(set) var count = 0

    /// An empty buffer. It grows when it has more than `capacity` bytes.
    package init(capacity: Int = 256, in memory: SecretMemory = .secure) {
        room = max(capacity, 16)
        self.memory = memory
        storage = SecretBytes(count: room, in: memory) { _ in }
    }

    package mutating func append(_ source: borrowing some ByteSource & ~Copyable) {
        source.withBytes { bytes in
            appendUninitialized(bytes.count) { $0.copyMemory(from: bytes) }
        }
    }

    /// Appends public text.
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a byte `repeating` times.
    package mutating func append(byte: UInt8, repeating: Int = 1) {
        appendUninitialized(repeating) { _ = $0.initializeMemory(as: UInt8.self, repeating: byte) }
    }

    /// Appends the standard base64 (RFC 4648 section 4, padded) of bytes.
    package mutating func appendBase64(_ source: borrowing some ByteSource & ~Copyable) {
        source.withBytes { bytes in
            appendUninitialized((bytes.count + 2) / 3 * 4) { Self.encodeBase64(bytes, into: $0) }
        }
    }

    /// Appends the unpadded base64url (RFC 4648 section 5) of bytes.
    package mutating func appendBase64URL(_ source: borrowing some ByteSource & ~Copyable) {
        let start = count
        appendBase64(source)
        storage.withMutableBytes { bytes in
            for index in start..<count {
                switch bytes[index] {
                case UInt8(ascii: "+"): bytes[index] = UInt8(ascii: "-")
                case UInt8(ascii: "/"): bytes[index] = UInt8(ascii: "_")
                default: break
                }
            }
        }
        let padding = [0, 2, 1][source.withBytes(\.count) % 3]
        count -= padding
    }

    /// Appends the lower-case hex of bytes.
    package mutating func appendHex(_ source: borrowing some ByteSource & ~Copyable) {
        source.withBytes { bytes in
            appendUninitialized(bytes.count * 2) { output in
                for (index, byte) in bytes.enumerated() {
                    output[index * 2] = Self.hexDigits[Int(byte >> 4)]
                    output[index * 2 + 1] = Self.hexDigits[Int(byte & 0xF)]
                }
            }
        }
    }

    /// The appended bytes.
    package consuming func finish() -> SecretBytes {
        let (count, memory) = (count, memory)
        return storage.withBytes { bytes in
            SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]), in: memory)
        }
    }

    private mutating func appendUninitialized(_ added: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void) {
        if count + added > room { grow(toHold: count + added) }
        let start = count
        storage.withMutableBytes { write(UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + added])) }
        count += added
    }

    private mutating func grow(toHold needed: Int) {
        room = max(needed, room * 2)
        let count = count
        storage = storage.withBytes { old in
            SecretBytes(count: room, in: memory) { new in
                new.copyMemory(from: UnsafeRawBufferPointer(rebasing: old[..<count]))
            }
        }
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
    private static let base64Alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func encodeBase64(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        var out = 0
        base64Alphabet.withUnsafeBytes { alphabet in
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let (first, length) = (UInt32(bytes[start]), bytes.count - start)
                let second = length > 1 ? UInt32(bytes[start + 1]) : 0
                let third = length > 2 ? UInt32(bytes[start + 2]) : 0
                let group = first << 16 | second << 8 | third
                output[out] = alphabet[Int(group >> 18)]
                output[out + 1] = alphabet[Int(group >> 12 & 0x3F)]
                output[out + 2] = length > 1 ? alphabet[Int(group >> 6 & 0x3F)] : UInt8(ascii: "=")
                output[out + 3] = length > 2 ? alphabet[Int(group & 0x3F)] : UInt8(ascii: "=")
                out += 4
            }
        }
    }
}
