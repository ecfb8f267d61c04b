internal import CardCompanion
internal import CardCompanionModel

extension TestInstallation {
    /// Lets a bank alone trust a master list.
    ///
    /// - Parameter root: the certificate above the list's signer, in DER.
    package func importTrustList(_ list: [UInt8], root: [UInt8], for bank: TestBank) async throws {
        let isMade = try await makes(for: bank.id) { try await $0.importTrustList(list, root: root, to: $1) }
        guard isMade else { throw SetupFailed(description: "only the command can import this trust list") }
    }

    /// Registers an app of a bank that verifies documents.
    ///
    /// - Parameter resultURL: where results are posted; nil for nowhere. It can be in a private network.
    package func addDocumentClient(_ clientId: String, resultURL: String? = nil, to bank: TestBank) async throws {
        let isMade = try await makes(for: bank.id) { setup, id in
            try await setup.addDocumentClient(
                DocumentClientRecord(
                    clientId: clientId, bankId: id, isUnbound: false, resultURL: resultURL,
                    resultIsPrivate: resultURL != nil, status: .active, createdAt: setup.clock.now()))
        }
        guard isMade else { throw SetupFailed(description: "only the command can add this client") }
    }
}
