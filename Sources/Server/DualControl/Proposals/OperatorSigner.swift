package import CardCompanion

/// An operator who can sign, with their key in a file or on a token.
package protocol OperatorSigner: Sendable {
    /// Nil if nobody has named themselves.
    var name: String? { get }

    /// - Throws: an error if there is no operator with a key.
    func requireSigner() throws

    /// Signs a statement.
    ///
    /// - Throws: an error if the key is not that of an operator of the roster.
    func sign(_ statement: ApprovalStatement, in roster: OperatorRoster) async throws -> OperatorSignature
}
