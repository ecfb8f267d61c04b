/// Why the present state does not allow an import of a key.
package enum KeyImportRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    case labelTaken(String)
    /// This bank or another one has the same key.
    case keyTaken
    /// Nothing is under way under that label.
    case unknown(String)
    /// The import that is under way is of another kind, or has another number of components.
    case otherImport(String)
    case complete(String)
    case incomplete(entered: Int, count: Int)
    /// Somebody else has changed the import in the same moment.
    case overtaken
    /// The operator is not another one than the one who began.
    case sameOperator
    case otherCheckValue
    case noProtectionKey(String)
    case disabledProtectionKey(String)

    package var description: String {
        switch self {
        case .labelTaken(let label): "the bank already has a key '\(label)'"
        case .keyTaken:
            "this key was imported before, by this bank or by another one: each bank and each usage needs a key of its own. "
                + "'card-companion key remove' erases one that was imported by mistake"
        case .unknown(let label): "no components of a key '\(label)' are there: they expire after a day"
        case .otherImport(let label):
            "custodians are entering a key '\(label)' with another usage, algorithm, direction or number of components: use "
                + "the same options, another label, or give that import up with 'card-companion key remove'"
        case .complete(let label):
            "all components of the key '\(label)' are in: confirm it with 'card-companion key confirm'"
        case .incomplete(let entered, let count): "only \(entered) of \(count) components of the key are in"
        case .overtaken: "somebody else has just changed this import: try again"
        case .sameOperator: "the key must be confirmed by another operator than the one who entered the first component"
        case .otherCheckValue:
            "the key has another check value than the one that you confirm: compare those of the components, give the import up "
                + "with 'card-companion key remove', and begin anew"
        case .noProtectionKey(let label):
            "the bank has no key '\(label)' of usage key-block: see 'card-companion key list'"
        case .disabledProtectionKey(let label): "the key '\(label)' is disabled"
        }
    }
}
