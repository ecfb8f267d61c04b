import CardCompanionAPI
import Crypto
import Foundation
import NIOPosix
import NIOSSL
import Testing

@testable import CardCompanionSDK

/// The library codes that PIN distribution returns, provoked by a misbehaving server. 90010 is missing: with two valid
/// P-256 keys the key agreement cannot fail.
@Suite struct DistributionFaultTests {
    private func fetchByAC(
        _ server: DeliveringServer, session: CardCompanionSession = .test()
    ) async throws -> ProvisioningResponse {
        try await withTestServer(reacting: server.react) { url in
            await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: session)
        }
    }

    private func fetchByToken(
        session: CardCompanionSession = .test(), _ react: @escaping @Sendable (TestRequest) throws -> Reaction
    ) async throws -> ProvisioningResponse {
        try await withTestServer(reacting: react) { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: session)
        }
    }

    // MARK: Before the request

    private static let incompleteParameters = {
        let members: [WritableKeyPath<ProvisioningParameters, String>] = [
            \.bankId, \.uniqueId, \.authCode, \.timestamp, \.hashMac,
        ]
        return members.map { member in
            var parameters = ProvisioningParameters.example
            parameters[keyPath: member] = ""
            return parameters
        }
    }()

    @Test(arguments: incompleteParameters)
    func `An empty parameter gives 90000 and nothing is sent`(parameters: ProvisioningParameters) async throws {
        let server = DeliveringServer()
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 90000)
        #expect(server.recorder.requests.isEmpty)
    }

    @Test(arguments: [
        "", "not a url", "example.com", "https://", "ftp://localhost", "http://192.0.2.1", "http://127.0.0.1.example",
        "https://user:password@localhost", "https://localhost?a=b", "https://localhost#a",
    ])
    func `A hostUrl that is malformed or not https gives 90000`(hostUrl: String) async {
        let response = await PINDistribution.postGetPINCaptchaTokenRequest(
            .example, hostUrl: hostUrl, session: .test())
        #expect(response.errorCode == 90000)
    }

    @Test(arguments: ["https://192.0.2.1", "http://localhost:1", "http://127.1.2.3", "http://[::1]:1"])
    func `Https is allowed to every host, plain http to this machine`(hostUrl: String) throws {
        _ = try HostURL(hostUrl, allowsPlainHTTP: false)
    }

    @Test func `Plain http to other hosts is allowed if the app allows it`() throws {
        _ = try HostURL("http://192.0.2.1", allowsPlainHTTP: true)
    }

    @Test func `A token notify whose token lacks IdBEL or IdPorteur gives 90000`() async {
        for token in ["no JSON", "{}", #"{"IdBEL":"BANK"}"#] {
            let parameters = TokenNotifyParameters(token: token, sessionId: "s-1", status: .success)
            let response = await PINDistribution.postNotifyTokenRequest(
                parameters, hostUrl: "https://localhost", session: .test())
            #expect(response.errorCode == 90000)
        }
    }

    @Test func `Failing RSA key generation gives 90004`() async throws {
        var keys = FreshKeys.generated
        keys.rsa = { throw CryptoKitError.incorrectKeySize }
        #expect(try await fetchByAC(DeliveringServer(), session: .test(freshKeys: keys)).errorCode == 90004)
    }

    @Test func `Failing EC key generation gives 90008`() async throws {
        var keys = FreshKeys.generated
        keys.p256 = { throw CryptoKitError.incorrectKeySize }
        let session = CardCompanionSession.test(freshKeys: keys)
        #expect(try await fetchByToken(session: session, DeliveringServer().react).errorCode == 90008)
    }

    // MARK: The connection

    @Test func `A refused connection gives 90001`() async {
        // Port 1 (tcpmux) is not in use.
        let response = await PINDistribution.postGetPINCaptchaTokenRequest(
            .example, hostUrl: "http://127.0.0.1:1", session: .test())
        #expect(response.errorCode == 90001)
    }

    @Test(arguments: [Reaction.silence, .drip])
    func `An answer that does not end before the timeout gives 90006`(reaction: Reaction) async throws {
        let session = CardCompanionSession.test(configuration: .init(timeoutSeconds: 0.3))
        #expect(try await fetchByToken(session: session) { _ in reaction }.errorCode == 90006)
    }

    @Test(arguments: [Reaction.hangUp, .cutOff])
    func `A connection that closes before the end of the answer gives 90006`(reaction: Reaction) async throws {
        #expect(try await fetchByToken { _ in reaction }.errorCode == 90006)
    }

    @Test func `A cancelled call gives 90006`() async throws {
        let response = try await withTestServer(reacting: { _ in .silence }) { url in
            await withTaskGroup(of: ProvisioningResponse.self) { group in
                group.addTask {
                    await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
                }
                group.cancelAll()
                return await group.next()
            }
        }
        #expect(response?.errorCode == 90006)
    }

    @Test(.enabled(if: Oracle.isThere, Oracle.wanted))
    func `An untrusted server certificate gives 90006 and nothing is sent`() async throws {
        let made = try await Oracle.run("certificate", [:])
        let certificate = try NIOSSLCertificate(bytes: Array(#require(made["certificate"]).utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(#require(made["key"]).utf8), format: .pem)
        let tls = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
        let server = DeliveringServer()
        let response = try await withTestServer(tls: tls, reacting: server.react) { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 90006)
        #expect(server.recorder.requests.isEmpty)
    }

    @Test func `A server without TLS gives 90006`() async throws {
        let response = try await withTestServer(reacting: DeliveringServer().react) { url in
            let hostUrl = url.replacing("http://", with: "https://")
            return await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: hostUrl, session: .test())
        }
        #expect(response.errorCode == 90006)
    }

    @Test(arguments: [
        Reaction.answer(status: 500, body: #"{"errorCode":0,"errorMessage":"Success"}"#),
        .answer(status: 503, type: "application/problem+json", body: #"{"status":503,"title":"Store out of reach"}"#),
        .answer(status: 404, body: ""), .answer(status: 204, body: ""),
        .answer(status: 302, location: "/elsewhere", body: ""),
        .answer(status: 307, location: "/elsewhere", body: ""),
    ])
    func `Every status except 200 gives 90015, and redirects are not followed`(reaction: Reaction) async throws {
        let recorder = Recorder()
        let response = try await fetchByToken { request in
            recorder.record(request)
            return reaction
        }
        #expect(response.errorCode == 90015)
        #expect(recorder.requests.map(\.path) == [APIPath.tokenCaptcha])
    }

    // MARK: The answer

    @Test func `An empty body gives 90002`() async throws {
        #expect(try await fetchByToken { _ in .answer(body: "") }.errorCode == 90002)
    }

    @Test(arguments: [
        "{", "null", "[]", "OK", "{}", #"{"errorCode":"0","errorMessage":""}"#,
        #"{"errorCode":0,"errorMessage":"Success"}"#,
        #"{"errorCode":0,"errorMessage":"Success","pin":"a.b.c.d.e"}"#,
        #"{"errorCode":0,"errorMessage":"Success","pin":"a.b.c.d.e","sessionId":""}"#,
        #"{"errorCode":0,"errorMessage":"Success","pin":1,"sessionId":"s"}"#,
    ])
    func `A malformed answer gives 90003`(body: String) async throws {
        #expect(try await fetchByToken { _ in .answer(body: body) }.errorCode == 90003)
    }

    @Test func `An answer larger than the limit gives 90003`() async throws {
        let configuration = CardCompanionConfiguration(timeoutSeconds: 120, maximumAnswerByteCount: 1000)
        let padded = #"{"errorCode":203,"errorMessage":""}"#
        let exact = padded + String(repeating: " ", count: 1000 - padded.utf8.count)
        let session = CardCompanionSession.test(configuration: configuration)
        #expect(try await fetchByToken(session: session) { _ in .answer(body: exact) }.errorCode == 203)
        #expect(try await fetchByToken(session: session) { _ in .answer(body: exact + " ") }.errorCode == 90003)
        let huge = String(repeating: " ", count: 10_000_000)
        #expect(try await fetchByToken(session: session) { _ in .answer(body: huge) }.errorCode == 90003)
    }

    @Test(arguments: ["", "a.b.c.d", "a.b.c.d.e", "e30=.AA.AA.AA.AA", "e30.AA.AAAAAAAAAAAAAAAA.AA.AA"])
    func `A PIN that is not a JWE gives 90005`(pin: String) async throws {
        let response = try await fetchByToken { _ in
            .json(CaptchaAnswer(errorCode: 0, errorMessage: "Success", pin: pin, sessionId: "s-1"))
        }
        #expect(response.errorCode == 90005)
    }

    // MARK: The sealed PIN

    @Test(
        arguments: [
            (TestSealer(headerChanges: #"{"alg":"RSA-OAEP"}"#), 90005),
            (TestSealer(headerChanges: #"{"alg":"ECDH-ES+A256KW"}"#), 90005),
            (TestSealer(headerChanges: #"{"enc":"A128GCM"}"#), 90005),
            (TestSealer(headerChanges: #"{"enc":null}"#), 90005),
            (TestSealer(headerChanges: #"{"crit":["exp"],"exp":1}"#), 90005),
            (TestSealer(headerChanges: #"{"zip":"DEF"}"#), 90005),
            (TestSealer(garblesTag: true), 90005),
            (TestSealer(contentKey: SymmetricKey(size: .bits128)), 90012),
            (TestSealer(garblesEncryptedKey: true), 90012),
            (TestSealer(sealsToAnotherKey: true), 90012),
        ])
    func `A badly sealed PIN gives its code in both flows`(sealer: TestSealer, code: Int) async throws {
        let server = DeliveringServer(sealer: sealer)
        #expect(try await fetchByAC(server).errorCode == code)
        var other = server
        other.sealer.headerChanges = sealer.headerChanges.replacing("ECDH-ES+A256KW", with: "RSA-OAEP-256")
        #expect(try await fetchByToken(other.react).errorCode == code)
    }

    @Test(
        arguments: [
            (#"{"epk":null}"#, 90014),
            (#"{"epk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}"#, 90014),
            (#"{"epk":{"kty":"EC","crv":"P-384","x":"\#(zero)","y":"\#(zero)"}}"#, 90014),
            (#"{"epk":{"kty":"OKP","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}}"#, 90014),
            (#"{"epk":{"kty":"EC","crv":"P-256","x":"\#(zero)"}}"#, 90014),
            (#"{"epk":{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}}"#, 90009),
            (#"{"apu":"="}"#, 90005),
        ])
    func `A bad ephemeral key gives its code`(headerChanges: String, code: Int) async throws {
        let server = DeliveringServer(sealer: TestSealer(headerChanges: headerChanges))
        #expect(try await fetchByToken(server.react).errorCode == code)
    }

    private static let zero = Base64URL.encode([UInt8](repeating: 0, count: 32))

    @Test(
        arguments: [
            TestDelivery(format: "text"), TestDelivery(images: ["no base64!"]), TestDelivery(images: ["R0lGODlh"]),
            TestDelivery(notifyKey: "AA"), TestDelivery(notifyKey: "!"),
        ])
    func `A malformed plaintext gives 90011`(delivery: TestDelivery) async throws {
        #expect(try await fetchByToken(DeliveringServer(delivery: delivery).react).errorCode == 90011)
    }

    @Test(
        arguments: [
            TestDelivery(images: []), TestDelivery(images: [TestDelivery.image(0), TestDelivery.image(1)]),
            TestDelivery(length: 3), TestDelivery(length: 13), TestDelivery(length: -1),
            TestDelivery(format: "digits", images: digits), TestDelivery(format: "digits", images: digits, order: []),
            TestDelivery(format: "digits", images: digits, order: [0, 1, 2, 2]),
            TestDelivery(format: "digits", images: digits, order: [1, 2, 3, 4]),
            TestDelivery(format: "digits", length: 5, images: digits, order: [0, 1, 2, 3]),
            TestDelivery(format: "digits", length: 4, images: digits + digits, order: [0, 1, 2, 3]),
        ])
    func `Images that do not match the PIN give 90013 and a session`(delivery: TestDelivery) async throws {
        let server = DeliveringServer(delivery: delivery)
        let session = CardCompanionSession.test()
        let (fetched, notified) = try await withTestServer(reacting: server.react) { url in
            let fetched = await PINDistribution.postGetPINCaptchaTokenRequest(
                .example, hostUrl: url, session: session)
            let parameters = TokenNotifyParameters(
                token: TokenProvisioningParameters.example.token, sessionId: fetched.sessionId ?? "",
                status: .serverError)
            let notified = await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
            return (fetched, notified)
        }
        #expect(fetched.errorCode == 90013)
        #expect(fetched.pin == nil && fetched.images.isEmpty)
        #expect(notified.errorCode == 0)
    }

    private static let digits = (0..<4).map { TestDelivery.image($0) }
}
