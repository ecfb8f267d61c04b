internal import COpenSSL

/// OpenSSL's secure heap: a memory region that is locked, has guard pages at both ends, and is excluded from core dumps.
/// OpenSSL stores the private parts of its own keys there too.
package enum SecureHeap {
    /// Creates the heap. Call this before the first secret; without it, secrets are in the ordinary heap. A process has
    /// only one secure heap: a second call changes nothing.
    ///
    /// - Parameter byteCount: the size, a power of two.
    /// - Returns: whether the region exists. Also true if the limit on locked memory (`RLIMIT_MEMLOCK`) prevented the
    ///   lock: the region still has guard pages and is excluded from core dumps.
    @discardableResult
    package static func initialize(byteCount: Int) -> Bool {
        precondition(byteCount > 0 && byteCount.nonzeroBitCount == 1, "the size must be a power of two")
        return CRYPTO_secure_malloc_init(byteCount, smallestBlockByteCount) > 0
            || CRYPTO_secure_malloc_initialized() == 1
    }

    /// Overwrites memory. The compiler cannot optimize this away.
    package static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
        guard let base = memory.baseAddress else { return }
        OPENSSL_cleanse(base, memory.count)
    }

    private static let smallestBlockByteCount = 32

    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard let base = card_companion_secure_malloc(count) ?? card_companion_malloc(count) else {
            preconditionFailure("out of memory")
        }
        base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        return base
    }

    static func wipeAndFree(_ base: UnsafeMutableRawPointer, _ count: Int) {
        card_companion_secure_clear_free(base, count)
    }
}
