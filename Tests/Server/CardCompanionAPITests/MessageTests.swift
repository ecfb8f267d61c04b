import CardCompanionAPI
import Foundation
import Testing

@Suite struct MessageTests {
    private func members(_ value: some Encodable) throws -> Set<String> {
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any]
        return Set(try #require(object).keys)
    }

    @Test func `Empty places of a keypad are encoded as null`() throws {
        let answer = KeypadAnswer(errorCode: 0, errorMessage: "Success", keypad: ["4", nil, "3"], keypadId: "k")
        let text = try #require(String(bytes: JSONEncoder().encode(answer), encoding: .utf8))
        #expect(text.contains(#""keypad":["4",null,"3"]"#))
    }

    @Test func `An error answer contains only code and message`() throws {
        #expect(try members(CaptchaAnswer(errorCode: 301, errorMessage: "m")) == ["errorCode", "errorMessage"])
        #expect(try members(KeypadAnswer(errorCode: 212, errorMessage: "m")) == ["errorCode", "errorMessage"])
    }

    @Test func `Requests have exactly the protocol's members`() throws {
        let captcha = CaptchaRequest(
            bankId: "b", uniqueId: "u", authCode: "a", timestamp: "1475255010", hashMac: "h", rsaPublicKey: "k")
        #expect(try members(captcha) == ["bankId", "uniqueId", "authCode", "timestamp", "hashMac", "rsaPublicKey"])
        let notify = NotifyRequest(bankId: "b", uniqueId: "u", sessionId: "s", status: 0, hash: "h")
        #expect(try members(notify) == ["bankId", "uniqueId", "sessionId", "status", "hash"])
        let tokenCaptcha = TokenCaptchaRequest(token: "t", signature: "s", ecdhPublicKey: "k")
        #expect(try members(tokenCaptcha) == ["token", "signature", "ecdhPublicKey"])
        let tokenNotify = TokenNotifyRequest(token: "t", sessionId: "s", status: 0, hash: "h")
        #expect(try members(tokenNotify) == ["token", "sessionId", "status", "hash"])
        let keypad = KeypadCoordinatesRequest(bankId: "b", uniqueId: "u", keypadSize: 12)
        #expect(try members(keypad) == ["bankId", "uniqueId", "keypadSize"])
        let pin = DefinePINRequest(bankId: "b", uniqueId: "u", timestamp: "t", hashMac: "h", pin: "p")
        #expect(try members(pin) == ["bankId", "uniqueId", "timestamp", "hashMac", "pin"])
        #expect(
            try members(DefinePINTokenRequest(token: "t", signature: "s", pin: "p")) == ["token", "signature", "pin"])
        let indexes = DefinePINIndexesRequest(token: "t", signature: "s", indexes: "i", keypadId: "k")
        #expect(try members(indexes) == ["token", "signature", "indexes", "keypadId"])
    }
}
