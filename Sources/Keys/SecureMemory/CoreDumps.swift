internal import CLinux

/// Core dumps, which would contain the secrets of the process.
package enum CoreDumps {
    /// From now on, the kernel writes no core dump of this process, and other processes of its user cannot read its
    /// memory.
    ///
    /// - Returns: whether this succeeded.
    package static func forbid() -> Bool {
        card_companion_forbid_core_dumps() == 0
    }
}
