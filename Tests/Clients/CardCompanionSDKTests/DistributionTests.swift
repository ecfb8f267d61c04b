import CardCompanionAPI
import CardCompanionSDK
import Foundation
import Testing

/// Fetch and notify against a well-behaved server.
@Suite struct DistributionTests {
    @Test(.enabled(if: Oracle.isThere, Oracle.wanted))
    func `A PIN that jwcrypto sealed to the RSA key is decrypted`() async throws {
        let response = try await withTestServer { request in
            let key = try request.decoded(CaptchaRequest.self).rsaPublicKey
            let sealed = try Oracle.runHere(
                "seal", ["plaintext": try TestDelivery().json, "alg": "RSA-OAEP-256", "spki": key])
            return .json(CaptchaAnswer(errorCode: 0, errorMessage: "Success", pin: sealed["jwe"], sessionId: "s-1"))
        } _: { url in
            await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        #expect(response.pin == TestDelivery.image(0))
        #expect(response.sessionId == "s-1")
    }

    @Test(.enabled(if: Oracle.isThere, Oracle.wanted))
    func `A PIN that jwcrypto sealed to the P-256 key is decrypted`() async throws {
        let response = try await withTestServer { request in
            let key = try request.decoded(TokenCaptchaRequest.self).ecdhPublicKey
            let sealed = try Oracle.runHere(
                "seal",
                [
                    "plaintext": try TestDelivery().json, "alg": "ECDH-ES+A256KW", "spki": key, "apu": "QWxpY2U",
                    "apv": "Qm9i",
                ])
            return .json(CaptchaAnswer(errorCode: 0, errorMessage: "Success", pin: sealed["jwe"], sessionId: "s-1"))
        } _: { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        #expect(response.pin == TestDelivery.image(0))
    }

    @Test func `A fetch by authentication code sends all members and a new key each time`() async throws {
        let server = DeliveringServer()
        try await withTestServer(reacting: server.react) { url in
            for _ in 0..<2 {
                _ = await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: .test())
            }
        }
        let requests = server.recorder.requests
        #expect(requests.map(\.path) == [APIPath.captcha, APIPath.captcha])
        #expect(requests.allSatisfy { $0.method == "POST" && $0.contentType == "application/json" })
        let bodies = try requests.map { try $0.decoded(CaptchaRequest.self) }
        try #require(bodies.count == 2)
        #expect(bodies[0].bankId == "BANK" && bodies[0].uniqueId == "102456" && bodies[0].authCode == "4711")
        #expect(bodies[0].timestamp == "1475255010" && bodies[0].hashMac == "ab12")
        #expect(bodies[0].rsaPublicKey != bodies[1].rsaPublicKey)
    }

    @Test func `A notify sends the HMAC under the delivered notifyKey`() async throws {
        let server = DeliveringServer()
        let session = CardCompanionSession.test()
        let notified = try await withTestServer(reacting: server.react) { url in
            _ = await PINDistribution.postGetPINCaptchaRequest(.example, hostUrl: url, session: session)
            let parameters = NotifyParameters(
                bankId: "BANK", uniqueId: "102456", sessionId: "s-1", status: .appError)
            return await PINDistribution.postNotifyRequest(parameters, hostUrl: url, session: session)
        }
        #expect(notified.errorCode == 0)
        let request = try #require(server.recorder.requests.last)
        #expect(request.path == APIPath.notify)
        let body = try request.decoded(NotifyRequest.self)
        #expect(body.sessionId == "s-1" && body.status == 2)
        #expect(body.hash == TestDelivery.notifyHash("BANK102456s-12"))
    }

    @Test func `A token notify takes the identifiers from the token and sends it unchanged`() async throws {
        let server = DeliveringServer()
        let session = CardCompanionSession.test()
        let token = TokenProvisioningParameters.example.token
        let notified = try await withTestServer(reacting: server.react) { url in
            _ = await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: session)
            let parameters = TokenNotifyParameters(token: token, sessionId: "s-1", status: .success)
            return await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: url, session: session)
        }
        #expect(notified.errorCode == 0)
        let requests = server.recorder.requests
        #expect(requests.map(\.path) == [APIPath.tokenCaptcha, APIPath.tokenNotify])
        #expect(try requests.first?.decoded(TokenCaptchaRequest.self).token == token)
        let body = try #require(requests.last).decoded(TokenNotifyRequest.self)
        #expect(body.token == token)
        #expect(body.hash == TestDelivery.notifyHash("BANK102456s-10"))
    }

    @Test func `Digit images are in the PIN's order and there is no captcha`() async throws {
        let images = (0..<5).map { TestDelivery.image($0) }
        let server = DeliveringServer(
            delivery: TestDelivery(format: "digits", length: 5, images: images, order: [3, 1, 4, 0, 2]))
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == 0)
        #expect(response.pin == nil)
        #expect(response.images == [3, 1, 4, 0, 2].map { TestDelivery.image($0) })
    }

    @Test func `The bank's free field is passed to the app`() async throws {
        let server = DeliveringServer(delivery: TestDelivery(freeField: "Für Sie"))
        let response = try await withTestServer(reacting: server.react) { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.freeField == "Für Sie")
    }

    @Test func `The server's code and message are passed to the app`() async throws {
        let response = try await withTestServer { _ in
            .json(CaptchaAnswer(errorCode: 203, errorMessage: "Wrong Authentication Code"))
        } _: { url in
            await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: url, session: .test())
        }
        #expect(response.errorCode == DistributionCode.wrongAuthenticationCode.rawValue)
        #expect(response.errorMessage == "Wrong Authentication Code")
        #expect(response.pin == nil && response.sessionId == nil && response.images.isEmpty)
    }

    @Test func `A path in hostUrl is kept`() async throws {
        let server = DeliveringServer()
        try await withTestServer(reacting: server.react) { url in
            for base in [url + "/cards", url + "/cards/"] {
                _ = await PINDistribution.postGetPINCaptchaTokenRequest(.example, hostUrl: base, session: .test())
            }
        }
        let path = "/cards" + APIPath.tokenCaptcha
        #expect(server.recorder.requests.map(\.path) == [path, path])
    }
}

/// A server that delivers the same PIN to every fetch, with the session `s-1`.
struct DeliveringServer: Sendable {
    var delivery = TestDelivery()
    var sealer = TestSealer()
    let recorder = Recorder()

    var react: @Sendable (TestRequest) throws -> Reaction {
        { request in
            recorder.record(request)
            let path = APIPath.self
            if request.path.hasSuffix(path.tokenCaptcha) {
                let key = try request.decoded(TokenCaptchaRequest.self).ecdhPublicKey
                return try deliver(sealer.seal(delivery.json, toP256: key))
            }
            if request.path.hasSuffix(path.captcha) {
                let key = try request.decoded(CaptchaRequest.self).rsaPublicKey
                return try deliver(sealer.seal(delivery.json, toRSA: key))
            }
            return .json(StatusAnswer(errorCode: 0, errorMessage: "Success"))
        }
    }

    private func deliver(_ sealed: String) -> Reaction {
        .json(CaptchaAnswer(errorCode: 0, errorMessage: "Success", pin: sealed, sessionId: "s-1"))
    }
}
