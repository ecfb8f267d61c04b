internal import CardCompanionAPI

extension CardCompanionSession {
    /// `@concurrent`, like the other operations: generating an RSA key would block the app's main actor.
    @concurrent
    func fetchPIN(_ parameters: ProvisioningParameters, hostUrl: String) async throws(SDKError) -> ProvisioningResponse
    {
        try require(
            (MemberName.bankId, parameters.bankId), (MemberName.uniqueId, parameters.uniqueId),
            (MemberName.authCode, parameters.authCode), (MemberName.timestamp, parameters.timestamp),
            (MemberName.hashMac, parameters.hashMac))
        let host = try host(hostUrl)
        let key = try key(of: parameters.preparedFetch, for: .rsaOAEP256)
        var request = CaptchaRequest(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, authCode: parameters.authCode,
            timestamp: parameters.timestamp, hashMac: parameters.hashMac,
            rsaPublicKey: key.publicKeyInfo)
        (request.style, request.theme) = (parameters.hints.style?.rawValue, parameters.hints.theme?.rawValue)
        (request.scale, request.formats) = (parameters.hints.scale, parameters.hints.formats)
        let answer: CaptchaAnswer = try await http.post(request, to: host.url(APIPath.captcha))
        return try await open(answer, with: key, parameters.hints)
    }

    @concurrent
    func fetchPIN(
        _ parameters: TokenProvisioningParameters, hostUrl: String
    ) async throws(SDKError) -> ProvisioningResponse {
        try require((MemberName.token, parameters.token), (MemberName.signature, parameters.signature))
        let host = try host(hostUrl)
        let key = try key(of: parameters.preparedFetch, for: .ecdhESA256KW)
        var request = TokenCaptchaRequest(
            token: parameters.token, signature: parameters.signature,
            ecdhPublicKey: key.publicKeyInfo)
        (request.style, request.theme) = (parameters.hints.style?.rawValue, parameters.hints.theme?.rawValue)
        (request.scale, request.formats) = (parameters.hints.scale, parameters.hints.formats)
        let answer: CaptchaAnswer = try await http.post(request, to: host.url(APIPath.tokenCaptcha))
        return try await open(answer, with: key, parameters.hints)
    }

    @concurrent
    func prepareFetch(for algorithm: KeyManagement) async throws(SDKError) -> PreparedFetch {
        PreparedFetch(try freshKey(for: algorithm))
    }

    /// The key that the app has prepared, or a new one.
    private func key(of prepared: PreparedFetch?, for algorithm: KeyManagement) throws(SDKError) -> RecipientKey {
        if let prepared { return try prepared.key(for: algorithm) }
        return try freshKey(for: algorithm)
    }

    private func freshKey(for algorithm: KeyManagement) throws(SDKError) -> RecipientKey {
        switch algorithm {
        case .rsaOAEP256:
            if let key = try? freshKeys.rsa() { return .rsa(key) }
            throw SDKError(.rsaKeyGenerationFailed, "could not generate an RSA key")
        case .ecdhESA256KW:
            if let key = try? freshKeys.p256() { return .p256(key) }
            throw SDKError(.ecKeyGenerationFailed, "could not generate a P-256 key")
        }
    }

    private func open(
        _ answer: CaptchaAnswer, with key: RecipientKey, _ hints: DisplayHints
    ) async throws(SDKError) -> ProvisioningResponse {
        var response = ProvisioningResponse(errorCode: answer.errorCode, errorMessage: answer.errorMessage)
        guard answer.errorCode == DistributionCode.success.rawValue else { return response }
        guard let sealed = answer.pin, let sessionId = answer.sessionId, !sessionId.isEmpty else {
            throw SDKError(.badAnswerFormat, "pin or sessionId is missing")
        }
        let delivered = try DeliveredPIN(
            parsing: CompactJWE(parsing: sealed).open(with: key), acceptsText: hints.acceptsText)
        await notifyKeys.keep(delivered.notifyKey, forSession: sessionId)
        receipts?.save(NotifyReceipt(sessionId: sessionId, key: delivered.notifyKey).text, forSession: sessionId)
        response.sessionId = sessionId
        response.notifyKey = delivered.notifyKey
        guard let pin = delivered.pin() else {
            // Keeps the session, so that the app can notify the server of the error.
            response.errorCode = LibraryCode.incompletePIN.rawValue
            response.errorMessage = LibraryCode.incompletePIN.message
            return response
        }
        switch pin {
        case .images(let images):
            response.images = images
            response.pin = delivered.format == .captcha ? images.first : nil
        case .text(let digits): response.text = digits
        }
        response.freeField = delivered.freeField
        return response
    }
}
