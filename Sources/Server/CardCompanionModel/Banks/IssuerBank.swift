/// What a call of a bank's back-end needs to know about the bank.
package struct IssuerBank: Sendable {
    package let id: Identifier
    /// See ``BankRecord/revision``.
    package let revision: Int64
    package let status: Activity
    /// In digits.
    package let pinLengths: ClosedRange<Int>
    package let codeAlphabet: CodeAlphabet
    /// In characters.
    package let codeLengths: ClosedRange<Int>
    package let sealedValues: SealedValueRule
    package let checksUniqueIds: Bool
    /// The formats of PIN blocks that the bank may send.
    package let pinBlocks: Set<PINBlockKind>
    /// See ``BankRecord/requestsFrom``.
    package let requestsFrom: Timestamp?
    /// SHA-256 of each client certificate that is active and not revoked (mutual TLS).
    package private(set) var clientCertificates: [[UInt8]]

    package init(
        id: Identifier, revision: Int64, status: Activity, pinLengths: ClosedRange<Int>, codeAlphabet: CodeAlphabet,
        codeLengths: ClosedRange<Int>, sealedValues: SealedValueRule, checksUniqueIds: Bool,
        pinBlocks: Set<PINBlockKind>, requestsFrom: Timestamp?, clientCertificates: [[UInt8]]
    ) {
        self.id = id
        self.revision = revision
        self.status = status
        self.pinLengths = pinLengths
        self.codeAlphabet = codeAlphabet
        self.codeLengths = codeLengths
        self.sealedValues = sealedValues
        self.checksUniqueIds = checksUniqueIds
        self.pinBlocks = pinBlocks
        self.requestsFrom = requestsFrom
        self.clientCertificates = clientCertificates
    }

    /// Takes the bank from what was read with its keys. It does not check whether certificates are revoked.
    package init(_ found: BankWithKeys) {
        let (bank, settings) = (found.bank, found.bank.settings)
        id = bank.id
        revision = bank.revision
        status = bank.status
        pinLengths = settings.pinMinimumLength...settings.pinMaximumLength
        codeAlphabet = settings.codeAlphabet
        codeLengths = settings.codeMinimumLength...settings.codeMaximumLength
        sealedValues = settings.sealedValues
        checksUniqueIds = settings.checksUniqueIds
        pinBlocks = settings.pinBlocks
        requestsFrom = bank.requestsFrom
        clientCertificates = found.certificates.filter { $0.purpose == .client && $0.status == .active }
            .map(\.fingerprint)
    }

    /// The bank without the client certificates that `other`, a second reading of the same bank, lacks.
    package func limited(to other: IssuerBank) -> IssuerBank {
        var bank = self
        bank.clientCertificates.removeAll { !other.clientCertificates.contains($0) }
        return bank
    }
}
