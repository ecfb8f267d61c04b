import ArgumentParser
import CardCompanionAPI
import CardCompanionSDK
import Foundation

/// A demo of both sides of a bank: its back-end, which authenticates the cardholder and signs, and its app, which
/// fetches the PIN with the SDK and shows it. In a real bank these are separate, and the app has none of its keys.
@main
struct SandboxApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox-app",
        abstract: "Fetches a PIN from the sandbox as an image with the SDK, and confirms that it was shown.",
        discussion: """
            EXAMPLES
              sandbox-app --sandbox .data/sandbox --cardholder alice --image pin.png
              sandbox-app --sandbox .data/sandbox --cardholder bob --flow token --image pin.png
            """)

    /// How the cardholder is authenticated.
    enum Flow: String, ExpressibleByArgument {
        /// With an authentication code and an HMAC.
        case ac
        /// With a signed token.
        case token
    }

    @Option(help: "The server's base URL.")
    var url = "http://127.0.0.1:8080"
    @Option(help: "The folder with the sandbox's files, such as .data/sandbox.")
    var sandbox: String
    @Option(help: "The cardholder whose PIN to fetch.")
    var cardholder = "alice"
    @Option(help: "How to authenticate the cardholder: ac (authentication code and HMAC) or token.")
    var flow = Flow.ac
    @Option(help: "The file to write the image to.")
    var image: String

    func run() async throws {
        let bank = try BankBackEnd(sandbox: URL(fileURLWithPath: sandbox))
        switch flow {
        case .ac: try await fetchWithCode(bank)
        case .token: try await fetchWithToken(bank)
        }
    }

    private func fetchWithCode(_ bank: BankBackEnd) async throws {
        let proof = bank.hmac(for: cardholder)
        let parameters = ProvisioningParameters(
            bankId: bank.bankId, uniqueId: cardholder, authCode: try bank.authenticationCode(of: cardholder),
            timestamp: proof.timestamp, hashMac: proof.hashMac)
        let answer = await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl: url)
        let sessionId = try show(answer)
        let notify = NotifyParameters(
            bankId: bank.bankId, uniqueId: cardholder, sessionId: sessionId, status: .success)
        try confirm(await PINDistribution.postNotifyRequest(notify, hostUrl: url))
    }

    private func fetchWithToken(_ bank: BankBackEnd) async throws {
        let (token, signature) = try bank.token(for: cardholder)
        let answer = await PINDistribution.postGetPINCaptchaTokenRequest(
            TokenProvisioningParameters(token: token, signature: signature), hostUrl: url)
        let sessionId = try show(answer)
        let notify = TokenNotifyParameters(token: token, sessionId: sessionId, status: .success)
        try confirm(await PINDistribution.postNotifyTokenRequest(notify, hostUrl: url))
    }

    /// Writes the image to a file (a real app would show it) and returns the session.
    private func show(_ answer: ProvisioningResponse) throws -> String {
        let image = answer.pin.flatMap { Data(base64Encoded: $0) }
        guard answer.errorCode == 0, let sessionId = answer.sessionId, let png = image else {
            throw Failure(step: "fetch", code: answer.errorCode, message: answer.errorMessage)
        }
        try png.write(to: URL(fileURLWithPath: self.image))
        print("fetched the PIN of \(cardholder): \(self.image) (\(png.count) bytes)")
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

/// A step that failed, with its code.
struct Failure: Error, CustomStringConvertible {
    let step: String
    let code: Int
    let message: String

    var description: String { "\(step): \(code) \(message)" }
}
