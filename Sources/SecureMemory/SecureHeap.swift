internal import COpenSSL

/// OpenSSL's secure heap: a region that is locked in memory, has guard pages at its ends and is left out of core dumps.
/// OpenSSL keeps the private parts of its own keys there too.
public enum SecureHeap {
    /// Makes the heap, before the first secret; without it secrets lie in the ordinary heap. A process has one: where it
    /// is made already, it stays as it is.
    ///
    /// - Parameter byteCount: its size, a power of two.
    /// - Returns: whether there is the region. It is also true where the system's limit on locked memory
    ///   (`RLIMIT_MEMLOCK`) left it unlocked: guard pages and the exclusion from core dumps hold all the same.
    @discardableResult
    public static func initialize(byteCount: Int) -> Bool {
        precondition(byteCount > 0 && byteCount.nonzeroBitCount == 1, "the secure heap's size is a power of two")
        return CRYPTO_secure_malloc_init(byteCount, smallestBlockByteCount) > 0
            || CRYPTO_secure_malloc_initialized() == 1
    }

    /// Overwrites memory in a way that the compiler does not optimise away.
    public static func wipe(_ memory: UnsafeMutableRawBufferPointer) {
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
