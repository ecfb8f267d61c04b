/// Why the present state does not allow an import of a key.
package enum KeyImportRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case labelTaken(String)
    /// This bank or another one has the same key.
    case keyTaken
    /// No import is under way for this label.
    case unknown(String)
    /// The import that is under way is of another kind, or has another number of components.
    case otherImport(String)
    case complete(String)
    case incomplete(entered: Int, count: Int)
    /// Someone else changed the import at the same moment.
    case overtaken
    /// The operator is the one who began the import.
    case sameOperator
    /// Under dual control nobody may enter all components.
    case sameCustodian
    case otherCheckValue
    case noProtectionKey(String)
    case disabledProtectionKey(String)

    package var description: String {
        switch self {
        case .labelTaken(let label): "the bank already has a key '\(label)'"
        case .keyTaken:
            "this key was imported before, by this bank or by another one: each bank and each usage needs a key of its own. "
                + "'card-companion key remove' erases one that was imported by mistake"
        case .unknown(let label): "the bank has no components of a key '\(label)': they expire after a day"
        case .otherImport(let label):
            "custodians are entering a key '\(label)' with another usage, algorithm, direction or number of components: use "
                + "the same options, another label, or give up that import with 'card-companion key remove'"
        case .complete(let label):
            "all components of the key '\(label)' are entered: confirm it with 'card-companion key confirm'"
        case .incomplete(let entered, let count): "only \(entered) of \(count) components of the key are entered"
        case .overtaken: "someone else has just changed this import: try again"
        case .sameOperator: "another operator must confirm the key: not the one who entered the first component"
        case .sameCustodian:
            "you have entered all other components of this key: under dual control another person must enter this one"
        case .otherCheckValue:
            "the key has another check value than the one that you confirm: compare the check values of the components, give up "
                + "the import with 'card-companion key remove', and start again"
        case .noProtectionKey(let label):
            "the bank has no key '\(label)' of usage key-block: see 'card-companion key list'"
        case .disabledProtectionKey(let label): "the key '\(label)' is disabled"
        }
    }
}
