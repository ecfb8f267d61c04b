/// What a call of a bank's back-end needs to know about the bank. It does not change. It is a class, because it is large and
/// passes through many calls.
package final class IssuerBank: Sendable {
    package let id: Identifier
    /// See ``BankRecord/revision``.
    package let revision: Int64
    package let status: Activity
    package let settings: BankSettings
    /// See ``BankRecord/requestsFrom``.
    package let requestsFrom: Timestamp?
    /// SHA-256 of each client certificate that is active and not revoked (mutual TLS).
    package let clientCertificates: [[UInt8]]

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
    package convenience init(_ found: BankWithKeys) {
        let bank = found.bank
        self.init(
            id: bank.id, revision: bank.revision, status: bank.status, settings: bank.settings,
            requestsFrom: bank.requestsFrom,
            clientCertificates: found.certificates.filter { $0.purpose == .client && $0.status == .active }
                .map(\.fingerprint))
    }

    /// The bank without the client certificates that `caller`, a later reading of the same bank, lacks.
    package func limited(to caller: CallingBank) -> IssuerBank {
        let remaining = clientCertificates.filter(caller.clientCertificates.contains)
        guard remaining.count < clientCertificates.count else { return self }
        return IssuerBank(
            id: id, revision: revision, status: status, settings: settings, requestsFrom: requestsFrom,
            clientCertificates: remaining)
    }
}
