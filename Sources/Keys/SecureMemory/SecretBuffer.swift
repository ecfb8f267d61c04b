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

    /// Appends bytes in base64.
    package mutating func appendBase64(
        _ source: borrowing some ByteSource & ~Copyable, _ alphabet: Base64Alphabet = .standard
    ) {
        source.withBytes { bytes in
            appendUninitialized(alphabet.textByteCount(of: bytes.count)) { alphabet.encode(bytes, into: $0) }
        }
    }

    /// Appends the lower-case hex of bytes.
    package mutating func appendHex(_ source: borrowing some ByteSource & ~Copyable) {
        source.withBytes { bytes in
            appendUninitialized(bytes.count * 2) { HexDigits.write(bytes, into: $0) }
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
}
