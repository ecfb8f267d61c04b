import CardCompanionAPI
import CardCompanionSDK
import Foundation
import ServerHarness
import Testing

/// The SDK's PIN distribution against a real server.
@Suite("SDK: PIN distribution")
struct SDKTests {
    /// A longer timeout than an app's, because other tests can slow the machine down.
    private let session = CardCompanionSession(configuration: .init(timeoutSeconds: 120))

    @Test(
        "A PIN is fetched and confirmed by authentication code, in each format",
        arguments: ["captcha", "digits"])
    func byCode(format: String) async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder(pin: "491735", freeField: "Bonjour \"Zoë\" 🏦")
        let bank = try await service.makeBank(["--delivery-format", format], cardholders: [holder])
        let answer = await PINDistribution.postGetPINCaptchaRequest(
            parameters(bank, holder), hostUrl: service.server.url, session: session)
        try check(answer, format: format, holder)

        let notify = NotifyParameters(
            bankId: bank.id, uniqueId: holder.uniqueId, sessionId: try #require(answer.sessionId), status: .success)
        #expect(
            await PINDistribution.postNotifyRequest(notify, hostUrl: service.server.url, session: session).errorCode
                == 0)
        let again = parameters(bank, holder, timestamp: Stamps.next())
        #expect(
            await PINDistribution.postGetPINCaptchaRequest(again, hostUrl: service.server.url, session: session)
                .errorCode == 303)
    }

    @Test("A PIN is fetched and confirmed by token, in each format", arguments: ["captcha", "digits"])
    func byToken(format: String) async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder(pin: "491735", freeField: "Bonjour \"Zoë\" 🏦")
        let bank = try await service.makeBank(["--delivery-format", format], cardholders: [holder])
        let token = bank.token(for: holder).text
        let parameters = TokenProvisioningParameters(token: token, signature: try bank.signer.signature(of: token))
        let answer = await PINDistribution.postGetPINCaptchaTokenRequest(
            parameters, hostUrl: service.server.url, session: session)
        try check(answer, format: format, holder)

        let notify = TokenNotifyParameters(
            token: token, sessionId: try #require(answer.sessionId), status: .success)
        #expect(
            await PINDistribution.postNotifyTokenRequest(notify, hostUrl: service.server.url, session: session)
                .errorCode == 0)
        let again = await PINDistribution.postGetPINCaptchaTokenRequest(
            parameters, hostUrl: service.server.url, session: session)
        #expect(again.errorCode == 210)
    }

    @Test("A PIN is fetched with a key whose digest the bank's back-end has bound, by code and by token")
    func bound() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder()
        let settings = ["--bindings", "require", "--retention", "keep-repeat"]
        let bank = try await service.makeBank(settings, cardholders: [holder])
        let url = service.server.url
        let prepared = await PINDistribution.prepareFetch(session: session)
        var byCode = parameters(bank, holder)
        let keyBinding = try #require(prepared.binding)
        byCode.preparedFetch = prepared
        byCode.hashMac = bank.hashMac(
            uniqueId: holder.uniqueId, timestamp: byCode.timestamp, binding: keyBinding)
        let fetched = await PINDistribution.postGetPINCaptchaRequest(byCode, hostUrl: url, session: session)
        #expect(fetched.errorCode == 0 && fetched.pin != nil)

        let preparedForToken = await PINDistribution.prepareTokenFetch(session: session)
        let binding = try #require(preparedForToken.binding)
        let token = bank.token(for: holder).with(["Binding": .string(binding)]).text
        var byToken = TokenProvisioningParameters(
            token: token, signature: try bank.signer.signature(of: token), preparedFetch: preparedForToken)
        let fetchedByToken = await PINDistribution.postGetPINCaptchaTokenRequest(
            byToken, hostUrl: url, session: session)
        #expect(fetchedByToken.errorCode == 0 && fetchedByToken.pin != nil)

        byToken.preparedFetch = prepared
        let wrongKind = await PINDistribution.postGetPINCaptchaTokenRequest(byToken, hostUrl: url, session: session)
        #expect(wrongKind.errorCode == 90000)
        byToken.preparedFetch = nil
        let unbound = await PINDistribution.postGetPINCaptchaTokenRequest(byToken, hostUrl: url, session: session)
        #expect(unbound.errorCode == 206, "a new key is not the one that the token is bound to")
    }

    @Test("Hints arrive: a marked cardholder gets the digits if the app asks for them, and a large image otherwise")
    func hints() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder(pin: "491735", accessibility: "text")
        let bank = try await service.makeBank(["--text-pins", "true"], cardholders: [holder])
        for acceptsText in [true, false] {
            let hints = DisplayHints(theme: .dark, scale: 2, acceptsText: acceptsText)
            var byCode = parameters(bank, holder, timestamp: Stamps.next())
            byCode.hints = hints
            let token = bank.token(for: holder).text
            let byToken = TokenProvisioningParameters(
                token: token, signature: try bank.signer.signature(of: token), hints: hints)
            for answer in [
                await PINDistribution.postGetPINCaptchaRequest(byCode, hostUrl: service.server.url, session: session),
                await PINDistribution.postGetPINCaptchaTokenRequest(
                    byToken, hostUrl: service.server.url, session: session),
            ] {
                #expect(answer.errorCode == 0)
                #expect(answer.text == (acceptsText ? "491735" : nil))
                #expect(answer.images.count == (acceptsText ? 0 : 1))
                #expect((answer.pin == nil) == acceptsText)
                let png = answer.pin.flatMap { Data(base64Encoded: $0) }
                let width = png.map { $0[16..<20].reduce(0) { $0 << 8 | Int($1) } }
                #expect(width == (acceptsText ? nil : 960))
            }
        }
    }

    @Test("The server's error code and message are returned to the app")
    func wrongCode() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let answer = await PINDistribution.postGetPINCaptchaRequest(
            parameters(bank, holder.with(code: "Code4712")), hostUrl: service.server.url, session: session)
        #expect(answer.errorCode == 203)
        #expect(answer.errorMessage == "Wrong Authentication Code")
        #expect(answer.pin == nil && answer.images.isEmpty && answer.sessionId == nil)
    }

    @Test("After a notify of a failed display the PIN can be fetched again")
    func appError() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        for status in [NotifyStatus.appError, .serverError, .success] {
            let answer = await PINDistribution.postGetPINCaptchaRequest(
                parameters(bank, holder, timestamp: Stamps.next()), hostUrl: service.server.url, session: session)
            #expect(answer.errorCode == 0, "\(answer.errorMessage)")
            let notify = NotifyParameters(
                bankId: bank.id, uniqueId: holder.uniqueId, sessionId: try #require(answer.sessionId), status: status)
            #expect(
                await PINDistribution.postNotifyRequest(notify, hostUrl: service.server.url, session: session).errorCode
                    == 0)
        }
    }

    private func parameters(
        _ bank: TestBank, _ holder: TestCardholder, timestamp: Int = TestBank.timestamp()
    ) -> ProvisioningParameters {
        ProvisioningParameters(
            bankId: bank.id, uniqueId: holder.uniqueId, authCode: holder.code ?? "", timestamp: "\(timestamp)",
            hashMac: bank.hashMac(uniqueId: holder.uniqueId, timestamp: "\(timestamp)"))
    }

    private func check(_ answer: ProvisioningResponse, format: String, _ holder: TestCardholder) throws {
        #expect(answer.errorCode == 0, "\(answer.errorMessage)")
        #expect(answer.images.count == (format == "captcha" ? 1 : holder.pin?.count))
        #expect(answer.pin == (format == "captcha" ? answer.images.first : nil))
        #expect(answer.freeField == holder.freeField)
        for image in answer.images {
            #expect(Data(base64Encoded: image)?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        }
    }
}
