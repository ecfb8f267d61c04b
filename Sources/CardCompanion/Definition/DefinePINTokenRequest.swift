internal import CardCompanionAPI
internal import CardCompanionStore
internal import Cryptography
internal import JOSE
internal import StrictJSON

/// A definition by token: the request of `APIPath.definePINToken` or `APIPath.definePINIndexes`, parsed.
struct DefinePINTokenRequest {
    /// What the cardholder's choice is sent as.
    enum Entry: Equatable {
        /// The PIN itself.
        case digits
        /// Indexes into the keypad of that id, or the newest one; an id that is none names no keypad.
        case keypad(id: String?)
    }

    let token: AuthenticationToken
    let bankId: String
    let uniqueId: String
    let transactionId: String
    let timestamp: RequestTimestamp
    let certificate: AuthenticationToken.CertificateChoice
    /// Nil where it is not base64, which no key verifies.
    let signature: [UInt8]?
    let sealedChoice: JWE
    let entry: Entry

    /// A request that sends the PIN itself.
    init(pin body: borrowing JSONText) throws(DefinitionError) {
        try self.init(body, choice: MemberName.pin, entry: .digits)
    }

    /// A request that sends places on a keypad.
    init(indexes body: borrowing JSONText) throws(DefinitionError) {
        let name = MemberName.keypadId
        let keypadId = body.isMissing(name) ? nil : body.identifier(name) ?? ""
        try self.init(body, choice: MemberName.indexes, entry: .keypad(id: keypadId))
    }

    /// Checks what is missing, then forms, in the protocol's order.
    private init(_ body: borrowing JSONText, choice: String, entry: Entry) throws(DefinitionError) {
        try body.requireDefinition([
            (MemberName.token, .missingToken), (MemberName.signature, .missingSignature), (choice, .missingPIN),
        ])
        token = try AuthenticationToken.definition(body)
        try token.members.requireDefinition([
            (MemberName.idBEL, .missingBankId), (MemberName.idPorteur, .missingUniqueId),
            (MemberName.idFournisseur, .missingFournisseurId), (MemberName.idTransaction, .missingTransactionId),
            (MemberName.tokenTimestamp, .missingTimestamp), (MemberName.tokenType, .missingType),
        ])
        guard token.type == .definition else { throw DefinitionError(.invalidTokenType) }
        timestamp = try token.members.definitionTimestamp(MemberName.tokenTimestamp)
        sealedChoice = try JWE.sealed(body.string(choice), for: .ecdhESA256KW)
        guard let bankId = token.bankId, let uniqueId = token.uniqueId, token.providerId != nil,
            let transactionId = token.transactionId, let certificate = token.certificate
        else {
            throw DefinitionError(
                .invalidTokenFormat,
                detail: "a member is not a string of 1 to \(Identifier.maximumLength) printable characters")
        }
        (self.bankId, self.uniqueId, self.transactionId) = (bankId, uniqueId, transactionId)
        self.certificate = certificate
        signature = body.string(MemberName.signature).flatMap(Base64.decode)
        self.entry = entry
    }

    /// Checks the bank, its certificate, the signature and the time window.
    func authenticate(with bank: Bank?, now: Timestamp) throws(DefinitionError) -> Bank {
        let bank = try Bank.defining(bank)
        guard let certificate = bank.certificate(certificate) else {
            throw DefinitionError(.cryptoError, detail: "the bank has no such certificate")
        }
        guard let signature, certificate.verifies(signature, of: token, at: now) else {
            throw DefinitionError(.invalidSignature)
        }
        try timestamp.requireDefinitionWindow(of: bank, now: now)
        return bank
    }

    /// Until when the id is kept as spent: 5 minutes, or twice the bank's window where that is longer; and a second
    /// more, for the window goes by whole seconds.
    func transactionExpiry(of bank: Bank, now: Timestamp) -> Timestamp {
        let seconds = max(Self.spentTransactionSeconds, 2 * bank.settings.timestampToleranceSeconds) + 1
        return Timestamp(microseconds: now.microseconds + Int64(seconds) * 1_000_000)
    }

    /// The document's "last 5 minutes" of code 211.
    private static let spentTransactionSeconds = 300
}

extension AuthenticationToken {
    /// The token of a definition request.
    fileprivate static func definition(_ body: borrowing JSONText) throws(DefinitionError) -> AuthenticationToken {
        guard let text = body.secret(of: MemberName.token) else { throw DefinitionError(.invalidTokenFormat) }
        do {
            return try AuthenticationToken(text)
        } catch {
            throw DefinitionError(.invalidTokenFormat, detail: "\(error)")
        }
    }
}
