internal import EIDInterface

/// A reader of the simulation, with or without a card.
struct SimulatedReader: Sendable {
    let name: String
    let hasKeypad: Bool
    let isInsertable: Bool
    var isAttached: Bool
    var card: SimulatedCard?

    /// The reader as READER shows it.
    var message: ReaderMessage {
        guard isAttached else { return ReaderMessage(name: name, insertable: isInsertable, attached: false) }
        return ReaderMessage(name: name, insertable: isInsertable, keypad: hasKeypad, card: card?.description)
    }
}
