package import CardCompanionModel

/// The inventory in the database is not the one that is known, or nobody who has the vault has made it.
package struct InventoryFault: Error, Equatable, CustomStringConvertible {
    package enum Finding: Equatable, Sendable {
        /// The newest versions are missing.
        case older
        /// The version that is known is another one.
        case other
        /// Versions are missing between the known one and the newest.
        case incomplete
        /// It has no MAC by a key of this vault, or its text was changed.
        case forged
    }

    package let finding: Finding
    /// The newest version that is known; nil if none is.
    package let known: Mark?
    /// The newest version in the database; nil if there is none.
    package let found: Mark?

    init(_ finding: Finding, known: Mark?, found: Mark?) {
        self.finding = finding
        self.known = known
        self.found = found
    }

    package var description: String {
        let what =
            switch finding {
            case .older: "its newest versions are missing"
            case .other: "the version that is known is another one"
            case .incomplete: "versions are missing after the one that is known"
            case .forged: "it was not made with a key of this vault, or it was changed"
            }
        return
            "The inventory in the database is not the one that is known: \(what). Known is \(known?.text ?? "none"), the database has "
            + (found?.text ?? "none")
    }

    package var remedy: String {
        guard finding != .forged, let known, let found else {
            return "find out who or what has changed it, and restore the table 'inventory' from a backup"
        }
        return
            "find out who or what has changed it. If you have restored a backup, go on with it: 'card-companion inventory accept --lost "
            + "\(known.text) --found \(found.text) --reason …'"
    }
}

/// A bank's part of the inventory is missing in the database, or was changed.
package struct DamagedBankInventory: Error, Equatable, CustomStringConvertible {
    package let bankId: Identifier
    let version: String

    package var description: String {
        "version \(version) of the inventory of bank '\(bankId)' is missing in the database, or was changed, so that nothing of the "
            + "bank counts: restore its row of the table 'bank_inventory' from a backup"
    }
}
