internal import SecureMemory

enum VectorRegisters {
    /// Overwrites the registers in which the C library's memcpy leaves the last bytes that it copied, up to 512. A thread keeps
    /// them while it waits, and a core dump contains them.
    static func wipe() {
        _ = SecretBytes(copying: publicBytes, in: .ordinary)
    }

    /// So many that memcpy uses all its registers, and too few for the processor's own copying (`rep movsb`): on x86 that is
    /// between 512 bytes (eight registers of 64 bytes) and 2 KiB.
    private static let publicBytes = [UInt8](repeating: 0, count: 1024)
}
