internal import SecureMemory

/// Memory for a C library that frees without a size. The size is stored before the memory, and `free` wipes it.
enum WipedMemory {
    private static let headerByteCount = 16

    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let total = headerByteCount + count
        let base = UnsafeMutableRawPointer.allocate(byteCount: total, alignment: headerByteCount)
        base.storeBytes(of: total, as: Int.self)
        return base + headerByteCount
    }

    static func free(_ memory: UnsafeMutableRawPointer?) {
        guard let memory else { return }
        let base = memory - headerByteCount
        SecureHeap.wipe(UnsafeMutableRawBufferPointer(start: base, count: base.load(as: Int.self)))
        base.deallocate()
    }
}
