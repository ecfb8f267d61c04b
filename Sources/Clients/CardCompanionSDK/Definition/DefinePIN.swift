internal import CardCompanionAPI
internal import Foundation

extension CardCompanionSession {
    @concurrent
    func definePIN(_ parameters: DefinitionParameters, hostUrl: String) async throws(SDKError) -> DefinitionResponse {
        try require(
            (MemberName.bankId, parameters.bankId), (MemberName.uniqueId, parameters.uniqueId),
            (MemberName.timestamp, parameters.timestamp), (MemberName.hashMac, parameters.hashMac),
            (MemberName.pin, parameters.pin))
        let host = try host(hostUrl)
        let plaintext = try PINPlaintext.digits(parameters.pin, lengths: configuration.definedPINLengths)
        let binding = RequestBinding(
            content: .pin, bankId: parameters.bankId, uniqueId: parameters.uniqueId, requestId: parameters.timestamp)
        let request = DefinePINRequest(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, timestamp: parameters.timestamp,
            hashMac: parameters.hashMac, pin: try await seal(plaintext, to: .rsaOAEP256, of: host, for: binding))
        return try await define(request, at: host.url(APIPath.definePIN))
    }

    @concurrent
    func definePIN(
        _ parameters: DefinitionTokenParameters, hostUrl: String
    ) async throws(SDKError) -> DefinitionResponse {
        let pin = parameters.pin ?? ""
        try require(
            (MemberName.token, parameters.token), (MemberName.signature, parameters.signature), (MemberName.pin, pin))
        let host = try host(hostUrl)
        let plaintext = try PINPlaintext.digits(pin, lengths: configuration.definedPINLengths)
        let names = try TokenNames(in: parameters.token)
        let binding = RequestBinding(
            content: .pin, bankId: names.bankId, uniqueId: names.uniqueId, requestId: names.transactionId)
        let request = DefinePINTokenRequest(
            token: parameters.token, signature: parameters.signature,
            pin: try await seal(plaintext, to: .ecdhESA256KW, of: host, for: binding))
        return try await define(request, at: host.url(APIPath.definePINToken))
    }

    @concurrent
    func definePINByIndexes(
        _ parameters: DefinitionTokenParameters, hostUrl: String
    ) async throws(SDKError) -> DefinitionResponse {
        let indexes = parameters.indexes ?? ""
        try require(
            (MemberName.token, parameters.token), (MemberName.signature, parameters.signature),
            (MemberName.indexes, indexes))
        let host = try host(hostUrl)
        let plaintext = try PINPlaintext.indexes(indexes, lengths: configuration.definedPINLengths)
        let names = try TokenNames(in: parameters.token)
        let (bankId, uniqueId) = (names.bankId ?? "", names.uniqueId ?? "")
        let keypadId =
            if let given = parameters.keypadId { given } else {
                try await keypads.onlyKeypad(bankId: bankId, uniqueId: uniqueId)
            }
        let binding = RequestBinding(
            content: .indexes, bankId: names.bankId, uniqueId: names.uniqueId, requestId: names.transactionId,
            keypadId: keypadId)
        let request = DefinePINIndexesRequest(
            token: parameters.token, signature: parameters.signature,
            indexes: try await seal(plaintext, to: .ecdhESA256KW, of: host, for: binding), keypadId: keypadId)
        let response = try await define(request, at: host.url(APIPath.definePINIndexes))
        if response.errorCode == DefinitionCode.success.rawValue {
            await keypads.forget(bankId: bankId, uniqueId: uniqueId)
        }
        return response
    }

    @concurrent
    func fetchKeypad(
        _ parameters: KeyPadCoordinatesParameters, hostUrl: String
    ) async throws(SDKError) -> KeyPadCoordinatesResponse {
        try require((MemberName.bankId, parameters.bankId), (MemberName.uniqueId, parameters.uniqueId))
        let request = KeypadCoordinatesRequest(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, keypadSize: parameters.keypadSize)
        let answer: KeypadAnswer = try await http.post(request, to: host(hostUrl).url(APIPath.keypadCoordinates))
        var response = KeyPadCoordinatesResponse(errorCode: answer.errorCode, errorMessage: answer.errorMessage)
        guard answer.errorCode == DefinitionCode.success.rawValue else { return response }
        guard let keypad = answer.keypad, keypad.count == parameters.keypadSize, KeyPad.isComplete(keypad),
            let keypadId = answer.keypadId
        else {
            throw SDKError(.badAnswerFormat, "the answer does not contain a keypad of \(parameters.keypadSize) places")
        }
        response.keypad = keypad
        response.keypadId = keypadId
        await keypads.keep(keypadId, bankId: parameters.bankId, uniqueId: parameters.uniqueId)
        return response
    }

    /// Fetches the server's key set for each call, because a cached key may have been rotated.
    private func seal(
        _ plaintext: Data, to algorithm: KeyManagement, of host: HostURL, for request: RequestBinding
    ) async throws(SDKError) -> String {
        let set: JWKSet = try await http.get(host.url(APIPath.keySet))
        let key = try ServerKey(from: set, for: algorithm, pinned: configuration.pinnedServerKeyThumbprints)
        return try CompactJWE.seal(plaintext, to: key, for: request)
    }

    private func define(_ request: some Encodable, at url: URL) async throws(SDKError) -> DefinitionResponse {
        let answer: StatusAnswer = try await http.post(request, to: url)
        return DefinitionResponse(errorCode: answer.errorCode, errorMessage: answer.errorMessage)
    }
}
