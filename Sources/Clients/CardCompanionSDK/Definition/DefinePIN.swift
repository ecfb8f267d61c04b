internal import CardCompanionAPI
internal import Foundation

extension CardCompanionSession {
    @concurrent
    func definePIN(_ parameters: DefinitionParameters, hostUrl: String) async throws(SDKError) -> DefinitionResponse {
        try require(
            (MemberName.bankId, parameters.bankId), (MemberName.uniqueId, parameters.uniqueId),
            (MemberName.timestamp, parameters.timestamp), (MemberName.hashMac, parameters.hashMac))
        let sealed: SealedPIN.Sealed
        if let given = parameters.sealedPIN {
            sealed = try given.sealed(for: .pin, .rsaOAEP256)
        } else {
            try require((MemberName.pin, parameters.pin))
            let binding = RequestBinding(
                content: .pin, bankId: parameters.bankId, uniqueId: parameters.uniqueId,
                requestId: parameters.timestamp)
            sealed = try await seal(pin: parameters.pin, by: .rsaOAEP256, for: binding, hostUrl: hostUrl)
        }
        let request = DefinePINRequest(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, timestamp: parameters.timestamp,
            hashMac: parameters.hashMac, pin: sealed.compact)
        return try await define(request, at: host(hostUrl).url(APIPath.definePIN))
    }

    @concurrent
    func definePIN(
        _ parameters: DefinitionTokenParameters, hostUrl: String
    ) async throws(SDKError) -> DefinitionResponse {
        try require((MemberName.token, parameters.token), (MemberName.signature, parameters.signature))
        let names = try TokenNames(in: parameters.token)
        let sealed: SealedPIN.Sealed
        if let given = parameters.sealedPIN {
            sealed = try given.sealed(for: .pin, .ecdhESA256KW, names: names)
        } else {
            let pin = parameters.pin ?? ""
            try require((MemberName.pin, pin))
            let binding = RequestBinding(
                content: .pin, bankId: names.bankId, uniqueId: names.uniqueId, requestId: names.transactionId)
            sealed = try await seal(pin: pin, by: .ecdhESA256KW, for: binding, hostUrl: hostUrl)
        }
        let request = DefinePINTokenRequest(
            token: parameters.token, signature: parameters.signature, pin: sealed.compact)
        return try await define(request, at: host(hostUrl).url(APIPath.definePINToken))
    }

    @concurrent
    func definePINByIndexes(
        _ parameters: DefinitionTokenParameters, hostUrl: String
    ) async throws(SDKError) -> DefinitionResponse {
        try require((MemberName.token, parameters.token), (MemberName.signature, parameters.signature))
        let names = try TokenNames(in: parameters.token)
        let holder = KeypadMemory.Holder(bankId: names.bankId ?? "", uniqueId: names.uniqueId ?? "")
        let sealed: SealedPIN.Sealed
        if let given = parameters.sealedPIN {
            sealed = try given.sealed(for: .indexes, .ecdhESA256KW, names: names)
        } else {
            let indexes = parameters.indexes ?? ""
            try require((MemberName.indexes, indexes))
            var binding = RequestBinding(
                content: .indexes, bankId: names.bankId, uniqueId: names.uniqueId, requestId: names.transactionId)
            binding.keypadId = try await keypadId(parameters.keypadId, of: holder)
            sealed = try await seal(indexes: indexes, for: binding, hostUrl: hostUrl)
        }
        let request = DefinePINIndexesRequest(
            token: parameters.token, signature: parameters.signature, indexes: sealed.compact,
            keypadId: sealed.request.keypadId)
        let response = try await define(request, at: host(hostUrl).url(APIPath.definePINIndexes))
        if response.errorCode == DefinitionCode.success.rawValue {
            await keypads.forget(sealed.request.keypadId, of: holder)
        }
        return response
    }

    @concurrent
    func fetchKeypad(
        _ parameters: KeyPadCoordinatesParameters, hostUrl: String
    ) async throws(SDKError) -> KeyPadCoordinatesResponse {
        try require((MemberName.bankId, parameters.bankId), (MemberName.uniqueId, parameters.uniqueId))
        let url = try host(hostUrl).url(APIPath.keypadCoordinates)
        let holder = KeypadMemory.Holder(bankId: parameters.bankId, uniqueId: parameters.uniqueId)
        return try await keypads.remember(for: holder) { @Sendable () throws(SDKError) in
            try await requestKeypad(parameters, at: url)
        }
    }

    private func requestKeypad(
        _ parameters: KeyPadCoordinatesParameters, at url: URL
    ) async throws(SDKError) -> KeyPadCoordinatesResponse {
        let request = KeypadCoordinatesRequest(
            bankId: parameters.bankId, uniqueId: parameters.uniqueId, keypadSize: parameters.keypadSize)
        let answer: KeypadAnswer = try await http.post(request, to: url)
        var response = KeyPadCoordinatesResponse(errorCode: answer.errorCode, errorMessage: answer.errorMessage)
        guard answer.errorCode == DefinitionCode.success.rawValue else { return response }
        guard let keypad = answer.keypad, keypad.count == parameters.keypadSize, KeyPad.isComplete(keypad),
            let keypadId = answer.keypadId
        else {
            throw SDKError(.badAnswerFormat, "the answer does not contain a keypad of \(parameters.keypadSize) places")
        }
        response.keypad = keypad
        response.keypadId = keypadId
        return response
    }

    /// The keypad that an app names, or the newest one.
    func keypadId(_ given: String?, of holder: KeypadMemory.Holder) async throws(SDKError) -> String? {
        if let given { return given }
        return try await keypads.newest(for: holder)
    }

    private func define(_ request: some Encodable, at url: URL) async throws(SDKError) -> DefinitionResponse {
        let answer: DefinitionAnswer = try await http.post(request, to: url)
        var response = DefinitionResponse(errorCode: answer.errorCode, errorMessage: answer.errorMessage)
        // What a later server may say besides is nothing for this app.
        response.effective = answer.effective.flatMap(DefinedPINEffect.init(rawValue:))
        return response
    }
}
