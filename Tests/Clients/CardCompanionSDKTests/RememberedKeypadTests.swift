import CardCompanionAPI
import Synchronization
import Testing

@testable import CardCompanionSDK

/// Which keypad a definition names if the app does not name one.
@Suite struct RememberedKeypadTests {
    /// A server that hands out the keypads k-1, k-2, and so on, and answers definitions with a code.
    private struct KeypadServer: Sendable {
        var definitions = DefiningServer()
        private let count = CountedKeypads()

        var react: @Sendable (TestRequest) throws -> Reaction {
            { request in
                guard request.path == APIPath.keypadCoordinates else { return try definitions.react(request) }
                let keypad = ["4", "3", "2", nil, "6", "9", "0", "7", "5", nil, "8", "1"]
                return .json(
                    KeypadAnswer(errorCode: 0, errorMessage: "Success", keypad: keypad, keypadId: "k-\(count.next())"))
            }
        }

        /// The keypadIds of the definitions that were sent.
        var named: [String?] {
            get throws {
                try definitions.recorder.requests.filter { $0.path == APIPath.definePINIndexes }
                    .map { try $0.decoded(DefinePINIndexesRequest.self).keypadId }
            }
        }
    }

    private final class CountedKeypads: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private static func fetch(_ url: String, _ session: CardCompanionSession, uniqueId: String = "102456") async {
        let parameters = KeyPadCoordinatesParameters(bankId: "BANK", uniqueId: uniqueId, keypadSize: 12)
        let answer = await PINDefinition.postGetKeyPadCoordinatesRequest(parameters, hostUrl: url, session: session)
        #expect(answer.errorCode == 0)
    }

    private static func define(_ url: String, _ session: CardCompanionSession, keypadId: String? = nil) async -> Int {
        var parameters = DefinitionTokenParameters.indexesExample
        parameters.keypadId = keypadId
        return await PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl: url, session: session).errorCode
    }

    @Test func `The keypad that was fetched is named, until a definition succeeds`() async throws {
        let server = KeypadServer()
        let session = CardCompanionSession.test()
        try await withTestServer(reacting: server.react) { url in
            await Self.fetch(url, session)
            await Self.fetch(url, session, uniqueId: "another")
            #expect(await Self.define(url, session) == 0)
            #expect(await Self.define(url, session) == 0)
        }
        #expect(try server.named == ["k-1", nil])
    }

    @Test func `A refused definition leaves the keypad, so that the cardholder can correct the PIN`() async throws {
        let refusing = DefiningServer(answer: DefinitionAnswer(errorCode: 131, errorMessage: "PIN format is invalid"))
        let server = KeypadServer(definitions: refusing)
        let session = CardCompanionSession.test()
        try await withTestServer(reacting: server.react) { url in
            await Self.fetch(url, session)
            #expect(await Self.define(url, session) == 131)
            #expect(await Self.define(url, session) == 131)
        }
        #expect(try server.named == ["k-1", "k-1"])
    }

    @Test func `The newest keypad is named, unless the app names one or discards it`() async throws {
        let server = KeypadServer()
        let session = CardCompanionSession.test()
        try await withTestServer(reacting: server.react) { url in
            await Self.fetch(url, session)
            await Self.fetch(url, session)
            #expect(await Self.define(url, session) == 0)
            await Self.fetch(url, session)
            await Self.fetch(url, session)
            #expect(await Self.define(url, session, keypadId: "k-3") == 0)
            await Self.fetch(url, session)
            await PINDefinition.discardKeypads(bankId: "BANK", uniqueId: "102456", session: session)
            #expect(await Self.define(url, session) == 0)
        }
        #expect(try server.named == ["k-2", "k-3", nil])
    }

    @Test func `A keypad is forgotten after five minutes`() async throws {
        let server = KeypadServer()
        let clock = ManualClock()
        let session = CardCompanionSession.test(clock: clock)
        try await withTestServer(reacting: server.react) { url in
            await Self.fetch(url, session)
            clock.advance(bySeconds: 299)
            await Self.fetch(url, session)
            clock.advance(bySeconds: 1)
            #expect(await Self.define(url, session) == 0)
        }
        #expect(try server.named == ["k-2"])
    }

    @Test func `A token that is not a JSON object gives 90000`() async throws {
        for token in ["x", "[]", #"{"IdBEL":7}"#] {
            let parameters = DefinitionTokenParameters(token: token, signature: "c2ln", indexes: "0,1,2,3")
            let response = await PINDefinition.postDefinePINECDHCBRequest(
                parameters, hostUrl: "http://127.0.0.1:1", session: .test())
            #expect(response.errorCode == 90000)
        }
    }
}
