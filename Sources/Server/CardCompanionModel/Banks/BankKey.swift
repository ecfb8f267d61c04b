/// A bank's key for PIN blocks, key blocks or the issuer's host.
package struct BankKeyRecord: Sendable {
    package let label: String
    package let usage: BankKeyUsage
    package let algorithm: BankKeyAlgorithm
    package let direction: BankKeyDirection
    /// What operators have fixed with a key for the issuer's host; nil for other keys.
    package let rules: String?
    package let sealedKey: [UInt8]
    package let status: Activity

    package init(
        label: String, usage: BankKeyUsage, algorithm: BankKeyAlgorithm, direction: BankKeyDirection, rules: String?,
        sealedKey: [UInt8], status: Activity
    ) {
        self.label = label
        self.usage = usage
        self.algorithm = algorithm
        self.direction = direction
        self.rules = rules
        self.sealedKey = sealedKey
        self.status = status
    }

    /// Whether PINs can be sent to the bank under it, as PIN blocks of format 1.
    package var makesPINBlocks: Bool {
        status == .active && usage == .pinEncryption && algorithm == .tripleDES && direction != .decrypt
    }
}

/// A bank's key of any kind, as a list shows it.
package struct ListedKey: Sendable {
    package let label: String
    /// The key check value, in hex.
    package let kcv: String
    package let usage: BankKeyUsage
    package let algorithm: BankKeyAlgorithm
    /// Nil for an HMAC key.
    package let direction: BankKeyDirection?
    /// Of a key for the issuer's host.
    package let rules: String?
    package let status: Activity
    package let createdAt: Timestamp

    package init(
        label: String, kcv: String, usage: BankKeyUsage, algorithm: BankKeyAlgorithm, direction: BankKeyDirection?,
        rules: String?, status: Activity, createdAt: Timestamp
    ) {
        self.label = label
        self.kcv = kcv
        self.usage = usage
        self.algorithm = algorithm
        self.direction = direction
        self.rules = rules
        self.status = status
        self.createdAt = createdAt
    }
}

/// A key for PIN blocks, key blocks or the issuer's host to add to a bank.
package struct NewBankKey: Sendable {
    package let usage: BankKeyUsage
    package let algorithm: BankKeyAlgorithm
    package let direction: BankKeyDirection
    /// See ``BankKeyRecord/rules``.
    package let rules: String?
    package let kcv: String
    package let sealedKey: [UInt8]

    package init(
        usage: BankKeyUsage, algorithm: BankKeyAlgorithm, direction: BankKeyDirection, rules: String?, kcv: String,
        sealedKey: [UInt8]
    ) {
        self.usage = usage
        self.algorithm = algorithm
        self.direction = direction
        self.rules = rules
        self.kcv = kcv
        self.sealedKey = sealedKey
    }
}
