/// A version of the installation's inventory, as it is stored.
package struct InventoryRecord: Sendable, Equatable {
    package let version: Int64
    /// The text.
    package let contents: String
    /// Key id and MAC of the text's hash.
    package let mac: [UInt8]

    package init(version: Int64, contents: String, mac: [UInt8]) {
        self.version = version
        self.contents = contents
        self.mac = mac
    }
}

/// A version of a bank's inventory, as it is stored. The installation's inventory has its hash.
package struct BankInventoryRecord: Sendable, Equatable {
    package let bankId: Identifier
    package let version: Int64
    package let contents: String

    package init(bankId: Identifier, version: Int64, contents: String) {
        self.bankId = bankId
        self.version = version
        self.contents = contents
    }
}

/// The next version of the installation's inventory, with those of the banks that change.
package struct NewInventory: Sendable {
    package let installation: InventoryRecord
    package let banks: [BankInventoryRecord]

    package init(installation: InventoryRecord, banks: [BankInventoryRecord]) {
        self.installation = installation
        self.banks = banks
    }
}
