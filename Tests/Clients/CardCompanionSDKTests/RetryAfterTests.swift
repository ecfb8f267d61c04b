import CardCompanionAPI
import Foundation
import Testing

@testable import CardCompanionSDK

/// What the app learns from the header `Retry-After`.
@Suite struct RetryAfterTests {
    @Test(arguments: [
        (429, "1", 1), (503, "120", 120), (503, "0", 0), (503, nil, nil), (500, "5", nil), (404, "5", nil),
        (429, "", nil), (429, "-1", nil), (429, "+1", nil), (429, "1.5", nil), (429, "soon", nil),
        (429, "99999999999999999999", nil), (503, "Wed, 21 Oct 2026 07:28:00 GMT", nil),
    ])
    func `Seconds are given for 429 and 503, and the code stays 90015`(
        status: Int, header: String?, seconds: Int?
    ) async throws {
        let response = try await withTestServer { _ in
            .answer(status: status, retryAfter: header, body: "{}")
        } _: { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 90015)
        #expect(response.retryAfterSeconds == seconds)
    }

    @Test func `Every operation gives the seconds`() async throws {
        let session = CardCompanionSession.test()
        let deliver = DeliveringServer().react
        let seconds = try await withTestServer { request in
            let isFirst = request.path == APIPath.captcha
            return isFirst ? try deliver(request) : .answer(status: 503, retryAfter: "7", body: "{}")
        } _: { url in
            let fetched = await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: session)
            #expect(fetched.errorCode == 0 && fetched.retryAfterSeconds == nil)
            let notify = NotifyParameters(bankId: "BANK", uniqueId: "102456", sessionId: "s-1", status: .success)
            let tokenNotify = TokenNotifyParameters(
                token: TokenProvisioningParameters.example.token, sessionId: "s-1", status: .success)
            let keypad = KeyPadCoordinatesParameters(bankId: "BANK", uniqueId: "102456", keypadSize: 10)
            return [
                await PINDistribution.postNotifyRequest(notify, hostUrl: url, session: session).retryAfterSeconds,
                await PINDistribution.postNotifyTokenRequest(tokenNotify, hostUrl: url, session: session)
                    .retryAfterSeconds,
                await PINDefinition.postGetKeyPadCoordinatesRequest(keypad, hostUrl: url, session: session)
                    .retryAfterSeconds,
                await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: session).retryAfterSeconds,
                await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: session)
                    .retryAfterSeconds,
                await PINDefinition.postDefinePINECDHCBRequest(.indexesExample, hostUrl: url, session: session)
                    .retryAfterSeconds,
            ]
        }
        #expect(seconds == Array(repeating: 7, count: 6))
    }

    @Test func `The iOS responses have the seconds as a number`() async throws {
        let response: DefinePinTokenRequest = try await withTestServer { _ in
            .answer(status: 429, retryAfter: "3", body: "{}")
        } _: { url in
            await withCheckedContinuation { continuation in
                PinCodeRequest.postDefinePinRequestECDH("{}", signature: "c2ln", pin: "1234", hostURL: url) {
                    continuation.resume(returning: $0)
                }
            }
        }
        #expect(response.errorCode == 90015)
        #expect(response.retryAfterSeconds?.intValue == 3)
    }
}
