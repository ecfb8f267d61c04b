import Foundation
import ServerHarness

/// The answer to a fetch by token: its HTTP status and its code.
struct FetchAnswer: Equatable, CustomStringConvertible {
    let status: Int
    let code: Int?

    static let delivered = FetchAnswer(status: 200, code: 0)

    var description: String { "HTTP \(status), code \(code.map(String.init) ?? "none")" }
}

extension TestServer {
    func fetch(_ holder: TestCardholder, of bank: TestBank) async throws -> FetchAnswer {
        let app = try TestApp()
        let answer = try await post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: holder)))
        return FetchAnswer(status: answer.status, code: answer.status == 200 ? answer.code : nil)
    }
}
