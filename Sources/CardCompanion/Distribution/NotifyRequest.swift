internal import CardCompanionAPI
internal import CardCompanionStore
internal import Cryptography
internal import KeyVault
internal import StrictJSON

/// A confirmation, or report of failure, of a delivery: the request of `APIPath.notify` or `APIPath.tokenNotify`,
/// parsed.
struct NotifyRequest {
    let bankId: String
    let uniqueId: String
    /// Empty, which names no session, where it is not an identifier.
    let sessionId: String
    let status: NotifyStatus
    /// SHA-256 of the hash; empty, which is never right, where the hash is not the hex of 32 bytes.
    let confirmation: [UInt8]
    /// The resent token, on the token channel.
    let token: AuthenticationToken?

    /// A notify on the AC channel.
    init(ac body: borrowing JSONText) throws(DistributionError) {
        try body.requireDistribution([(MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId)])
        status = try Self.status(body)
        bankId = try body.requiredIdentifier(MemberName.bankId)
        uniqueId = try body.requiredIdentifier(MemberName.uniqueId)
        sessionId = body.identifier(MemberName.sessionId) ?? ""
        confirmation = Self.confirmation(body)
        token = nil
    }

    /// A notify on the token channel.
    init(token body: borrowing JSONText) throws(DistributionError) {
        try body.requireDistribution([(MemberName.token, .missingToken)])
        let token = try AuthenticationToken.distribution(body)
        try token.members.requireDistribution([
            (MemberName.idBEL, .missingBankId), (MemberName.idPorteur, .missingUniqueId),
        ])
        status = try Self.status(body)
        bankId = try token.members.requiredIdentifier(MemberName.idBEL)
        uniqueId = try token.members.requiredIdentifier(MemberName.idPorteur)
        sessionId = body.identifier(MemberName.sessionId) ?? ""
        confirmation = Self.confirmation(body)
        self.token = token
    }

    /// The MACs that the session's token may have been stored under; none on the AC channel.
    func tokenMACs(_ keyring: Keyring) -> [[UInt8]] {
        guard let token else { return [] }
        return keyring.authenticationCodes(for: token.members.bytes, in: .sessionToken(sessionId))
    }

    /// The members that both channels have, in the protocol's order.
    private static func status(_ body: borrowing JSONText) throws(DistributionError) -> NotifyStatus {
        try body.requireDistribution([
            (MemberName.sessionId, .badParameter), (MemberName.status, .missingStatus),
            (MemberName.hash, .missingHash),
        ])
        guard let status = body.smallInteger(MemberName.status).flatMap(NotifyStatus.init(rawValue:)) else {
            throw DistributionError(.unknownStatus)
        }
        return status
    }

    private static func confirmation(_ body: borrowing JSONText) -> [UInt8] {
        guard let hash = body.string(MemberName.hash).flatMap(Hex.decode), hash.count == HMACSHA256.byteCount else {
            return []
        }
        return SHA256.hash(hash)
    }
}
