import Foundation
import ServerHarness

/// Sends authentication codes and PINs to a server in all ways, and records the responses.
struct Play: Sendable {
    let server: TestServer
    let bank: TestBank
    let app: TestApp
    var wrongCodes: [Arrival: String] = [:]
    var deliveries: [Delivered] = []
    var tokens: [String] = []
    var answers: [String] = []

    /// A request had an unexpected result.
    struct Unexpected: Error {
        let arrival: Arrival
        let answers: [String]
    }

    mutating func bring(_ holder: TestCardholder, _ arrival: Arrival) async throws {
        let body = try body(holder, arrival)
        let answers = try await RawConnection.open(server.port) { connection in
            let body = Array(JSON.object(body).text.utf8)
            return try await connection.bring(body, code: holder.code ?? "", arrival)
        }
        self.answers += answers.map { $0.head + $0.text }
        let codes = try answers.map { try JSON(parsing: $0.body).object?["errorCode"]?.integer }
        guard arrival.delivers == (codes.last == 0) else { throw Unexpected(arrival: arrival, answers: self.answers) }
        guard arrival.delivers, let last = answers.last else { return }
        try await confirm(last, holder, arrival)
    }

    private mutating func body(_ holder: TestCardholder, _ arrival: Arrival) throws -> [String: JSON] {
        var members = try app.captcha(bank, holder)
        switch arrival {
        case .inAToken:
            let token = bank.token(for: holder)
            tokens.append(token.text)
            return try app.tokenCaptcha(bank, token)
        case .withAWrongCode:
            let wrong = Secrets.code()
            wrongCodes[arrival] = wrong
            members["authCode"] = .string(wrong)
        case .withAWrongMAC: members["hashMac"] = .string(String(repeating: "0", count: 64))
        case .withoutAMember: members["rsaPublicKey"] = nil
        case .inAMistakenMember:
            members["code"] = members["authCode"]
            members["authCode"] = nil
        default: break
        }
        return members
    }

    private mutating func confirm(_ answer: RawAnswer, _ holder: TestCardholder, _ arrival: Arrival) async throws {
        let delivery = try Delivered(answer, for: app)
        deliveries.append(delivery)
        let token = arrival == .inAToken ? tokens.last : nil
        let notify = try await server.post(
            token == nil ? Path.notify : Path.tokenNotify, delivery.notify(bank, holder, token: token))
        answers.append(String(decoding: notify.body, as: UTF8.self))
        guard notify.code == 0 else { throw Unexpected(arrival: arrival, answers: answers) }
    }

    /// Defines a random PIN by token; returns it.
    mutating func define(by holder: TestCardholder) async throws -> String {
        let pin = Secrets.pin()
        let token = bank.token(for: holder, type: "02")
        tokens.append(token.text)
        let answer = try await server.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                "pin": .string(
                    try await server.sealingKey().seal(Array(pin.utf8), SealedBinding("pin", for: token))),
            ])
        answers.append(String(decoding: answer.body, as: UTF8.self))
        guard answer.code == 0 else { throw Unexpected(arrival: .inAToken, answers: answers) }
        return pin
    }
}
