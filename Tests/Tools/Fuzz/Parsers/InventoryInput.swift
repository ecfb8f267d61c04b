import CardCompanion
import CardCompanionModel

/// The signed record of what servers rely on.
enum InventoryInput {
    private static let bank: Identifier? = Identifier("b1")

    static func read(_ bytes: [UInt8]) {
        for scope in [nil, bank] {
            guard let inventory = Inventory(bytes.text, of: scope) else { continue }
            require(inventory.text.utf8.elementsEqual(bytes.text.utf8), "a record has two forms")
        }
    }
}
