internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import SecureMemory
internal import StrictJSON

/// A fetch with a signed token: the request of `APIPath.tokenCaptcha`, parsed.
struct TokenFetch {
    let token: AuthenticationToken
    let bankId: Identifier
    let uniqueId: Identifier
    let transactionId: Identifier
    let timestamp: RequestTimestamp
    let certificate: AuthenticationToken.CertificateChoice
    /// Nil if it is not base64. Then no key verifies it.
    let signature: [UInt8]?
    let clientKey: P256PublicKey
    /// The key that a bound token is for.
    let binding: ProofBinding
    let hints: FetchHints

    /// Checks missing members first, then forms, in the order of the protocol.
    init(_ body: borrowing JSONText) throws(DistributionError) {
        try DistributionChecks.requireMembers(
            [
                (MemberName.token, .missingToken), (MemberName.signature, .missingSignature),
                (MemberName.ecdhPublicKey, .missingECDHPublicKey),
            ], of: body)
        token = try AuthenticationToken.distribution(body)
        try DistributionChecks.requireMembers(
            [
                (MemberName.idBEL, .missingBankId), (MemberName.idPorteur, .missingUniqueId),
                (MemberName.idFournisseur, .missingFournisseurId), (MemberName.idTransaction, .missingTransactionId),
                (MemberName.tokenTimestamp, .missingTimestamp), (MemberName.tokenType, .missingType),
            ], of: token.members)
        guard let type = token.type, type != .definition else { throw DistributionError(.invalidTokenType) }
        timestamp = try DistributionChecks.timestamp(MemberName.tokenTimestamp, of: token.members)
        let sentKey = body.string(MemberName.ecdhPublicKey)
        guard let key = P256PublicKey(clientKey: sentKey) else { throw DistributionError(.invalidECDHPublicKey) }
        (clientKey, binding) = (key, ProofBinding(toKey: sentKey))
        bankId = try token.members.requiredIdentifier(MemberName.idBEL)
        uniqueId = try token.members.requiredIdentifier(MemberName.idPorteur)
        _ = try token.members.requiredIdentifier(MemberName.idFournisseur)
        transactionId = try token.members.requiredIdentifier(MemberName.idTransaction)
        guard let certificate = token.certificate else {
            throw DistributionError(.badParameter, detail: MemberName.signatureCertAlias)
        }
        self.certificate = certificate
        signature = body.string(MemberName.signature).flatMap(Base64.decode)
        hints = FetchHints(body)
    }

    var authenticationCode: SharedSecret? {
        SharedSecret(token.members.secret(of: MemberName.authenticationCode))
    }

    var hasAuthenticationCode: Bool { !token.members.isMissing(MemberName.authenticationCode) }

    /// Checks the bank, its certificate, the signature and the time window.
    func authenticate(with bank: Bank?, at now: Timestamp) throws(DistributionError) -> Authenticated<Identifier> {
        let bank = try DistributionChecks.activeBank(bank)
        if bank.settings.scheme == .pciCPP, !hasAuthenticationCode {
            throw DistributionError(.missingAuthenticationCode)
        }
        guard let certificate = bank.certificate(certificate) else { throw DistributionError(.internalKeyNotFound) }
        guard let signature, certificate.verifies(signature, of: token, at: now) else {
            throw DistributionError(.invalidSignature)
        }
        if let fault = token.bindingFault(binding, bank.settings.bindings) {
            throw DistributionError(.invalidSignature, detail: fault)
        }
        try DistributionChecks.requireWindow(timestamp, of: bank, now: now)
        return Authenticated(
            bank: bank, uniqueId: uniqueId,
            proof: .token(token, transaction: .transaction(transactionId)), time: now)
    }
}

extension AuthenticationToken {
    static func distribution(_ body: borrowing JSONText) throws(DistributionError) -> AuthenticationToken {
        guard let text = body.secret(of: MemberName.token) else { throw DistributionError(.invalidTokenFormat) }
        do {
            return try AuthenticationToken(text)
        } catch {
            throw DistributionError(.invalidTokenFormat, detail: "\(error)")
        }
    }
}

extension P256PublicKey {
    /// A client's key: standard base64 of a SubjectPublicKeyInfo.
    convenience init?(clientKey text: String?) {
        guard let der = text.flatMap(Base64.decode) else { return nil }
        do {
            try self.init(subjectPublicKeyInfo: der)
        } catch {
            return nil
        }
    }
}
