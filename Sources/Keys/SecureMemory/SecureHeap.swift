internal import COpenSSL
internal import Synchronization

/// Where secret bytes are kept. They are wiped in both.
package enum SecretMemory: Sendable {
    /// The secure heap: for keys, PINs and codes.
    case secure
    /// Ordinary memory: for requests and other text that a stranger can make long, so that it cannot fill the secure heap.
    case ordinary
}

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
    /// Longer secrets are in ordinary memory: images, for example. A private key is shorter.
    static let longestSecretByteCount = 4096

    private static let fallBacks = Atomic<Int>(0)

    /// How many secrets were kept in ordinary memory since the process started, because the heap was full.
    package static var fallBackCount: Int { fallBacks.load(ordering: .relaxed) }

    static func allocate(_ count: Int, in memory: SecretMemory) -> UnsafeMutableRawPointer {
        let isSecure = memory == .secure && count <= longestSecretByteCount
        let secure = isSecure ? card_companion_secure_malloc(count) : nil
        if isSecure, secure == nil { fallBacks.add(1, ordering: .relaxed) }
        guard let base = secure ?? card_companion_malloc(count) else { preconditionFailure("out of memory") }
        base.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        return base
    }

    static func contains(_ base: UnsafeMutableRawPointer) -> Bool {
        CRYPTO_secure_allocated(base) == 1
    }

    static func wipeAndFree(_ base: UnsafeMutableRawPointer, _ count: Int) {
        card_companion_secure_clear_free(base, count)
    }
}
