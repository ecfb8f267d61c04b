internal import CardCompanionAPI
internal import CardCompanionStore
internal import Cryptography
internal import SecureMemory
internal import StrictJSON

/// A fetch by authentication code: the request of `APIPath.captcha`, parsed.
struct CaptchaRequest {
    let bankId: String
    let uniqueId: String
    let timestamp: RequestTimestamp
    /// Nil where it is not the hex of 32 bytes, which no HMAC matches.
    let hashMac: [UInt8]?
    /// Nil where it is no string, which has no bank's form.
    let authenticationCode: SharedSecret?
    let clientKey: RSAPublicKey

    /// Checks what is missing, then forms, in the protocol's order.
    init(_ body: borrowing JSONText) throws(DistributionError) {
        try body.requireDistribution([
            (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
            (MemberName.authCode, .missingAuthenticationCode), (MemberName.timestamp, .missingTimestamp),
            (MemberName.hashMac, .missingHashMac), (MemberName.rsaPublicKey, .missingRSAPublicKey),
        ])
        timestamp = try body.timestamp(MemberName.timestamp)
        guard let key = RSAPublicKey(clientKey: body.string(MemberName.rsaPublicKey)) else {
            throw DistributionError(.invalidRSAPublicKey)
        }
        clientKey = key
        bankId = try body.requiredIdentifier(MemberName.bankId)
        uniqueId = try body.requiredIdentifier(MemberName.uniqueId)
        hashMac = body.string(MemberName.hashMac).flatMap(Hex.decode).flatMap { $0.count == 32 ? $0 : nil }
        authenticationCode = SharedSecret(body.secret(of: MemberName.authCode))
    }

    /// Checks the bank, its key, the HMAC and the time window.
    func authenticate(with bank: Bank?, now: Timestamp) throws(DistributionError) -> Bank {
        let bank = try Bank.active(bank)
        guard !bank.hmacKeys.isEmpty else {
            throw DistributionError(bank.hasDamagedKey ? .unexpectedCryptoError : .internalKeyNotFound)
        }
        guard let hashMac, bank.isAuthentic(hashMac, bankId: bankId, uniqueId: uniqueId, timestamp) else {
            throw DistributionError(.badHashMac)
        }
        try timestamp.requireWindow(of: bank, now: now)
        return bank
    }

    /// What to ask of the store.
    func fetch(
        with bank: Bank, code: FetchedPINRequest.Code, session: NewSession
    ) throws(DistributionError) -> FetchedPINRequest {
        guard let hashMac else { throw DistributionError(.badHashMac) }
        return FetchedPINRequest(
            bankId: bank.id, bankRevision: bank.revision, uniqueId: uniqueId,
            proof: .hmac(digest: SHA256.hash(hashMac), expiresAt: timestamp.hmacExpiry), code: code,
            sessionId: session.id, confirmations: session.confirmations(bankId: bankId, uniqueId: uniqueId))
    }
}

extension RSAPublicKey {
    /// A client's key: standard base64 of a SubjectPublicKeyInfo, 2048 to 4096 bits, an odd exponent of 65537 or more.
    convenience init?(clientKey text: String?) {
        guard let der = text.flatMap(Base64.decode) else { return nil }
        do {
            try self.init(subjectPublicKeyInfo: der)
        } catch {
            return nil
        }
        let exponent = publicExponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard 2048...4096 ~= modulusBits, publicExponent.count <= 8, exponent >= 65537, exponent & 1 == 1 else {
            return nil
        }
    }
}
