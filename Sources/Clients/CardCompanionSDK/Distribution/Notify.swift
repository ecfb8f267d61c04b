internal import CardCompanionAPI
internal import Crypto
internal import Foundation

extension CardCompanionSession {
    /// Brings back the notify key of a fetch after the app's restart, so that its notify can be sent.
    ///
    /// The session does not judge the receipt's age: the server answers 312 if the fetch is too long ago.
    ///
    /// - Parameter notifyReceipt: The stored ``ProvisioningResponse/notifyReceipt``.
    /// - Returns: Whether the text is a receipt. If not, nothing changes.
    public func restore(notifyReceipt: String) async -> Bool {
        guard let receipt = NotifyReceipt(parsing: notifyReceipt) else { return false }
        await notifyKeys.keep(receipt.key, forSession: receipt.sessionId)
        return true
    }

    @concurrent
    func notify(_ parameters: NotifyParameters, hostUrl: String) async throws(SDKError) -> NotifyResponse {
        try require(
            (MemberName.bankId, parameters.bankId), (MemberName.uniqueId, parameters.uniqueId),
            (MemberName.sessionId, parameters.sessionId))
        let hash = try await notifyHash(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, sessionId: parameters.sessionId,
            status: parameters.status)
        let request = NotifyRequest(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, sessionId: parameters.sessionId,
            status: parameters.status.rawValue, hash: hash)
        let answer: StatusAnswer = try await http.post(request, to: host(hostUrl).url(APIPath.notify))
        return await conclude(parameters.sessionId, answer)
    }

    @concurrent
    func notify(_ parameters: TokenNotifyParameters, hostUrl: String) async throws(SDKError) -> TokenNotifyResponse {
        try require((MemberName.token, parameters.token), (MemberName.sessionId, parameters.sessionId))
        let names = try? TokenNames(in: parameters.token)
        guard let bankId = names?.bankId, let uniqueId = names?.uniqueId else {
            throw SDKError(.invalidInput, "token must be JSON with \(MemberName.idBEL) and \(MemberName.idPorteur)")
        }
        let hash = try await notifyHash(
            bankId: bankId, uniqueId: uniqueId, sessionId: parameters.sessionId, status: parameters.status)
        let request = TokenNotifyRequest(
            token: parameters.token, sessionId: parameters.sessionId, status: parameters.status.rawValue, hash: hash)
        let answer: StatusAnswer = try await http.post(request, to: host(hostUrl).url(APIPath.tokenNotify))
        return await conclude(parameters.sessionId, answer)
    }

    private func notifyHash(
        bankId: String, uniqueId: String, sessionId: String, status: NotifyStatus
    ) async throws(SDKError) -> String {
        guard let key = await notifyKey(forSession: sessionId) else {
            throw SDKError(
                .invalidInput,
                "no PIN was fetched with this sessionId in the last 24 hours, or the app has restarted: give the session a "
                    + "store for receipts, or restore the fetch's notifyReceipt")
        }
        let text = bankId + uniqueId + sessionId + String(status.rawValue)
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    private func notifyKey(forSession sessionId: String) async -> SymmetricKey? {
        if let key = await notifyKeys.key(forSession: sessionId) { return key }
        guard let receipt = receipts?.receipt(forSession: sessionId).flatMap(NotifyReceipt.init(parsing:)),
            receipt.sessionId == sessionId
        else { return nil }
        return receipt.key
    }

    /// Keeps the key until the server has recorded the session's result, so that the app can retry a lost notify.
    private func conclude(_ sessionId: String, _ answer: StatusAnswer) async -> NotifyResponse {
        let decided = [DistributionCode.success.rawValue, DistributionCode.badParameter.rawValue]
        if decided.contains(answer.errorCode) {
            await notifyKeys.forget(session: sessionId)
            receipts?.remove(forSession: sessionId)
        }
        return NotifyResponse(errorCode: answer.errorCode, errorMessage: answer.errorMessage)
    }
}
