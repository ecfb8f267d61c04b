internal import CardCompanionAPI
internal import CardCompanionModel
internal import StrictJSON

/// The request of `APIPath.keypadCoordinates`, parsed.
struct RequestedKeypad {
    /// Nil if it is not an identifier: then there is no such bank.
    let bankId: Identifier?
    /// As it was sent. It may not be an identifier: then there is no such cardholder.
    let uniqueId: String
    let size: Int

    /// Checks missing members first, then the form.
    init(_ body: borrowing JSONText) throws(DefinitionError) {
        try DefinitionChecks.requireMembers(
            [
                (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
                (MemberName.keypadSize, .missingKeypadSize),
            ], of: body)
        guard let size = body.smallInteger(MemberName.keypadSize), KeypadLayout.sizes ~= size else {
            let range = "\(KeypadLayout.sizes.lowerBound) to \(KeypadLayout.sizes.upperBound)"
            throw DefinitionError(.invalidKeypadSize, detail: "keypadSize must be an integer from \(range)")
        }
        self.size = size
        bankId = body.identifier(MemberName.bankId)
        uniqueId = body.string(MemberName.uniqueId) ?? ""
    }
}
