#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Bytes that can contain a PIN, a CAN or a PUK. They have no description, and are overwritten after their last use. (Apps on
/// iOS cannot link the server's `SecureMemory`.)
public final class WipedBytes: @unchecked Sendable {
    // Sendable, because only its maker appends, before anyone else has it.
    private var memory: UnsafeMutableRawBufferPointer

    /// The number of bytes.
    public private(set) var count = 0

    package init(capacity: Int = 256) {
        memory = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit {
        Self.wipe(memory)
        memory.deallocate()
    }

    /// Calls `body` with the bytes. They are valid until `body` returns. Do not copy them.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    package func append(_ byte: UInt8) {
        if count == memory.count { grow() }
        memory[count] = byte
        count += 1
    }

    func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte) }
    }

    /// Removes the last byte, if there is one.
    package func removeLast() {
        guard count > 0 else { return }
        count -= 1
        memory[count] = 0
    }

    private func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: memory.count * 2, alignment: 1)
        larger.copyMemory(from: UnsafeRawBufferPointer(memory))
        Self.wipe(memory)
        memory.deallocate()
        memory = larger
    }

    /// Overwrites memory in a way that a compiler does not leave out.
    private static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return }
        #if canImport(Darwin)
            memset_s(base, memory.count, 0, memory.count)
        #else
            explicit_bzero(base, memory.count)
        #endif
    }
}
