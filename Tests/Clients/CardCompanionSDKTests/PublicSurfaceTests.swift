import CardCompanionAPI
import CardCompanionSDK
import Testing

@Suite struct PublicSurfaceTests {
    @Test func `Parameters do not print their secrets`() {
        let secret = "s3cret"
        let values: [any Sendable] = [
            ProvisioningParameters(bankId: "b", uniqueId: "u", authCode: secret, timestamp: "t", hashMac: "h"),
            TokenProvisioningParameters(token: secret, signature: "s"),
            TokenNotifyParameters(token: secret, sessionId: "s", status: .success),
            DefinitionParameters(bankId: "b", uniqueId: "u", timestamp: "t", hashMac: "h", pin: secret),
            DefinitionTokenParameters(token: "t", signature: "s", pin: secret),
            DefinitionTokenParameters(token: "t", signature: "s", indexes: secret),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret)) }
        }
    }

    @Test func `The deprecated names of table 4 call their operations`() async {
        let codes = await (FormerNames() as any Callable).callAll()
        #expect(codes == Array(repeating: 90000, count: 8))
    }

    // The names, labels and types of the tables in sections 4.1.2 to 4.5.2. Every operation refuses empty parameters.
    @Test func `The iOS names call their operations`() async {
        typealias Request = PinCodeRequest
        let fetched: PINCodeProvisioningJResponse = await withCheckedContinuation { continuation in
            Request.postGetPINRequest("", uniqueId: "", ac: "", timestamp: "", hashMac: "", hostURL: "") {
                continuation.resume(returning: $0)
            }
        }
        let fetchedByToken: PINCodeProvisioningJResponse = await withCheckedContinuation { continuation in
            Request.postGetPINCaptchaTokenRequest("", signature: "", hostURL: "") { continuation.resume(returning: $0) }
        }
        let keypad: GetKeypadCoordJResponse = await withCheckedContinuation { continuation in
            Request.postGetCoordinateKeypad("", uniqueId: "", keypadSize: "10", hostURL: "") {
                continuation.resume(returning: $0)
            }
        }
        let defined: DefinePinTokenRequest = await withCheckedContinuation { continuation in
            Request.postDefinePinRequestECDH("", signature: "", pin: "", hostURL: "") {
                continuation.resume(returning: $0)
            }
        }
        let definedByIndexes: DefinePinTokenRequest = await withCheckedContinuation { continuation in
            Request.postDefinePinRequestECDH_CB("", signature: "", indexes: "", hostURL: "") {
                continuation.resume(returning: $0)
            }
        }
        var results: [JResponse] = [fetched, fetchedByToken, keypad, defined, definedByIndexes]
        results += [
            await withCheckedContinuation { continuation in
                Request.postNotifyRequest("", uniqueId: "", sessionId: "", status: .SUCCESS, hostURL: "") {
                    continuation.resume(returning: $0)
                }
            },
            await withCheckedContinuation { continuation in
                Request.postNotifyTokenRequest("", sessionId: "", status: .SERVER_ERROR, hostURL: "") {
                    continuation.resume(returning: $0)
                }
            },
            await withCheckedContinuation { continuation in
                Request.postDefinePINRequest("", uniqueId: "", timestamp: "", hashMac: "", PIN: "", hostURL: "") {
                    continuation.resume(returning: $0)
                }
            },
        ]
        #expect(results.map(\.errorCode) == Array(repeating: 90000, count: 8))
    }
}

private protocol Callable {
    func callAll() async -> [Int]
}

/// Calls the deprecated functions from a deprecated function, to avoid warnings. The parameters are empty, so every
/// operation refuses them.
private struct FormerNames: Callable {
    @available(*, deprecated)
    func callAll() async -> [Int] {
        let fetch = ProvisioningParameters(bankId: "", uniqueId: "", authCode: "", timestamp: "", hashMac: "")
        let notify = NotifyParameters(bankId: "", uniqueId: "", sessionId: "", status: .success)
        let define = DefinitionParameters(bankId: "", uniqueId: "", timestamp: "", hashMac: "", pin: "")
        let keypad = KeyPadCoordinatesParameters(bankId: "", uniqueId: "", keypadSize: 10)
        let token = DefinitionTokenParameters(token: "", signature: "", pin: "")
        return [
            await ProvisioningRequest.postDataForGetPin(fetch, hostUrl: "").errorCode,
            await GetPinToken.getPinTokenCaptcha(.init(token: "", signature: ""), hostUrl: "").errorCode,
            await NotifyRequest.postDataForNotifyRequest(notify, hostUrl: "").errorCode,
            await TokenNotifyRequest.notifyPinToken(
                .init(token: "", sessionId: "", status: .success), hostUrl: ""
            ).errorCode,
            await DefinitionRequest.definePin(define, hostUrl: "").errorCode,
            await DefinitionTokenRequest.definePinToken(token, hostUrl: "").errorCode,
            await DefinitionTokenRequest.getKeyPadCoordinates(keypad, hostUrl: "").errorCode,
            await DefinitionTokenRequest.definePinTokenCB(token, hostUrl: "").errorCode,
        ]
    }
}
