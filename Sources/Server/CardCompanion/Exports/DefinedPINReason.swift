package import CardCompanionModel

/// The rules of a reason why the issuer's host does not have a PIN. Operators see it on a terminal, so it is one line. It must not
/// have the card in it.
package enum DefinedPINReason {
    /// What is wrong with a reason, to follow its name.
    ///
    /// - Parameter text: nil if it is not a text.
    /// - Returns: empty if nothing is.
    package static func problems(of text: String?, stage: DefinedPINStage?) -> [String] {
        guard let text, !text.isEmpty, text.unicodeScalars.count <= DefinedPINState.reasonLimit,
            !text.unicodeScalars.contains(where: isHidden)
        else { return ["must be one line of text, of at most \(DefinedPINState.reasonLimit) characters"] }
        var problems: [String] = []
        if stage != .failed { problems.append("is for the state failed only") }
        if PrimaryAccountNumber.isContained(in: Array(text.utf8)) { problems.append("must not contain a card number") }
        return problems
    }

    /// Whether a scalar can end a line, or change the order of what is shown.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
