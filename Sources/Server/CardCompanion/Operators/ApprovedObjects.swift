internal import CardCompanionModel
package import CardCompanionStore

extension OperatorRoster {
    /// Those of the listed objects that need no approval or have one of two of these operators.
    ///
    /// - Parameters:
    ///   - listed: objects with their entries in the inventory.
    ///   - verified: the objects of approvals that were verified before, by id. Others are added.
    package func approved(
        _ listed: [InventoryObject: Inventory.Entry], in store: Store, verified: inout [String: Set<[UInt8]>]
    ) async throws(StoreError) -> Set<InventoryObject> {
        let ids = Set(listed.filter { $0.key.inventoryName.kind.canBeApproved }.values.compactMap(\.approvalId))
        for record in try await store.approvals(ids: Array(ids.subtracting(verified.keys))) {
            // What does not verify is not remembered: the right approval may still come.
            let digests = record.approvedDigests(in: self)
            if !digests.isEmpty { verified[record.id] = digests }
        }
        return Set(
            listed.filter { object, entry in
                guard object.inventoryName.kind.canBeApproved else { return true }
                return entry.approvalId.flatMap { verified[$0] }?.contains(object.digest) ?? false
            }.keys)
    }
}

extension ApprovalRecord {
    /// The objects that it really approves.
    fileprivate func approvedDigests(in roster: OperatorRoster) -> Set<[UInt8]> {
        let first = OperatorSignature(operatorName: firstOperator, signature: firstSignature)
        let second = OperatorSignature(operatorName: secondOperator, signature: secondSignature)
        guard let statement = ApprovalStatement(statement), statement.id == id,
            let approval = try? Approval(statement, first, second, in: roster)
        else { return [] }
        return Set(approval.statement.objectDigests)
    }
}
