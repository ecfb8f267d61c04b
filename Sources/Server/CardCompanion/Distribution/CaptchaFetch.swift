internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import SecureMemory
internal import StrictJSON

/// A fetch with an authentication code: the request of `APIPath.captcha`, parsed.
struct CaptchaFetch {
    let bankId: Identifier
    let uniqueId: Identifier
    let timestamp: RequestTimestamp
    /// Empty if it is not the hex of 32 bytes. Then it matches no HMAC.
    let hashMac: [UInt8]
    /// Nil if it is not a string. Then it does not have the form of the bank's codes.
    let authenticationCode: SharedSecret?
    let clientKey: RSAPublicKey
    /// The key that a bound hashMac is for.
    let binding: ProofBinding
    let hints: FetchHints

    /// Checks missing members first, then forms, in the order of the protocol.
    init(_ body: borrowing JSONText) throws(DistributionError) {
        try DistributionChecks.requireMembers(
            [
                (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
                (MemberName.authCode, .missingAuthenticationCode), (MemberName.timestamp, .missingTimestamp),
                (MemberName.hashMac, .missingHashMac), (MemberName.rsaPublicKey, .missingRSAPublicKey),
            ], of: body)
        timestamp = try DistributionChecks.timestamp(MemberName.timestamp, of: body)
        let sentKey = body.string(MemberName.rsaPublicKey)
        guard let key = RSAPublicKey(clientKey: sentKey) else { throw DistributionError(.invalidRSAPublicKey) }
        (clientKey, binding) = (key, ProofBinding(toKey: sentKey))
        bankId = try body.requiredIdentifier(MemberName.bankId)
        uniqueId = try body.requiredIdentifier(MemberName.uniqueId)
        hashMac = body.hexOf32Bytes(MemberName.hashMac) ?? []
        authenticationCode = SharedSecret(body.secret(of: MemberName.authCode))
        hints = FetchHints(body)
    }

    /// Checks the bank, its key, the HMAC and the time window.
    func authenticate(with bank: Bank?, at now: Timestamp) throws(DistributionError) -> Authenticated<Identifier> {
        let bank = try DistributionChecks.activeBank(bank)
        let keys = bank.distributionKeys
        guard !keys.isEmpty else {
            throw DistributionError(keys.hasDamagedKey ? .unexpectedCryptoError : .internalKeyNotFound)
        }
        let authentic = HashMac(bankId: bankId, uniqueId: uniqueId.text, timestamp: timestamp, binding: binding)
        if let fault = authentic.fault(of: hashMac, keys: keys, bank.settings.bindings) {
            throw DistributionError(.badHashMac, detail: fault)
        }
        try DistributionChecks.requireWindow(timestamp, of: bank, now: now)
        return Authenticated(
            bank: bank, uniqueId: uniqueId, proof: .hmac(.hmac(hashMac), expiresAt: timestamp.hmacExpiry),
            time: now)
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
        let exponent = UInt64(bigEndianBytes: publicExponent)
        guard 2048...4096 ~= modulusBits, publicExponent.count <= 8, exponent >= 65537, exponent & 1 == 1 else {
            return nil
        }
    }
}
