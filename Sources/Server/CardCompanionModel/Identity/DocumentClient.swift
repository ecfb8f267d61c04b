/// An app that can verify documents.
package struct DocumentClientRecord: Sendable, Equatable {
    /// `clientId`: unique among all banks. It is not secret.
    package let clientId: String
    package let bankId: Identifier
    /// Whether its sessions need no check of a cardholder. Their documents are verified and the results posted, nothing more.
    package let isUnbound: Bool
    /// Where results are posted; nil: nowhere.
    package let resultURL: String?
    /// Whether the URL may point into a private network.
    package let resultIsPrivate: Bool
    package let status: Activity
    package let createdAt: Timestamp

    package init(
        clientId: String, bankId: Identifier, isUnbound: Bool, resultURL: String?, resultIsPrivate: Bool,
        status: Activity, createdAt: Timestamp
    ) {
        self.clientId = clientId
        self.bankId = bankId
        self.isUnbound = isUnbound
        self.resultURL = resultURL
        self.resultIsPrivate = resultIsPrivate
        self.status = status
        self.createdAt = createdAt
    }
}

/// A client, with revisions that tell whether a server's memory of the bank, or of what it trusts, is out of date.
package struct CurrentDocumentClient: Sendable {
    package let client: DocumentClientRecord
    package let bankRevision: Int64
    /// Changes whenever what the bank trusts changes; nil if it trusts no one.
    package let trustRevision: String?

    package init(client: DocumentClientRecord, bankRevision: Int64, trustRevision: String?) {
        self.client = client
        self.bankRevision = bankRevision
        self.trustRevision = trustRevision
    }
}
