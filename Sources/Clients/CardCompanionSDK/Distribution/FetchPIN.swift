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
        guard let key = try? RecipientKey.rsa(freshKeys.rsa()) else {
            throw SDKError(.rsaKeyGenerationFailed, "could not generate an RSA key")
        }
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
        guard let key = try? RecipientKey.p256(freshKeys.p256()) else {
            throw SDKError(.ecKeyGenerationFailed, "could not generate a P-256 key")
        }
        var request = TokenCaptchaRequest(
            token: parameters.token, signature: parameters.signature,
            ecdhPublicKey: key.publicKeyInfo)
        (request.style, request.theme) = (parameters.hints.style?.rawValue, parameters.hints.theme?.rawValue)
        (request.scale, request.formats) = (parameters.hints.scale, parameters.hints.formats)
        let answer: CaptchaAnswer = try await http.post(request, to: host.url(APIPath.tokenCaptcha))
        return try await open(answer, with: key, parameters.hints)
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
