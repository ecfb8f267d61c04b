import ServerHarness
import Testing

extension TestServer {
    /// Fetches by authentication code, with changed members if given.
    func fetch(
        _ bank: TestBank, _ cardholder: TestCardholder, timestamp: Int = TestBank.timestamp(),
        changing changes: [String: JSON] = [:]
    ) async throws -> HTTPAnswer {
        let body = try TestApp().captcha(bank, cardholder, timestamp: timestamp).merging(changes) { $1 }
        return try await post(Path.captcha, body)
    }

    /// Fetches by token, with changed members if given.
    func fetch(
        _ bank: TestBank, token: TestToken, signer: TestAuthority.Signer? = nil, changing changes: [String: JSON] = [:]
    ) async throws -> HTTPAnswer {
        let body = try TestApp().tokenCaptcha(bank, token, signer: signer).merging(changes) { $1 }
        return try await post(Path.tokenCaptcha, body)
    }

    /// Fetches by authentication code and opens the delivery.
    func deliver(
        _ bank: TestBank, _ cardholder: TestCardholder, timestamp: Int = TestBank.timestamp()
    ) async throws -> TestDelivery {
        let app = try TestApp()
        let answer = try await post(Path.captcha, app.captcha(bank, cardholder, timestamp: timestamp))
        try #require(answer.code == 0, "\(answer.members)")
        return try app.open(answer)
    }

    /// Fetches by token and opens the delivery.
    func deliver(_ bank: TestBank, token: TestToken) async throws -> TestDelivery {
        let app = try TestApp()
        let answer = try await post(Path.tokenCaptcha, app.tokenCaptcha(bank, token))
        try #require(answer.code == 0, "\(answer.members)")
        return try app.open(answer)
    }

    /// Fetches by authentication code and confirms the delivery; returns the code of the notify.
    func deliverAndConfirm(
        _ bank: TestBank, _ cardholder: TestCardholder, timestamp: Int = TestBank.timestamp()
    ) async throws -> Int? {
        let delivery = try await deliver(bank, cardholder, timestamp: timestamp)
        return try await post(Path.notify, delivery.notify(bank, cardholder)).code
    }
}

extension TestCardholder {
    /// A copy with another authentication code.
    func with(code: String?) -> TestCardholder {
        var copy = self
        copy.code = code
        return copy
    }

    /// An SQL condition that selects the cardholder's row.
    func row(_ bank: TestBank) -> String {
        "bank_id = '\(bank.id)' AND unique_id = '\(uniqueId)'"
    }
}
