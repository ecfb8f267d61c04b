package struct BankRecord: Sendable, Equatable {
    /// In requests: bankId, IdBEL.
    package let id: Identifier
    package let status: Activity
    package var settings: BankSettings
    /// The settings that two operators have approved, as text; nil if none have.
    package let approvedSettings: String?
    /// Grows with every change of the bank, its keys or its certificates.
    package let revision: Int64
    package let createdAt: Timestamp
    /// Requests with an earlier time are refused, because the database was restored then; nil if it never was.
    package let requestsFrom: Timestamp?

    package init(
        id: Identifier, status: Activity, settings: BankSettings, approvedSettings: String?, revision: Int64,
        createdAt: Timestamp, requestsFrom: Timestamp?
    ) {
        self.id = id
        self.status = status
        self.settings = settings
        self.approvedSettings = approvedSettings
        self.revision = revision
        self.createdAt = createdAt
        self.requestsFrom = requestsFrom
    }
}

/// A bank as requests are checked with it.
package struct BankWithKeys: Sendable {
    package let bank: BankRecord
    package let hmacKeys: [HMACKeyRecord]
    /// The key that ``BankSettings/definedPINKey`` names; nil if there is none.
    package let definedPINKey: BankKeyRecord?
    package let certificates: [CertificateRecord]
    /// The CRLs of their issuers.
    package let revocationLists: [RevocationListContents]
    /// Whether the bank has a certificate for results of document verifications, even a disabled or unapproved one. Then
    /// results are never sent unsealed.
    package let sealsResults: Bool

    package init(
        bank: BankRecord, hmacKeys: [HMACKeyRecord], definedPINKey: BankKeyRecord?, certificates: [CertificateRecord],
        revocationLists: [RevocationListContents], sealsResults: Bool
    ) {
        self.bank = bank
        self.hmacKeys = hmacKeys
        self.definedPINKey = definedPINKey
        self.certificates = certificates
        self.revocationLists = revocationLists
        self.sealsResults = sealsResults
    }
}
