import ArgumentParser
import CardCompanionAPI
import CardCompanionSDK
import Foundation

extension SandboxApp {
    /// Fetches a PIN (SDK document, sections 4.1 and 4.2).
    struct Fetch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fetch",
            abstract: "Fetches a PIN as an image, and confirms that it was shown.")

        /// How the cardholder is authenticated.
        enum Flow: String, ExpressibleByArgument {
            /// With an authentication code and an HMAC.
            case ac
            /// With a signed token.
            case token
        }

        @OptionGroup var options: Options
        @Option(help: "How to authenticate the cardholder: ac (authentication code and HMAC) or token.")
        var flow = Flow.ac
        @Option(help: "The file to write the image to.")
        var image: String

        func run() async throws {
            let bank = try options.bank()
            switch flow {
            case .ac: try await fetchWithCode(bank)
            case .token: try await fetchWithToken(bank)
            }
        }

        private func fetchWithCode(_ bank: BankBackEnd) async throws {
            let prepared = await PINDistribution.prepareFetch()
            let binding = try binding(of: prepared)
            let (cardholder, transaction) = (options.cardholder, bank.transaction())
            let parameters = ProvisioningParameters(
                bankId: bank.bankId, uniqueId: cardholder, authCode: try bank.authenticationCode(of: cardholder),
                timestamp: transaction.timestamp,
                hashMac: bank.hashMac(for: cardholder, transaction, binding: binding), preparedFetch: prepared)
            let answer = await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl: options.url)
            let sessionId = try show(answer)
            let notify = NotifyParameters(
                bankId: bank.bankId, uniqueId: cardholder, sessionId: sessionId, status: .success)
            try confirm(await PINDistribution.postNotifyRequest(notify, hostUrl: options.url))
        }

        private func fetchWithToken(_ bank: BankBackEnd) async throws {
            let prepared = await PINDistribution.prepareTokenFetch()
            let (token, signature) = try bank.token(
                for: options.cardholder, bank.transaction(), type: .delivery, binding: try binding(of: prepared))
            let answer = await PINDistribution.postGetPINCaptchaTokenRequest(
                TokenProvisioningParameters(token: token, signature: signature, preparedFetch: prepared),
                hostUrl: options.url)
            let sessionId = try show(answer)
            let notify = TokenNotifyParameters(token: token, sessionId: sessionId, status: .success)
            try confirm(await PINDistribution.postNotifyTokenRequest(notify, hostUrl: options.url))
        }

        private func binding(of prepared: PreparedFetch) throws -> String {
            try Failure.requireBinding(prepared.binding, "key", prepared.errorCode, prepared.errorMessage)
        }

        /// Writes the image to a file (a real app would show it) and returns the session.
        private func show(_ answer: ProvisioningResponse) throws -> String {
            let image = answer.pin.flatMap { Data(base64Encoded: $0) }
            guard answer.errorCode == 0, let sessionId = answer.sessionId, let png = image else {
                throw Failure(step: "fetch", code: answer.errorCode, message: answer.errorMessage)
            }
            try png.write(to: URL(fileURLWithPath: self.image))
            print("fetched the PIN of \(options.cardholder): \(self.image) (\(png.count) bytes)")
            if let freeField = answer.freeField { print("the bank says: \(freeField)") }
            return sessionId
        }

        private func confirm(_ answer: NotifyResponse) throws {
            guard answer.errorCode == 0 else {
                throw Failure(step: "notify", code: answer.errorCode, message: answer.errorMessage)
            }
            print("confirmed that it was shown")
        }
    }
}
