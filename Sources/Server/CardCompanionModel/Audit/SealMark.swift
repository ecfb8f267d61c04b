/// A seal of the audit trail by its number and its hash, as somebody can keep it elsewhere.
package struct SealMark: Sendable, Hashable {
    package let number: Int64
    package let hash: [UInt8]

    package init(number: Int64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }
}
