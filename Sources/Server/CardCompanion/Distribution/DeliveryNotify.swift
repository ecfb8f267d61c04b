internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import KeyVault
internal import StrictJSON

/// A confirmation, or report of failure, of a delivery: the request of `APIPath.notify` or `APIPath.tokenNotify`, parsed.
struct DeliveryNotify {
    let bankId: Identifier
    let uniqueId: Identifier
    /// Nil if it is not an identifier. Then it names no session.
    let sessionId: Identifier?
    let status: NotifyStatus
    /// SHA-256 of the hash; nil if the hash is not the hex of 32 bytes. Then it is wrong.
    let confirmation: [UInt8]?
    /// The token of the fetch, on the token channel.
    let token: AuthenticationToken?

    /// A notify on the AC channel.
    init(ac body: borrowing JSONText) throws(DistributionError) {
        try DistributionChecks.requireMembers(
            [(MemberName.bankId, .missingBankId), (MemberName.uniqueId, .missingUniqueId)], of: body)
        status = try Self.status(body)
        bankId = try body.requiredIdentifier(MemberName.bankId)
        uniqueId = try body.requiredIdentifier(MemberName.uniqueId)
        sessionId = body.identifier(MemberName.sessionId)
        confirmation = Self.confirmation(body)
        token = nil
    }

    /// A notify on the token channel.
    init(token body: borrowing JSONText) throws(DistributionError) {
        try DistributionChecks.requireMembers([(MemberName.token, .missingToken)], of: body)
        let token = try AuthenticationToken.distribution(body)
        try DistributionChecks.requireMembers(
            [
                (MemberName.idBEL, .missingBankId), (MemberName.idPorteur, .missingUniqueId),
            ], of: token.members)
        status = try Self.status(body)
        bankId = try token.members.requiredIdentifier(MemberName.idBEL)
        uniqueId = try token.members.requiredIdentifier(MemberName.idPorteur)
        sessionId = body.identifier(MemberName.sessionId)
        confirmation = Self.confirmation(body)
        self.token = token
    }

    /// The notify for an active bank.
    func received(by bank: Bank, keyring: Keyring) throws(KeyVaultError) -> ReceivedNotify {
        var macs: [[UInt8]] = []
        if let token, let sessionId {
            macs = try keyring.authenticationCodes(for: token.members.bytes, in: .sessionToken(sessionId.text))
        }
        return ReceivedNotify(
            bankId: bankId, bankRevision: bank.revision, settings: bank.settings, uniqueId: uniqueId,
            sessionId: sessionId,
            channel: token == nil ? .ac : .token, tokenMACs: macs, status: status.rawValue, confirmation: confirmation)
    }

    /// Checks the members that both channels have, in the order of the protocol.
    private static func status(_ body: borrowing JSONText) throws(DistributionError) -> NotifyStatus {
        try DistributionChecks.requireMembers(
            [
                (MemberName.sessionId, .badParameter), (MemberName.status, .missingStatus),
                (MemberName.hash, .missingHash),
            ], of: body)
        guard let status = body.smallInteger(MemberName.status).flatMap(NotifyStatus.init(rawValue:)) else {
            throw DistributionError(.unknownStatus)
        }
        return status
    }

    private static func confirmation(_ body: borrowing JSONText) -> [UInt8]? {
        body.hexOf32Bytes(MemberName.hash).map { SHA256.hash($0) }
    }
}
