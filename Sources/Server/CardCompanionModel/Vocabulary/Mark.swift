/// A numbered text by its number and its hash, as somebody can keep it elsewhere: a seal of the audit trail, or a version of the
/// inventory.
package struct Mark: Sendable, Hashable {
    package let number: Int64
    /// SHA-256.
    package let hash: [UInt8]

    package init(number: Int64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }
}
