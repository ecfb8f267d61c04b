import CardCompanionAPI
import Foundation
import Testing

@testable import CardCompanionSDK

/// The calls of the SDK document's samples for iOS (4.1.2 to 4.5.2) in Swift, with its names and the order of its arguments.
extension PinCodeRequestTests {
    private static let (bank, unique, key) = ("BANK", "102456", "000102030405060708090a0b0c0d0e0f")
    private static let token = TokenProvisioningParameters.example.token
    private static let definitionToken = DefinitionTokenParameters.tokenExample

    /// The samples wait for the response, so they run on a thread of their own.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    @Test func `Sample of 4_1_2: a fetch with an authentication code, and its notify`() async throws {
        let server = DeliveringServer(delivery: TestDelivery(freeField: "Für Sie"))
        let codes = try await withTestServer(reacting: server.react) { pathUrl in
            await onThread {
                let (bank, unique) = (Self.bank, Self.unique)
                let ts = CardCompanionUtil.getTimestamp()
                let hexStr = CardCompanionUtil.stringToHex("\(bank)\(unique)\(ts)")
                let hmac = CardCompanionUtil.calculHashMacValue(Self.key, str: hexStr)
                let jresponse: PinCodeProvisioningJResponse = PinCodeRequest.postGetPinRequest(
                    bank, uniqueId: unique, ac: "4711", timestamp: ts, hmac: hmac, hostURL: pathUrl)
                let byTable: PINCodeProvisioningJResponse = PinCodeRequest.postGetPINRequest(
                    bank, uniqueId: unique, ac: "4711", timestamp: ts.stringValue, hashMac: hmac, hostURL: pathUrl)
                let j: JResponse = PinCodeRequest.postNotifyRequest(
                    bank, uniqueId: unique, sessionId: jresponse.sessionId ?? "", status: 0, hostURL: pathUrl)
                return [jresponse.errorCode, byTable.errorCode, j.errorCode, jresponse.imageData == nil ? 1 : 0]
            }
        }
        #expect(codes == [0, 0, 0, 0])
        let requests = server.recorder.requests
        #expect(requests.map(\.path) == [APIPath.captcha, APIPath.captcha, APIPath.notify])
        let sent = try requests[0].decoded(CaptchaRequest.self)
        #expect(sent.timestamp.count == 10)
        #expect(
            sent.hashMac
                == CryptoUtil.computeHMAC(key: Self.key, data: Self.bank + Self.unique + sent.timestamp))
        #expect(try requests[1].decoded(CaptchaRequest.self).hashMac == sent.hashMac)
    }

    @Test func `Sample of 4_2_2: a fetch with a token, and its notify`() async throws {
        let server = DeliveringServer()
        let codes = try await withTestServer(reacting: server.react) { url in
            await onThread {
                let (token, signature, status) = (Self.token, "c2ln", GETPIN_STATUS.SUCCESS)
                let jresponse: PinCodeProvisioningJResponse = PinCodeRequest.postGetPinCaptchaTokenRequest(
                    token, signature: signature, hostURL: url)
                let notified: JResponse = PinCodeRequest.postNotifyTokenRequest(
                    token, sessionId: jresponse.sessionId ?? "", status: status, hostURL: url)
                let byTable = PinCodeRequest.postGetPINCaptchaTokenRequest(token, signature: signature, hostURL: url)
                let byNumber = PinCodeRequest.postNotifyTokenRequest(
                    token, sessionId: byTable.sessionId ?? "", status: 1, hostURL: url)
                return [jresponse.errorCode, notified.errorCode, byTable.errorCode, byNumber.errorCode]
            }
        }
        #expect(codes == [0, 0, 0, 0])
        let paths = server.recorder.requests.map(\.path)
        #expect(paths == [APIPath.tokenCaptcha, APIPath.tokenNotify, APIPath.tokenCaptcha, APIPath.tokenNotify])
    }

    @Test func `Samples of 4_3_2 and 4_4_2: a definition by HMAC and by token`() async throws {
        let server = DefiningServer()
        let codes = try await withTestServer(reacting: server.react) { hostURL in
            await onThread {
                let (bankId, uniqueId, hmac, pin) = (Self.bank, Self.unique, "ab12", "1234")
                let timestamp = CardCompanionUtil.getTimestamp().stringValue
                // The sample itself has no PIN.
                let definePinJResponse: JResponse = PinCodeRequest.postDefinePinRequest(
                    bankId, uniqueId: uniqueId, timestamp: timestamp, hmac: hmac, PIN: pin, hostURL: hostURL)
                let byTable = PinCodeRequest.postDefinePINRequest(
                    bankId, uniqueId: uniqueId, timestamp: timestamp, hashMac: hmac, PIN: pin, hostURL: hostURL)
                let byToken: DefinePinTokenRequest = PinCodeRequest.postDefinePinRequestECDH(
                    Self.definitionToken, signature: "c2ln", pin: pin, hostURL: hostURL)
                return [definePinJResponse.errorCode, byTable.errorCode, byToken.errorCode]
            }
        }
        #expect(codes == [0, 0, 0])
        let posts = server.recorder.requests.filter { $0.method == "POST" }
        #expect(posts.map(\.path) == [APIPath.definePIN, APIPath.definePIN, APIPath.definePINToken])
        let sent = try posts[0].decoded(DefinePINRequest.self)
        #expect(try DefiningServer.opened(sent.pin).content == "1234            ")
    }

    @Test func `Sample of 4_5_2: a definition by positions on a keypad`() async throws {
        let server = DefiningServer()
        let keypad = ["4", "3", "2", nil, "6", "9", "0", "7", "5", nil, "8", "1"]
        let codes = try await withTestServer { request in
            guard request.path == APIPath.keypadCoordinates else { return try server.react(request) }
            server.recorder.record(request)
            return .json(KeypadAnswer(errorCode: 0, errorMessage: "Success", keypad: keypad, keypadId: "k-1"))
        } _: { hostURL in
            await onThread {
                let (bankId, uniqueId, token, signature) = (Self.bank, Self.unique, Self.definitionToken, "c2ln")
                let (indexes, keypadSize) = ("0,1,0,1", "12")
                let keypadJResponse: GetKeypadCoordJResponse = PinCodeRequest.postGetCoodinateKeypad(
                    bankId, uniqueId: uniqueId, hostURL: hostURL, keypadSize: keypadSize)
                let bySample: DefinePinTokenRequest = PinCodeRequest.postDefinePinRequestECDH_CB(
                    token, pinIndex: indexes, signature: signature, hostURL: hostURL)
                _ = PinCodeRequest.postGetCoordinateKeypad(
                    bankId, uniqueId: uniqueId, keypadSize: keypadSize, hostURL: hostURL)
                let byTable = PinCodeRequest.postDefinePinRequestECDH_CB(
                    token, signature: signature, indexes: indexes, hostURL: hostURL)
                let byList = PinCodeRequest.postDefineTokenRequestECDH_CB(
                    token, signature: signature, indexes: indexes, hostURL: hostURL)
                let inThePlural = PinCodeRequest.postDefinePinRequestECDH_CB(
                    token, pinIndexes: indexes, signature: signature, hostURL: hostURL)
                return [keypadJResponse, bySample, byTable, byList, inThePlural].map(\.errorCode)
            }
        }
        #expect(codes == [0, 0, 0, 0, 0])
        let posts = server.recorder.requests.filter { $0.method == "POST" }
        #expect(posts.filter { $0.path == APIPath.keypadCoordinates }.count == 2)
        let named = try posts.filter { $0.path == APIPath.definePINIndexes }
            .map { try $0.decoded(DefinePINIndexesRequest.self).keypadId }
        #expect(named == ["k-1", "k-1", nil, nil])
    }

    @Test func `A configuration counts for later requests`() async throws {
        let strict = PinCodeConfiguration()
        strict.minimumPINLength = 6
        strict.pinnedServerKeyThumbprints = ["unknown"]
        PinCodeRequest.configure(strict)
        defer { PinCodeRequest.use(.shared) }
        let codes = try await withTestServer(reacting: DefiningServer().react) { url in
            await onThread {
                ["1234", "123456"].map { pin in
                    PinCodeRequest.postDefinePinRequestECDH(
                        Self.definitionToken, signature: "c2ln", pin: pin, hostURL: url
                    ).errorCode
                }
            }
        }
        #expect(codes == [90007, 90009])
    }

    @Test func `A call that waits is refused on the main thread`() {
        let refused = PinCodeRequest.fetch(Self.token, "c2ln", "https://localhost").wait(isMainThread: true)
        #expect(refused.errorCode == 90000)
        #expect(refused.errorMessage.contains("call it on another thread than the main one"))
    }
}
