/// What a call of a bank's back-end needs to know about the bank.
package struct IssuerBank: Sendable {
    package let id: Identifier
    /// See ``BankRecord/revision``.
    package let revision: Int64
    package let status: Activity
    package let settings: BankSettings
    /// See ``BankRecord/requestsFrom``.
    package let requestsFrom: Timestamp?
    /// SHA-256 of each client certificate that is active and not revoked (mutual TLS).
    package private(set) var clientCertificates: [[UInt8]]

    package init(
        id: Identifier, revision: Int64, status: Activity, settings: BankSettings, requestsFrom: Timestamp?,
        clientCertificates: [[UInt8]]
    ) {
        self.id = id
        self.revision = revision
        self.status = status
        self.settings = settings
        self.requestsFrom = requestsFrom
        self.clientCertificates = clientCertificates
    }

    /// Takes the bank from what was read with its keys. It does not check whether certificates are revoked.
    package init(_ found: BankWithKeys) {
        let bank = found.bank
        self.init(
            id: bank.id, revision: bank.revision, status: bank.status, settings: bank.settings,
            requestsFrom: bank.requestsFrom,
            clientCertificates: found.certificates.filter { $0.purpose == .client && $0.status == .active }
                .map(\.fingerprint))
    }

    /// The bank without the client certificates that `other`, a second reading of the same bank, lacks.
    package func limited(to other: IssuerBank) -> IssuerBank {
        var bank = self
        bank.clientCertificates.removeAll { !other.clientCertificates.contains($0) }
        return bank
    }
}
