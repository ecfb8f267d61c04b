internal import CardCompanionAPI
internal import CardCompanionStore
internal import Cryptography
internal import JOSE
internal import SecureMemory
internal import StrictJSON

/// A definition by HMAC: the request of `APIPath.definePIN`, parsed.
struct DefinePINRequest {
    /// Empty, which is no bank, where it is not an identifier.
    let bankId: String
    let uniqueId: String
    let timestamp: RequestTimestamp
    /// Nil where it is not the hex of 32 bytes, which no HMAC matches.
    let hashMac: [UInt8]?
    let sealedPIN: JWE

    /// Checks what is missing, then forms, in the protocol's order.
    init(_ body: borrowing JSONText) throws(DefinitionError) {
        try body.requireDefinition([
            (MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId),
            (MemberName.timestamp, .missingTimestamp), (MemberName.hashMac, .missingHashMac),
            (MemberName.pin, .missingPIN),
        ])
        timestamp = try body.definitionTimestamp(MemberName.timestamp)
        sealedPIN = try JWE.sealed(body.string(MemberName.pin), for: .rsaOAEP256)
        bankId = body.identifier(MemberName.bankId) ?? ""
        uniqueId = body.string(MemberName.uniqueId) ?? ""
        hashMac = body.string(MemberName.hashMac).flatMap(Hex.decode).flatMap { $0.count == 32 ? $0 : nil }
    }

    /// Checks the bank, its key, the HMAC and the time window.
    func authenticate(with bank: Bank?, now: Timestamp) throws(DefinitionError) -> Bank {
        let bank = try Bank.defining(bank)
        guard !bank.hmacKeys.isEmpty else { throw DefinitionError(.cryptoError, detail: "the bank has no HMAC key") }
        guard let hashMac, bank.isAuthentic(hashMac, bankId: bankId, uniqueId: uniqueId, timestamp) else {
            throw DefinitionError(.badHashMac)
        }
        try timestamp.requireDefinitionWindow(of: bank, now: now)
        return bank
    }

    /// What spends the HMAC once the PIN is defined.
    var proof: DefinedPINRequest.Proof {
        .hmac(digest: SHA256.hash(hashMac ?? []), expiresAt: timestamp.hmacExpiry)
    }
}
