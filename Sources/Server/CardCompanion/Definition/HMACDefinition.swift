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
    /// As it was sent and authenticated: a string, or the digits of a number.
    let uniqueId: String
    /// Nil if it is not an identifier, as a number is not: then there is no such cardholder.
    let cardholder: Identifier?
    let timestamp: RequestTimestamp
    /// Empty if it is not the hex of 32 bytes. Then it matches no HMAC.
    let hashMac: [UInt8]
    let sealedPIN: JWE
    /// The sealed PIN that a bound hashMac is for.
    let binding: ProofBinding

    /// Checks missing members first, then forms, in the order of the protocol.
    init(_ body: borrowing JSONText) throws(DefinitionError) {
        try DefinitionChecks.requireMembers(
            [
                (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
                (MemberName.timestamp, .missingTimestamp), (MemberName.hashMac, .missingHashMac),
                (MemberName.pin, .missingPIN),
            ], of: body)
        timestamp = try DefinitionChecks.timestamp(MemberName.timestamp, of: body)
        let compact = body.string(MemberName.pin)
        sealedPIN = try JWE.sealed(compact, for: .rsaOAEP256)
        binding = ProofBinding(toSealed: compact)
        bankId = body.identifier(MemberName.bankId)
        uniqueId = body.text(of: MemberName.uniqueId) ?? ""
        cardholder = body.identifier(MemberName.uniqueId)
        hashMac = body.hexOf32Bytes(MemberName.hashMac) ?? []
    }

    /// Checks the bank, its key, the HMAC and the time window.
    func authenticate(with bank: Bank?, at now: Timestamp) throws(DefinitionError) -> Authenticated<Identifier?> {
        let bank = try DefinitionChecks.activeBank(bank)
        let keys = bank.definitionKeys
        guard !keys.isEmpty else {
            throw DefinitionError(.cryptoError, detail: "the bank has no HMAC key for definitions")
        }
        let authentic = HashMac(bankId: bank.id, uniqueId: uniqueId, timestamp: timestamp, binding: binding)
        if let fault = authentic.fault(of: hashMac, keys: keys, bank.settings.bindings) {
            throw DefinitionError(.badHashMac, detail: fault)
        }
        try DefinitionChecks.requireWindow(timestamp, of: bank, now: now)
        return Authenticated(
            bank: bank, uniqueId: cardholder,
            proof: .hmac(.hmac(hashMac), expiresAt: timestamp.hmacExpiry), time: now)
    }
}
