internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import JOSE
internal import SecureMemory
internal import StrictJSON

/// A definition with an HMAC: the request of `APIPath.definePIN`, parsed.
struct HMACDefinition {
    /// Nil if it is not an identifier: then there is no such bank.
    let bankId: Identifier?
    /// As it was sent and authenticated.
    let uniqueId: String
    let timestamp: RequestTimestamp
    /// Nil if it is not the hex of 32 bytes. Then it matches no HMAC.
    let hashMac: [UInt8]?
    let sealedPIN: JWE

    /// Checks missing members first, then forms, in the order of the protocol.
    init(_ body: borrowing JSONText) throws(DefinitionError) {
        try DefinitionChecks.requireMembers(
            [
                (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
                (MemberName.timestamp, .missingTimestamp), (MemberName.hashMac, .missingHashMac),
                (MemberName.pin, .missingPIN),
            ], of: body)
        timestamp = try DefinitionChecks.timestamp(MemberName.timestamp, of: body)
        sealedPIN = try JWE.sealed(body.string(MemberName.pin), for: .rsaOAEP256)
        bankId = body.identifier(MemberName.bankId)
        uniqueId = body.string(MemberName.uniqueId) ?? ""
        hashMac = body.hexOf32Bytes(MemberName.hashMac)
    }

    /// Checks the bank, its key, the HMAC and the time window.
    func authenticate(with bank: Bank?, at now: Timestamp) throws(DefinitionError) -> Authenticated<Identifier?> {
        let bank = try DefinitionChecks.activeBank(bank)
        let keys = bank.definitionKeys
        guard !keys.isEmpty else {
            throw DefinitionError(.cryptoError, detail: "the bank has no HMAC key for definitions")
        }
        guard let hashMac, keys.isAuthentic(hashMac, over: bank.id.text, uniqueId, timestamp.text) else {
            throw DefinitionError(.badHashMac, detail: HashMac.wrong)
        }
        try DefinitionChecks.requireWindow(timestamp, of: bank, now: now)
        return Authenticated(
            bank: bank, uniqueId: Identifier(uniqueId),
            proof: .hmac(.hmac(hashMac), expiresAt: timestamp.hmacExpiry), time: now)
    }
}
