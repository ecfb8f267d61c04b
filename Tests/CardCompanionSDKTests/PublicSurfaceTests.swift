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
