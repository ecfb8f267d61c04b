import CardCompanionAPI
import Crypto
import Synchronization
import Testing

@testable import CardCompanionSDK

@Suite struct PublicSurfaceTests {
    @Test func `Parameters do not print their secrets`() throws {
        let secret = "s3cret"
        let sealed = SealedPIN(
            .init(
                compact: secret, algorithm: .rsaOAEP256,
                request: RequestBinding(content: .pin, bankId: "b", uniqueId: "u", requestId: "t")))
        let key = RecipientKey.p256(P256.KeyAgreement.PrivateKey())
        let prepared = PreparedFetch(key)
        let values: [any Sendable] = [
            ProvisioningParameters(bankId: "b", uniqueId: "u", authCode: secret, timestamp: "t", hashMac: "h"),
            TokenProvisioningParameters(token: secret, signature: "s"),
            TokenNotifyParameters(token: secret, sessionId: "s", status: .success),
            DefinitionParameters(bankId: "b", uniqueId: "u", timestamp: "t", hashMac: "h", pin: secret),
            DefinitionTokenParameters(token: "t", signature: "s", pin: secret),
            DefinitionTokenParameters(token: "t", signature: "s", indexes: secret), sealed,
            DefinitionParameters(sealedPIN: sealed, hashMac: "h"),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains(secret)) }
        }
        var dumped = ""
        dump(prepared, to: &dumped)
        for text in ["\(prepared)", dumped] { #expect(!text.contains("PrivateKey") && !text.contains("p256")) }
    }

    @Test func `The deprecated names of table 4 call their operations`() async throws {
        let (recorder, server) = (PathRecorder(), DefiningServer())
        let codes = try await withTestServer { request in
            guard request.path != APIPath.keySet else { return try server.react(request) }
            recorder.record(request.path)
            return .json(StatusAnswer(errorCode: 300, errorMessage: "Bank not found"))
        } _: { url in
            await (FormerNames(url: url) as any Callable).callAll()
        }
        #expect(codes == Array(repeating: 300, count: 8))
        #expect(
            recorder.paths == [
                APIPath.captcha, APIPath.tokenCaptcha, APIPath.notify, APIPath.tokenNotify, APIPath.definePIN,
                APIPath.definePINToken, APIPath.keypadCoordinates, APIPath.definePINIndexes,
            ])
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

private final class PathRecorder: Sendable {
    private let stored = Mutex<[String]>([])

    func record(_ path: String) { stored.withLock { $0.append(path) } }

    var paths: [String] { stored.withLock { $0 } }
}

private protocol Callable {
    func callAll() async -> [Int]
}

/// Calls the deprecated functions from a deprecated function, to avoid warnings, in the order of table 4.
private struct FormerNames: Callable {
    let url: String

    @available(*, deprecated)
    func callAll() async -> [Int] {
        let token = TokenProvisioningParameters.example.token
        let definition = DefinitionTokenParameters.tokenExample
        let keypad = KeyPadCoordinatesParameters(bankId: "BANK", uniqueId: "former", keypadSize: 10)
        let session = "former-names"
        let key = Base64URL.encode([UInt8](repeating: 7, count: 32))
        let receipt = "1.\(Base64URL.encode(session.utf8)).\(key)"
        _ = await CardCompanionSession.shared.restore(notifyReceipt: receipt)
        let notify = NotifyParameters(bankId: "BANK", uniqueId: "former", sessionId: session, status: .success)
        return [
            await ProvisioningRequest.postDataForGetPin(.example, hostUrl: url).errorCode,
            await GetPinToken.getPinTokenCaptcha(.example, hostUrl: url).errorCode,
            await NotifyRequest.postDataForNotifyRequest(notify, hostUrl: url).errorCode,
            await TokenNotifyRequest.notifyPinToken(
                .init(token: token, sessionId: session, status: .success), hostUrl: url
            ).errorCode,
            await DefinitionRequest.definePin(.example, hostUrl: url).errorCode,
            await DefinitionTokenRequest.definePinToken(
                .init(token: definition, signature: "c2ln", pin: "1234"), hostUrl: url
            ).errorCode,
            await DefinitionTokenRequest.getKeyPadCoordinates(keypad, hostUrl: url).errorCode,
            await DefinitionTokenRequest.definePinTokenCB(.indexesExample, hostUrl: url).errorCode,
        ]
    }
}
