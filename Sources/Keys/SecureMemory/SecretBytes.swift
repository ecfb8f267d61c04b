/// Secret bytes: a PIN, an authentication code, a key, or text that contains one of them.
///
/// They have one owner, no description, and no implicit copies. They are in OpenSSL's secure heap (locked in memory,
/// excluded from core dumps, see ``SecureHeap``), or in the ordinary heap if they are long, if their maker says so, or if the
/// secure one is full. In all cases they are overwritten when their lifetime ends.
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Sendable, because only the one owner writes the memory, and only `deinit` frees it.
    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private let memory: SecretMemory

    package let count: Int

    /// Allocates `count` bytes, all zero, and calls `initialize` to fill them.
    package init<Failure: Error>(
        count: Int, in memory: SecretMemory = .secure,
        initializingWith initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try self.init(capacity: count, in: memory) { (buffer) throws(Failure) in
            try initialize(buffer)
            return count
        }
    }

    /// Allocates `capacity` bytes, all zero, and calls `initialize` to fill them. `initialize` returns how many bytes it
    /// wrote, from the start.
    package init<Failure: Error>(
        capacity: Int, in memory: SecretMemory = .secure,
        initializingWith initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(capacity >= 0, "a capacity must not be negative")
        let base = SecureHeap.allocate(max(capacity, 1), in: memory)
        let count: Int
        do {
            count = try initialize(UnsafeMutableRawBufferPointer(start: base, count: capacity))
        } catch {
            SecureHeap.wipeAndFree(base, max(capacity, 1))
            throw error
        }
        precondition(0...capacity ~= count, "more bytes were written than the capacity")
        self.base = base
        self.memory = memory
        self.capacity = max(capacity, 1)
        self.count = count
    }

    /// Copies `source`. The caller must wipe the source.
    package init(copying source: borrowing some ByteSource & ~Copyable, in memory: SecretMemory = .secure) {
        self = source.withBytes { bytes in
            SecretBytes(count: bytes.count, in: memory) { $0.copyMemory(from: bytes) }
        }
    }

    deinit {
        SecureHeap.wipeAndFree(base, capacity)
    }

    /// A copy in the same kind of memory, with its own owner.
    package borrowing func copy() -> SecretBytes {
        SecretBytes(copying: self, in: memory)
    }

    /// Calls `body` with the bytes. They are valid until `body` returns. Do not copy them.
    package borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// XOR with a value of the same length.
    package borrowing func xor(_ other: borrowing SecretBytes) -> SecretBytes {
        precondition(count == other.count, "the values must have the same length")
        return withBytes { own in
            other.withBytes { other in
                SecretBytes(count: own.count) { output in
                    for index in output.indices { output[index] = own[index] ^ other[index] }
                }
            }
        }
    }

    /// Whether they are in the secure heap.
    package var isInSecureHeap: Bool { SecureHeap.contains(base) }

    /// For a buffer that its owner is still writing.
    mutating func withMutableBytes(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }
}

/// A secret with many readers, such as a key that a server keeps while it runs.
package final class SharedSecret: Sendable {
    package let bytes: SecretBytes

    /// Takes ownership of the secret.
    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Takes ownership of the secret; nil if there is none.
    package convenience init?(_ bytes: consuming SecretBytes?) {
        switch consume bytes {
        case .some(let bytes): self.init(bytes)
        case nil: return nil
        }
    }
}
