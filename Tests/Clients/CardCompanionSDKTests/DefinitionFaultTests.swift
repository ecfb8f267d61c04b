import CardCompanionAPI
import Crypto
import Foundation
import Testing

@testable import CardCompanionSDK

/// An EC key to publish. Its private key is discarded.
func makeKey(_ id: String) -> JWK {
    var key = JWK(P256.KeyAgreement.PrivateKey().publicKey)
    key.kid = id
    return key
}

/// The library codes that PIN definition returns.
@Suite struct DefinitionFaultTests {
    private func define(_ react: @escaping @Sendable (TestRequest) throws -> Reaction) async throws -> Int {
        try await withTestServer(reacting: react) { url in
            await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: .test()).errorCode
        }
    }

    // MARK: Parameters

    @Test func `An empty parameter gives 90000 and nothing is sent`() async throws {
        let server = DefiningServer()
        let codes = try await withTestServer(reacting: server.react) { url in
            var hmac = DefinitionParameters.example
            hmac.hashMac = ""
            var token = DefinitionTokenParameters.pinExample
            token.signature = ""
            let keypad = KeyPadCoordinatesParameters(bankId: "", uniqueId: "1", keypadSize: 10)
            return [
                await PINDefinition.postDefinePINRequest(hmac, hostUrl: url, session: .test()).errorCode,
                await PINDefinition.postDefinePINECDHRequest(token, hostUrl: url, session: .test()).errorCode,
                await PINDefinition.postGetKeyPadCoordinatesRequest(keypad, hostUrl: url, session: .test()).errorCode,
                // A PIN instead of indexes, and indexes instead of a PIN.
                await PINDefinition.postDefinePINECDHCBRequest(.pinExample, hostUrl: url, session: .test()).errorCode,
                await PINDefinition.postDefinePINECDHRequest(.indexesExample, hostUrl: url, session: .test()).errorCode,
            ]
        }
        #expect(codes == [90000, 90000, 90000, 90000, 90000])
        #expect(server.recorder.requests.isEmpty)
    }

    @Test(arguments: ["123", "1234567", "12a4", "12 4", "-123", "+123", "１２３４", "١٢٣٤", "12345678901234567"])
    func `A PIN that is not 4 to 6 digits gives 90007 and nothing is sent`(pin: String) async throws {
        let server = DefiningServer()
        let codes = try await withTestServer(reacting: server.react) { url in
            var hmac = DefinitionParameters.example
            hmac.pin = pin
            let token = DefinitionTokenParameters(token: "{}", signature: "c2ln", pin: pin)
            return [
                await PINDefinition.postDefinePINRequest(hmac, hostUrl: url, session: .test()).errorCode,
                await PINDefinition.postDefinePINECDHRequest(token, hostUrl: url, session: .test()).errorCode,
            ]
        }
        #expect(codes == [90007, 90007])
        #expect(server.recorder.requests.isEmpty)
    }

    @Test(arguments: ["0,1,2", "0,1,2,3,4,5,6", "0,1,,3", "0,1,2,60", "0,1,2,-3", "[0,1,2,3", "0;1;2;3", "123", "a"])
    func `Malformed indexes give 90007 and nothing is sent`(indexes: String) async throws {
        let server = DefiningServer()
        let parameters = DefinitionTokenParameters(token: "{}", signature: "c2ln", indexes: indexes)
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 90007)
        #expect(server.recorder.requests.isEmpty)
    }

    @Test(arguments: [
        ("0,1,0,1", "0,1,0,1"), ("[0, 1, 0, 1]", "0,1,0,1"), ("2936", "2936"), ("0,59,10,1,2,3", "0,59,10,1,2,3"),
    ])
    func `Indexes are accepted with commas, in brackets and as plain digits`(indexes: String, sealed: String) throws {
        let content = try PINPlaintext.indexes(indexes, lengths: 4...6)
        #expect(String(decoding: content, as: UTF8.self) == sealed.padding(toLength: 64, withPad: " ", startingAt: 0))
    }

    // MARK: The server's keys

    @Test func `A server key that is not pinned gives 90009, RSA and EC`() async throws {
        let session = CardCompanionSession.test(
            configuration: .init(timeoutSeconds: 120, pinnedServerKeyThumbprints: ["another"]))
        let server = DefiningServer()
        let codes = try await withTestServer(reacting: server.react) { url in
            [
                await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: session).errorCode,
                await PINDefinition.postDefinePINECDHRequest(.pinExample, hostUrl: url, session: session).errorCode,
            ]
        }
        #expect(codes == [90009, 90009])
        #expect(server.recorder.requests.map(\.path) == [APIPath.keySet, APIPath.keySet])
    }

    @Test func `A point that is not on the curve gives 90009`() async throws {
        var key = makeKey("ec-1")
        key.y = key.x
        #expect(try await define(DefiningServer(keys: [key]).react) == 90009)
    }

    @Test func `A malformed EC key gives 90014`() async throws {
        var curveless = makeKey("ec-1")
        curveless.crv = "P-384"
        var short = makeKey("ec-1")
        short.x = "AA"
        var absent = makeKey("ec-1")
        absent.y = nil
        for key in [curveless, short, absent] {
            #expect(try await define(DefiningServer(keys: [key]).react) == 90014)
        }
    }

    @Test func `A key set without a usable key gives 90003`() async throws {
        var signing = makeKey("ec-1")
        signing.use = "sig"
        var nameless = makeKey("ec-1")
        nameless.kid = nil
        var other = makeKey("ec-1")
        other.alg = "ECDH-ES"
        for keys in [[], [signing], [nameless], [other]] {
            #expect(try await define(DefiningServer(keys: keys).react) == 90003)
        }
    }

    @Test func `An RSA key of less than 2048 bits gives 90003`() async throws {
        let small = JWK(
            kty: "RSA", kid: "rsa-1", n: Base64URL.encode([0x80] + [UInt8](repeating: 1, count: 127)), e: "AQAB")
        let server = DefiningServer(keys: [small])
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDefinition.postDefinePINRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 90003)
    }

    // MARK: The answers

    @Test(arguments: [
        (Reaction.answer(status: 503, body: "{}"), 90015), (.answer(body: ""), 90002), (.answer(body: "{}"), 90003),
        (.hangUp, 90006),
    ])
    func `A bad answer to the key set request gives its code`(reaction: Reaction, code: Int) async throws {
        #expect(try await define { _ in reaction } == code)
    }

    @Test(arguments: [
        (Reaction.answer(status: 500, body: "{}"), 90015), (.answer(body: ""), 90002), (.answer(body: "[]"), 90003),
        (.hangUp, 90006),
    ])
    func `A bad answer to the definition gives its code`(reaction: Reaction, code: Int) async throws {
        let publish = DefiningServer().react
        #expect(try await define { $0.path == APIPath.keySet ? try publish($0) : reaction } == code)
    }

    @Test(
        arguments: [
            nil, [], ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", nil, nil, nil],
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", nil, nil, nil],
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "8", nil, nil],
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "9", nil],
            ["0", "1", "2", "3", "4", "5", "6", "7", "8", "x", nil, nil],
        ] as [[String?]?])
    func `A keypad of the wrong size or with wrong digits gives 90003`(keypad: [String?]?) async throws {
        let response = try await withTestServer { _ in
            .json(KeypadAnswer(errorCode: 0, errorMessage: "Success", keypad: keypad, keypadId: "k"))
        } _: { url in
            await PINDefinition.postGetKeyPadCoordinatesRequest(
                KeyPadCoordinatesParameters(bankId: "BANK", uniqueId: "102456", keypadSize: 12), hostUrl: url,
                session: .test())
        }
        #expect(response.errorCode == 90003)
        #expect(response.keypad.isEmpty)
    }
}
