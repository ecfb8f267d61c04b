/// A key that a bank's back-end makes its hashMac with.
package struct HMACKeyRecord: Sendable {
    package let label: String
    /// The key check value: six hex digits.
    package let kcv: String
    package let usage: HMACKeyUsage
    package let sealedKey: [UInt8]
    package let status: Activity
    package let createdAt: Timestamp

    package init(
        label: String, kcv: String, usage: HMACKeyUsage, sealedKey: [UInt8], status: Activity, createdAt: Timestamp
    ) {
        self.label = label
        self.kcv = kcv
        self.usage = usage
        self.sealedKey = sealedKey
        self.status = status
        self.createdAt = createdAt
    }
}

/// An HMAC key to add to a bank.
package struct NewHMACKey: Sendable {
    package let usage: HMACKeyUsage
    package let kcv: String
    package let sealedKey: [UInt8]

    package init(usage: HMACKeyUsage, kcv: String, sealedKey: [UInt8]) {
        self.usage = usage
        self.kcv = kcv
        self.sealedKey = sealedKey
    }
}
