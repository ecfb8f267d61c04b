/// The name of a new key, and the MACs that find the same key again.
package struct NewKeyIdentity: Sendable {
    package let bankId: Identifier
    package let label: String
    /// The key's MAC.
    package let mac: [UInt8]
    /// The MACs that the same key can have: under each data key, and as a key of each algorithm.
    package let possibleMACs: [[UInt8]]

    package init(bankId: Identifier, label: String, mac: [UInt8], possibleMACs: [[UInt8]]) {
        self.bankId = bankId
        self.label = label
        self.mac = mac
        self.possibleMACs = possibleMACs
    }
}

/// How an import of a key ended.
package enum NewKeyOutcome: Sendable {
    case added
    /// The bank already has a key with that label.
    case labelTaken
    /// This bank or another one already has the same key.
    case keyTaken
}

/// A key whose MAC must be made again.
package struct OutdatedIdentity: Sendable {
    package let bankId: Identifier
    package let label: String
    package let algorithm: BankKeyAlgorithm
    package let sealedKey: [UInt8]
    package let mac: [UInt8]

    package init(bankId: Identifier, label: String, algorithm: BankKeyAlgorithm, sealedKey: [UInt8], mac: [UInt8]) {
        self.bankId = bankId
        self.label = label
        self.algorithm = algorithm
        self.sealedKey = sealedKey
        self.mac = mac
    }
}
