/// An import of a key in components: what the key will be, and who began the import.
package struct KeyImportRecord: Sendable, Equatable {
    package let label: String
    package let usage: BankKeyUsage
    package let algorithm: BankKeyAlgorithm
    /// Nil for an HMAC key.
    package let direction: BankKeyDirection?
    /// How many components the key has.
    package let componentCount: Int
    /// The operator who has entered the first one.
    package let begunBy: String
    package let expiresAt: Timestamp

    package init(
        label: String, usage: BankKeyUsage, algorithm: BankKeyAlgorithm, direction: BankKeyDirection?,
        componentCount: Int, begunBy: String, expiresAt: Timestamp
    ) {
        self.label = label
        self.usage = usage
        self.algorithm = algorithm
        self.direction = direction
        self.componentCount = componentCount
        self.begunBy = begunBy
        self.expiresAt = expiresAt
    }
}

/// A component that a custodian has entered.
package struct KeyComponentRecord: Sendable {
    /// From 1, in the order of entry.
    package let number: Int
    package let sealedComponent: [UInt8]
    /// The custodian, by their login on the machine.
    package let enteredBy: String

    package init(number: Int, sealedComponent: [UInt8], enteredBy: String) {
        self.number = number
        self.sealedComponent = sealedComponent
        self.enteredBy = enteredBy
    }
}

/// An import that is under way, for a list.
package struct PendingKey: Sendable {
    package let keyImport: KeyImportRecord
    /// Who has entered each component, in the order of entry.
    package let custodians: [String]

    package init(keyImport: KeyImportRecord, custodians: [String]) {
        self.keyImport = keyImport
        self.custodians = custodians
    }
}
