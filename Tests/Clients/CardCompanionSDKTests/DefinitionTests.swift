import CardCompanionAPI
import Foundation
import Testing

@testable import CardCompanionSDK

/// PIN definition against a well-behaved server.
@Suite struct DefinitionTests {
    @Test(.enabled(if: Oracle.isThere, Oracle.wanted), arguments: [("RSA", "size", "2048"), ("EC", "crv", "P-256")])
    func `jwcrypto decrypts the PIN`(type: String, parameter: String, value: String) async throws {
        let key = try await Oracle.run("key", ["kty": type, "kid": "key-1", parameter: value])
        let published = try #require(key["public"])
        let recorder = Recorder()
        try await withTestServer { request in
            recorder.record(request)
            return .answer(
                body: request.path == APIPath.keySet
                    ? #"{"keys":[\#(published)]}"# : #"{"errorCode":0,"errorMessage":"Success"}"#)
        } _: { url in
            let response =
                type == "RSA"
                ? await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: .test())
                : await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: .test())
            #expect(response.errorCode == 0)
        }
        let body = try #require(recorder.requests.last).decoded([String: String].self)
        let opened = try await Oracle.run(
            "open", ["sealed": try #require(body["pin"]), "key": try #require(key["private"])])
        #expect(opened["plaintext"] == "1234            ")
        #expect(opened["header"]?.contains(#""kid": "key-1""#) == true)
    }

    @Test(.enabled(if: Oracle.isThere, Oracle.wanted), arguments: [("RSA", "size", "2048"), ("EC", "crv", "P-256")])
    func `A thumbprint matches jwcrypto's`(type: String, parameter: String, value: String) async throws {
        let key = try await Oracle.run("key", ["kty": type, "kid": "key-1", parameter: value])
        let jwk = try JSONDecoder().decode(JWK.self, from: Data(#require(key["public"]).utf8))
        #expect(jwk.thumbprint == key["thumbprint"])
    }

    @Test(
        arguments: [
            ("now", DefinedPINEffect.now), ("later", .later), (nil, nil), ("tomorrow", nil),
        ] as [(String?, DefinedPINEffect?)])
    func `The response of every definition says when the PIN works, if the bank does`(
        effective: String?, expected: DefinedPINEffect?
    ) async throws {
        var server = DefiningServer()
        server.answer.effective = effective
        try await withTestServer(reacting: server.react) { url in
            let responses = [
                await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: .test()),
                await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: .test()),
                await PINDefinition.postDefinePINECDHCBRequest(.indexesExample, hostUrl: url, session: .test()),
            ]
            #expect(responses.map(\.errorCode) == [0, 0, 0])
            #expect(responses.map(\.effective) == [expected, expected, expected])
            #expect(JResponse(responses[0]).effective == expected?.rawValue)
        }
    }

    @Test func `Definition by HMAC fetches the key set and sends all members`() async throws {
        let server = DefiningServer()
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        let requests = server.recorder.requests
        #expect(requests.map(\.path) == [APIPath.keySet, APIPath.definePIN])
        #expect(requests.map(\.method) == ["GET", "POST"])
        let body = try #require(requests.last).decoded(DefinePINRequest.self)
        #expect(body.bankId == "BANK" && body.uniqueId == "102456")
        #expect(body.timestamp == "1475255010" && body.hashMac == "ab12")
        let opened = try DefiningServer.opened(body.pin)
        #expect(opened.content == "1234            ")
        #expect(opened.header.kid == "rsa-1")
        #expect(opened.header.names == ["pin", "BANK", "102456", "1475255010", nil])
    }

    @Test func `Definition by token sends the token unchanged`() async throws {
        let server = DefiningServer()
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        let request = try #require(server.recorder.requests.last)
        #expect(request.path == APIPath.definePINToken)
        let body = try request.decoded(DefinePINTokenRequest.self)
        #expect(body.token == DefinitionTokenParameters.tokenExample && body.signature == "c2ln")
        let opened = try DefiningServer.opened(body.pin)
        #expect(opened.content == "1234            ")
        #expect(opened.header.kid == "ec-1")
        #expect(opened.header.names == ["pin", "BANK", "102456", "T-1", nil])
    }

    @Test func `Definition by keypad sends padded indexes and the keypadId`() async throws {
        let server = DefiningServer()
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINECDHCBRequest(.indexesExample, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        let request = try #require(server.recorder.requests.last)
        #expect(request.path == APIPath.definePINIndexes)
        let body = try request.decoded(DefinePINIndexesRequest.self)
        #expect(body.keypadId == "k-1")
        let opened = try DefiningServer.opened(body.indexes)
        #expect(opened.content.utf8.count == 64)
        #expect(opened.content.trimmingCharacters(in: .whitespaces) == "0,11,0,1")
        #expect(opened.header.names == ["indexes", "BANK", "102456", "T-1", "k-1"])
    }

    @Test func `Members that the token does not have are not in the header: the server says what is missing`()
        async throws
    {
        let server = DefiningServer()
        let response = try await withTestServer(reacting: server.react) { url in
            let parameters = DefinitionTokenParameters(token: "{}", signature: "c2ln", pin: "1234")
            return await PINDefinition.postDefinePINECDHRequest(parameters, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        let body = try #require(server.recorder.requests.last).decoded(DefinePINTokenRequest.self)
        #expect(try DefiningServer.opened(body.pin).header.names == ["pin", nil, nil, nil, nil])
    }

    @Test func `The server's code and message are passed to the app`() async throws {
        let server = DefiningServer(answer: DefinitionAnswer(errorCode: 131, errorMessage: "PIN format is invalid"))
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == DefinitionCode.invalidPINFormat.rawValue)
        #expect(response.errorMessage == "PIN format is invalid")
    }

    @Test func `A keypad is passed to the app with its empty places`() async throws {
        let keypad = ["4", "3", "2", nil, "6", "9", "0", "7", "5", nil, "8", "1"]
        let recorder = Recorder()
        let response = try await withTestServer { request in
            recorder.record(request)
            return .json(KeypadAnswer(errorCode: 0, errorMessage: "Success", keypad: keypad, keypadId: "k-1"))
        } _: { url in
            await PINDefinition.postGetKeyPadCoordinatesRequest(
                KeyPadCoordinatesParameters(bankId: "BANK", uniqueId: "102456", keypadSize: 12), hostUrl: url,
                session: .test())
        }
        #expect(response.errorCode == 0)
        #expect(response.keypad == keypad)
        #expect(response.keypadId == "k-1")
        let body = try #require(recorder.requests.first).decoded(KeypadCoordinatesRequest.self)
        #expect(body.bankId == "BANK" && body.uniqueId == "102456" && body.keypadSize == 12)
    }

    @Test func `The pinned key is used even if it is not the first`() async throws {
        let keys = [makeKey("ec-0")] + DefiningServer.publishedKeys
        let pinned = try #require(keys.last?.thumbprint)
        let server = DefiningServer(keys: keys)
        let session = CardCompanionSession.test(
            configuration: .init(timeoutSeconds: 120, pinnedServerKeyThumbprints: [pinned]))
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: session)
        }
        #expect(response.errorCode == 0)
        let body = try #require(server.recorder.requests.last).decoded(DefinePINTokenRequest.self)
        #expect(try DefiningServer.opened(body.pin).header.kid == "ec-1")
    }

    @Test func `Longer PINs are sent if the configuration allows them`() async throws {
        let server = DefiningServer()
        let session = CardCompanionSession.test(
            configuration: .init(timeoutSeconds: 120, definedPINLengths: 4...12))
        let response = try await withTestServer(reacting: server.react) { url in
            var parameters = DefinitionTokenParameters.pinExample
            parameters.pin = "123456789012"
            return await PINDefinition.postDefinePINECDHRequest(parameters, hostUrl: url, session: session)
        }
        #expect(response.errorCode == 0)
    }
}
