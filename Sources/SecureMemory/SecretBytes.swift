/// Bytes that must not be seen: a PIN, an authentication code, a key, or text that holds one.
///
/// They have one owner, no description, and no copy that is not asked for. They lie in OpenSSL's secure heap while it
/// has room (locked in memory, left out of core dumps; see ``SecureHeap``), else in the ordinary heap; in both they
/// are overwritten when their owner lets them go.
public struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Sendable: the memory is written only by its one owner, and freed only by `deinit`.
    private let base: UnsafeMutableRawPointer
    private let capacity: Int

    /// How many bytes there are.
    public let count: Int

    /// Makes room for `count` bytes and has `initialize` fill it; it begins as zeros.
    public init<Failure: Error>(
        count: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try self.init(capacity: count) { (buffer) throws(Failure) in
            try initialize(buffer)
            return count
        }
    }

    /// Makes room for at most `capacity` bytes and has `initialize` fill a beginning of it, whose length it returns.
    public init<Failure: Error>(
        capacity: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        precondition(capacity >= 0, "a capacity is not negative")
        let base = SecureHeap.allocate(max(capacity, 1))
        let count: Int
        do {
            count = try initialize(UnsafeMutableRawBufferPointer(start: base, count: capacity))
        } catch {
            SecureHeap.wipeAndFree(base, max(capacity, 1))
            throw error
        }
        precondition(0...capacity ~= count, "more was written than there was room for")
        self.base = base
        self.capacity = max(capacity, 1)
        self.count = count
    }

    /// Copies `source`. The source itself is the caller's to wipe.
    public init(copying source: borrowing some ByteSource & ~Copyable) {
        self = source.withBytes { bytes in
            SecretBytes(count: bytes.count) { $0.copyMemory(from: bytes) }
        }
    }

    deinit {
        SecureHeap.wipeAndFree(base, capacity)
    }

    /// A second owner of the same content.
    public borrowing func copy() -> SecretBytes {
        SecretBytes(copying: self)
    }

    /// Calls `body` with the bytes, which are valid until it returns and must not be copied elsewhere.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// For a buffer that is still being written by its one owner.
    mutating func withMutableBytes(_ body: (UnsafeMutableRawBufferPointer) -> Void) {
        body(UnsafeMutableRawBufferPointer(start: base, count: count))
    }
}

/// A secret with many readers, such as a key that a server holds for its life.
public final class SharedSecret: Sendable {
    /// The secret itself.
    public let bytes: SecretBytes

    /// Takes the secret over.
    public init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Takes the secret over, where there is one.
    public convenience init?(_ bytes: consuming SecretBytes?) {
        switch consume bytes {
        case .some(let bytes): self.init(bytes)
        case nil: return nil
        }
    }
}
