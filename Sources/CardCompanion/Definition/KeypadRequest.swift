internal import CardCompanionAPI
internal import StrictJSON

/// A request for a keypad: the request of `APIPath.keypadCoordinates`, parsed.
struct KeypadRequest {
    let bankId: String
    let uniqueId: String
    let size: Int

    /// Checks what is missing, then the form.
    init(_ body: borrowing JSONText) throws(DefinitionError) {
        try body.requireDefinition([
            (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
            (MemberName.keypadSize, .missingKeypadSize),
        ])
        guard let size = body.smallInteger(MemberName.keypadSize), KeypadLayout.sizes ~= size else {
            let range = "\(KeypadLayout.sizes.lowerBound) to \(KeypadLayout.sizes.upperBound)"
            throw DefinitionError(.invalidKeypadSize, detail: "not an integer of \(range)")
        }
        self.size = size
        bankId = body.identifier(MemberName.bankId) ?? ""
        uniqueId = body.identifier(MemberName.uniqueId) ?? ""
    }
}
