internal import CardCompanionModel
internal import CardCompanionStore

/// The vault knows no operators, but the database has approvals by operators. To go on would switch dual control off.
package struct NoOperatorRecord: Error, CustomStringConvertible {
    package let description =
        "the vault of these settings has no record of the operators, but operators have approved changes in this database: "
        + "use the vault of this database, or, if it is lost, name the operators again with 'card-companion vault init "
        + "--first-operator'"
}

extension Store {
    /// - Throws: ``NoOperatorRecord`` if there are approvals.
    package func requireNoApprovals() async throws {
        guard try await !hasApprovals() else { throw NoOperatorRecord() }
    }
}
