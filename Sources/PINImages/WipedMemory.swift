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

    /// Overwrites the registers in which the C library's memcpy leaves the last bytes that it copied, up to 512. A thread keeps
    /// them while it waits, and a core dump contains them.
    static func wipeVectorRegisters() {
        _ = SecretBytes(copying: publicBytes, in: .ordinary)
    }

    /// So many that memcpy uses all its registers, and too few for the processor's own copying (`rep movsb`): on x86 that is
    /// between 512 bytes (eight registers of 64 bytes) and 2 KiB.
    private static let publicBytes = [UInt8](repeating: 0, count: 1024)
}
