internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import JOSE
internal import StrictJSON

/// A definition with a signed token: the request of `APIPath.definePINToken` or `APIPath.definePINIndexes`, parsed.
struct TokenDefinition {
    /// How the cardholder's choice is sent.
    enum Entry: Equatable {
        /// The PIN itself.
        case digits
        /// Indexes into a keypad; nil if the request names none.
        case indexes(keypadId: String?)

        var kind: AuthorizedDefinition.Entry { self == .digits ? .digits : .indexes }
    }

    let token: AuthenticationToken
    let bankId: Identifier
    let uniqueId: Identifier
    let transactionId: Identifier
    let timestamp: RequestTimestamp
    let certificate: AuthenticationToken.CertificateChoice
    /// Nil if it is not base64. Then no key verifies it.
    let signature: [UInt8]?
    let sealedChoice: JWE
    /// The sealed choice that a bound token is for.
    let proofBinding: ProofBinding
    let entry: Entry

    /// A request that sends the PIN itself.
    init(pin body: borrowing JSONText) throws(DefinitionError) {
        try self.init(body, choice: MemberName.pin, entry: .digits)
    }

    /// A request that sends indexes into a keypad.
    init(indexes body: borrowing JSONText) throws(DefinitionError) {
        let keypadId = body.isMissing(MemberName.keypadId) ? nil : body.string(MemberName.keypadId)
        try self.init(body, choice: MemberName.indexes, entry: .indexes(keypadId: keypadId))
    }

    /// Checks missing members first, then forms, in the order of the protocol.
    private init(_ body: borrowing JSONText, choice: String, entry: Entry) throws(DefinitionError) {
        try DefinitionChecks.requireMembers(
            [
                (MemberName.token, .missingToken), (MemberName.signature, .missingSignature), (choice, .missingPIN),
            ], of: body)
        token = try AuthenticationToken.definition(body)
        try DefinitionChecks.requireMembers(
            [
                (MemberName.idBEL, .missingBankId), (MemberName.idPorteur, .missingUniqueId),
                (MemberName.idFournisseur, .missingFournisseurId), (MemberName.idTransaction, .missingTransactionId),
                (MemberName.tokenTimestamp, .missingTimestamp), (MemberName.tokenType, .missingType),
            ], of: token.members)
        guard token.type == .definition else { throw DefinitionError(.invalidTokenType) }
        timestamp = try DefinitionChecks.timestamp(MemberName.tokenTimestamp, of: token.members)
        let compact = body.string(choice)
        sealedChoice = try JWE.sealed(compact, for: .ecdhESA256KW)
        proofBinding = ProofBinding(toSealed: compact)
        guard let bankId = token.bankId, let uniqueId = token.uniqueId, token.providerId != nil,
            let transactionId = token.transactionId, let certificate = token.certificate
        else {
            throw DefinitionError(
                .invalidTokenFormat, detail: "each name in the token must be a string of \(Identifier.rule)")
        }
        (self.bankId, self.uniqueId, self.transactionId) = (bankId, uniqueId, transactionId)
        self.certificate = certificate
        signature = body.string(MemberName.signature).flatMap(Base64.decode)
        self.entry = entry
    }

    /// What the header of the sealed choice must say.
    var binding: RequiredBinding {
        switch entry {
        case .digits:
            RequiredBinding(.pin, bankId: bankId, uniqueId: uniqueId.text, requestId: transactionId.text)
        case .indexes(let keypadId):
            RequiredBinding(
                .indexes, bankId: bankId, uniqueId: uniqueId.text, requestId: transactionId.text, keypadId: keypadId)
        }
    }

    /// Checks the bank, its certificate, the signature and the time window.
    func authenticate(with bank: Bank?, at now: Timestamp) throws(DefinitionError) -> Authenticated<Identifier?> {
        let bank = try DefinitionChecks.activeBank(bank)
        guard let certificate = bank.certificate(certificate) else {
            throw DefinitionError(.cryptoError, detail: "the bank has no such certificate")
        }
        guard let signature, certificate.verifies(signature, of: token, at: now) else {
            throw DefinitionError(.invalidSignature)
        }
        if let fault = token.bindingFault(proofBinding, bank.settings.bindings) {
            throw DefinitionError(.invalidSignature, detail: fault)
        }
        try DefinitionChecks.requireWindow(timestamp, of: bank, now: now)
        return Authenticated(
            bank: bank, uniqueId: uniqueId,
            proof: .token(token, transaction: .transaction(transactionId)), time: now)
    }
}

extension AuthenticationToken {
    fileprivate static func definition(_ body: borrowing JSONText) throws(DefinitionError) -> AuthenticationToken {
        guard let text = body.secret(of: MemberName.token) else { throw DefinitionError(.invalidTokenFormat) }
        do {
            return try AuthenticationToken(text)
        } catch {
            throw DefinitionError(.invalidTokenFormat, detail: "\(error)")
        }
    }
}
