import CardCompanionAPI
import Crypto
import Foundation
import Synchronization
import Testing

@testable import CardCompanionSDK

/// The iOS names of the SDK document. They share one session, so the tests run one after another.
@Suite(.serialized) struct PinCodeRequestTests {
    private let token = TokenProvisioningParameters.example.token
    private let tokenForDefinition = DefinitionTokenParameters.tokenExample

    /// Returns what an operation gives to its completion handler.
    private func result<Response: Sendable>(
        of operation: (@escaping @Sendable (Response) -> Void) -> Void
    ) async -> Response {
        // A checked continuation stops the tests if it is resumed twice.
        await withCheckedContinuation { continuation in operation { continuation.resume(returning: $0) } }
    }

    private func fetchByAC(_ url: String) async -> PINCodeProvisioningJResponse {
        await result {
            PinCodeRequest.postGetPINRequest(
                "BANK", uniqueId: "102456", ac: "4711", timestamp: "1475255010", hashMac: "ab12", hostURL: url,
                completion: $0)
        }
    }

    @Test func `postGetPINRequest and postNotifyRequest fetch and confirm a PIN`() async throws {
        let server = DeliveringServer(delivery: TestDelivery(freeField: "Für Sie"))
        let (fetched, notified) = try await withTestServer(reacting: server.react) { url in
            let fetched = await fetchByAC(url)
            let notified: JResponse = await result {
                PinCodeRequest.postNotifyRequest(
                    "BANK", uniqueId: "102456", sessionId: fetched.sessionId ?? "", status: .APP_ERROR, hostURL: url,
                    completion: $0)
            }
            return (fetched, notified)
        }
        #expect(fetched.errorCode == 0 && fetched.errorMessage == "Success")
        #expect(fetched.imageData == TestDelivery.image(0) && fetched.images == [TestDelivery.image(0)])
        #expect(fetched.sessionId == "s-1" && fetched.freeField == "Für Sie")
        #expect(notified.errorCode == 0)
        let requests = server.recorder.requests
        #expect(requests.map(\.path) == [APIPath.captcha, APIPath.notify])
        let fetch = try #require(requests.first).decoded(CaptchaRequest.self)
        #expect(fetch.bankId == "BANK" && fetch.uniqueId == "102456" && fetch.authCode == "4711")
        #expect(fetch.timestamp == "1475255010" && fetch.hashMac == "ab12")
        let notify = try #require(requests.last).decoded(NotifyRequest.self)
        #expect(notify.bankId == "BANK" && notify.uniqueId == "102456" && notify.sessionId == "s-1")
        #expect(notify.status == 2 && notify.hash == TestDelivery.notifyHash("BANK102456s-12"))
    }

    @Test func `The token operations fetch and confirm a PIN`() async throws {
        let server = DeliveringServer()
        let codes = try await withTestServer(reacting: server.react) { url in
            let fetched: PINCodeProvisioningJResponse = await result {
                PinCodeRequest.postGetPINCaptchaTokenRequest(token, signature: "c2ln", hostURL: url, completion: $0)
            }
            #expect(fetched.imageData == TestDelivery.image(0))
            let notified: JResponse = await result {
                PinCodeRequest.postNotifyTokenRequest(
                    token, sessionId: fetched.sessionId ?? "", status: .SUCCESS, hostURL: url, completion: $0)
            }
            return [fetched.errorCode, notified.errorCode]
        }
        #expect(codes == [0, 0])
        let requests = server.recorder.requests
        #expect(requests.map(\.path) == [APIPath.tokenCaptcha, APIPath.tokenNotify])
        let fetch = try #require(requests.first).decoded(TokenCaptchaRequest.self)
        #expect(fetch.token == token && fetch.signature == "c2ln")
        let notify = try #require(requests.last).decoded(TokenNotifyRequest.self)
        #expect(notify.token == token && notify.hash == TestDelivery.notifyHash("BANK102456s-10"))
    }

    @Test func `postDefinePINRequest sends the sealed PIN`() async throws {
        let server = DefiningServer()
        let response: JResponse = try await withTestServer(reacting: server.react) { url in
            await result {
                PinCodeRequest.postDefinePINRequest(
                    "BANK", uniqueId: "102456", timestamp: "1475255010", hashMac: "ab12", PIN: "1234", hostURL: url,
                    completion: $0)
            }
        }
        #expect(response.errorCode == 0)
        let body = try #require(server.recorder.requests.last).decoded(DefinePINRequest.self)
        #expect(body.bankId == "BANK" && body.uniqueId == "102456")
        #expect(body.timestamp == "1475255010" && body.hashMac == "ab12")
        #expect(try DefiningServer.opened(body.pin).content == "1234            ")
    }

    @Test func `postDefinePinRequestECDH sends the sealed PIN`() async throws {
        let server = DefiningServer()
        let response: DefinePinTokenRequest = try await withTestServer(reacting: server.react) { url in
            await result {
                PinCodeRequest.postDefinePinRequestECDH(
                    tokenForDefinition, signature: "c2ln", pin: "1234", hostURL: url, completion: $0)
            }
        }
        #expect(response.errorCode == 0)
        let body = try #require(server.recorder.requests.last).decoded(DefinePINTokenRequest.self)
        #expect(body.token == tokenForDefinition && body.signature == "c2ln")
        #expect(try DefiningServer.opened(body.pin).content == "1234            ")
    }

    @Test func `A keypad has the form of section 5_5, and a definition uses it`() async throws {
        let keypad = ["4", "3", "2", nil, "6", "9", "0", "7", "5", nil, "8", "1"]
        let server = DefiningServer()
        try await withTestServer { request in
            guard request.path == APIPath.keypadCoordinates else { return try server.react(request) }
            server.recorder.record(request)
            return .json(KeypadAnswer(errorCode: 0, errorMessage: "Success", keypad: keypad, keypadId: "k-ios"))
        } _: { url in
            await withCheckedContinuation { continuation in
                PinCodeRequest.discardKeypads("BANK", uniqueId: "102456") { continuation.resume() }
            }
            for _ in 0..<2 {
                let fetched: GetKeypadCoordJResponse = await result {
                    PinCodeRequest.postGetCoordinateKeypad(
                        "BANK", uniqueId: "102456", keypadSize: "12", hostURL: url, completion: $0)
                }
                #expect(fetched.errorCode == 0)
                #expect(fetched.keyPad == "[4, 3, 2, null, 6, 9, 0, 7, 5, null, 8, 1]")
            }
            let defined: DefinePinTokenRequest = await result {
                PinCodeRequest.postDefinePinRequestECDH_CB(
                    tokenForDefinition, signature: "c2ln", indexes: "0,11,0,1", hostURL: url, completion: $0)
            }
            #expect(defined.errorCode == 0)
        }
        let requests = server.recorder.requests
        let asked = try #require(requests.first).decoded(KeypadCoordinatesRequest.self)
        #expect(asked.bankId == "BANK" && asked.uniqueId == "102456" && asked.keypadSize == 12)
        let body = try #require(requests.last).decoded(DefinePINIndexesRequest.self)
        #expect(body.token == tokenForDefinition && body.keypadId == "k-ios")
        #expect(try DefiningServer.opened(body.indexes).content.trimmingCharacters(in: .whitespaces) == "0,11,0,1")
    }

    @Test func `The server's code and message are passed to the app`() async throws {
        let response = try await withTestServer { _ in
            .json(CaptchaAnswer(errorCode: 203, errorMessage: "Wrong Authentication Code"))
        } _: { url in
            await fetchByAC(url)
        }
        #expect(response.errorCode == 203 && response.errorMessage == "Wrong Authentication Code")
        #expect(response.imageData == nil && response.images.isEmpty && response.sessionId == nil)
    }

    @Test(arguments: ["", "ten", "99999999999999999999"])
    func `A keypadSize that is not a number gives 90000`(size: String) async {
        let response: GetKeypadCoordJResponse = await result {
            PinCodeRequest.postGetCoordinateKeypad(
                "BANK", uniqueId: "102456", keypadSize: size, hostURL: "https://localhost", completion: $0)
        }
        #expect(response.errorCode == 90000)
        #expect(response.keyPad == nil)
    }

    @Test func `The completion handler is called once`() async throws {
        let calls = Mutex(0)
        _ = try await withTestServer { _ in
            .json(StatusAnswer(errorCode: 301, errorMessage: ""))
        } _: { url in
            for _ in 0..<3 {
                let _: PINCodeProvisioningJResponse = await result { complete in
                    PinCodeRequest.postGetPINCaptchaTokenRequest(token, signature: "c2ln", hostURL: url) { response in
                        calls.withLock { $0 += 1 }
                        complete(response)
                    }
                }
            }
        }
        #expect(calls.withLock { $0 } == 3)
    }

    @Test func `PinCodeRequest brings a key back`() async throws {
        let receipt = NotifyReceipt(sessionId: "s-ios", key: SymmetricKey(size: .bits256)).text
        for (text, expected) in [(receipt, true), (receipt + "A", false)] {
            let restored = await withCheckedContinuation { continuation in
                PinCodeRequest.restore(notifyReceipt: text) { continuation.resume(returning: $0) }
            }
            #expect(restored == expected)
        }
        #expect(await PinCodeRequest.session.notifyKeys.key(forSession: "s-ios") != nil)
    }

    @Test func `GETPIN_STATUS has the values of section 5_2`() {
        #expect(GETPIN_STATUS.allCases.map(\.rawValue) == NotifyStatus.allCases.map(\.rawValue))
        #expect([GETPIN_STATUS.SUCCESS, .SERVER_ERROR, .APP_ERROR].map(\.rawValue) == [0, 1, 2])
    }

    @Test func `A response does not print the PIN`() async throws {
        let image = TestDelivery.image(0)
        let response = try await withTestServer(reacting: DeliveringServer().react) { await fetchByAC($0) }
        #expect(response.imageData == image)
        var dumped = ""
        dump(response, to: &dumped)
        for text in ["\(response)", String(reflecting: response), dumped] { #expect(!text.contains(image)) }
    }
}
