internal import CardCompanionAPI
internal import CardCompanionStore
internal import Cryptography
internal import KeyVault
internal import SecureMemory
internal import StrictJSON

/// A fetch by signed token: the request of `APIPath.tokenCaptcha`, parsed.
struct TokenCaptchaRequest {
    let token: AuthenticationToken
    let bankId: String
    let uniqueId: String
    let transactionId: String
    let timestamp: RequestTimestamp
    let isReminder: Bool
    let certificate: AuthenticationToken.CertificateChoice
    /// Nil where it is not base64, which no key verifies.
    let signature: [UInt8]?
    let clientKey: P256PublicKey

    /// Checks what is missing, then forms, in the protocol's order.
    init(_ body: borrowing JSONText) throws(DistributionError) {
        try body.requireDistribution([
            (MemberName.token, .missingToken), (MemberName.signature, .missingSignature),
            (MemberName.ecdhPublicKey, .missingECDHPublicKey),
        ])
        token = try AuthenticationToken.distribution(body)
        try token.members.requireDistribution([
            (MemberName.idBEL, .missingBankId), (MemberName.idPorteur, .missingUniqueId),
            (MemberName.idFournisseur, .missingFournisseurId), (MemberName.idTransaction, .missingTransactionId),
            (MemberName.tokenTimestamp, .missingTimestamp), (MemberName.tokenType, .missingType),
        ])
        guard let type = token.type, type != .definition else { throw DistributionError(.invalidTokenType) }
        isReminder = type == .reminder
        timestamp = try token.members.timestamp(MemberName.tokenTimestamp)
        guard let key = P256PublicKey(clientKey: body.string(MemberName.ecdhPublicKey)) else {
            throw DistributionError(.invalidECDHPublicKey)
        }
        clientKey = key
        bankId = try token.members.requiredIdentifier(MemberName.idBEL)
        uniqueId = try token.members.requiredIdentifier(MemberName.idPorteur)
        _ = try token.members.requiredIdentifier(MemberName.idFournisseur)
        transactionId = try token.members.requiredIdentifier(MemberName.idTransaction)
        guard let certificate = token.certificate else {
            throw DistributionError(.badParameter, detail: MemberName.signatureCertAlias)
        }
        self.certificate = certificate
        signature = body.string(MemberName.signature).flatMap(Base64.decode)
    }

    /// The token's authentication code.
    var authenticationCode: SharedSecret? {
        SharedSecret(token.members.secret(of: MemberName.authenticationCode))
    }

    /// Whether the token carries an authentication code.
    var hasAuthenticationCode: Bool { !token.members.isMissing(MemberName.authenticationCode) }

    /// Checks the bank, its certificate, the signature and the time window.
    func authenticate(with bank: Bank?, now: Timestamp) throws(DistributionError) -> Bank {
        let bank = try Bank.active(bank)
        if bank.settings.scheme == .pciCPP, !hasAuthenticationCode {
            throw DistributionError(.missingAuthenticationCode)
        }
        guard let certificate = bank.certificate(certificate) else { throw DistributionError(.internalKeyNotFound) }
        guard let signature, certificate.verifies(signature, of: token, at: now) else {
            throw DistributionError(.invalidSignature)
        }
        try timestamp.requireWindow(of: bank, now: now)
        return bank
    }

    /// What to ask of the store.
    func fetch(
        with bank: Bank, code: FetchedPINRequest.Code, session: NewSession, keyring: Keyring
    ) -> FetchedPINRequest {
        let mac = keyring.authenticationCode(for: token.members.bytes, in: .sessionToken(session.id))
        return FetchedPINRequest(
            bankId: bank.id, bankRevision: bank.revision, uniqueId: uniqueId,
            proof: .token(isReminder: isReminder, idTransaction: transactionId, mac: mac), code: code,
            sessionId: session.id, confirmations: session.confirmations(bankId: bankId, uniqueId: uniqueId))
    }
}

extension AuthenticationToken {
    /// The token of a distribution request.
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

extension SealedPlace {
    /// A token's MAC belongs to its session, so that equal tokens do not show as equal.
    static func sessionToken(_ sessionId: String) -> SealedPlace {
        SealedPlace("delivery_session.token_mac", row: sessionId)
    }
}
