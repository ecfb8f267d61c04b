internal import CLinux

/// Core files, which would hold whatever a process holds.
public enum CoreDumps {
    /// Has the kernel write none of this process from now on, and lets no other process of its user read its memory.
    ///
    /// - Returns: whether that is so.
    public static func forbid() -> Bool {
        card_companion_forbid_core_dumps() == 0
    }
}
