package import Administration
internal import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// A proposed change, as the list of those that wait shows it.
package struct WaitingChange: Sendable {
    package let proposal: ProposedChange
    /// Both are nil if this program does not know the change.
    package let bankId: Identifier?
    package let subject: String?
    /// The PKCS#11 module that the change loads, if that is not the one of the settings.
    package let modulePath: String?

    init(_ proposal: ProposedChange) {
        self.proposal = proposal
        let change: (any Change)? = Changes.type(of: proposal.action).flatMap {
            try? Changes.decode($0, from: proposal.change)
        }
        bankId = change?.bankId
        subject = change?.subject
        modulePath = change?.modulePath
    }

    /// What waits, who has proposed it, and until when it can be approved.
    package var text: String {
        let about = subject.map { " of '\(ClientText.printable($0))'" } ?? ""
        return "'\(proposal.action)'\(about), proposed by \(proposal.operatorName), waits for another operator until "
            + proposal.expiresAt.text
    }

    /// Whether it is the same command about the same subject.
    func hasSubject<C: Change>(of change: C) -> Bool {
        proposal.action == C.command && bankId == change.bankId && subject == change.subject
    }
}

extension Installation {
    /// Changes that wait for another operator, the oldest first.
    package func waitingChanges() async throws -> [WaitingChange] {
        try await store.proposedChanges(now: clock.now()).map(WaitingChange.init)
    }

    /// - Throws: ``CommandError`` if no such change waits.
    package func waitingChange(_ id: String) async throws -> WaitingChange {
        guard let waiting = try await waitingChanges().first(where: { $0.proposal.id == id }) else {
            throw CommandError.notFound("no change '\(id)' waits for an operator: see 'card-companion approve'")
        }
        return waiting
    }
}
