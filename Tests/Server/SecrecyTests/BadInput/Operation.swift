import Foundation
import ServerHarness

/// The operations of the protocol, each with a valid request.
enum Operation: String, CaseIterable, Sendable {
    case captcha = "/v1/pin-distribution/captcha"
    case notify = "/v1/pin-distribution/notify"
    case tokenCaptcha = "/v1/pin-distribution/token/captcha"
    case tokenNotify = "/v1/pin-distribution/token/notify"
    case keypad = "/v1/pin-definition/keypad-coordinates"
    case definePIN = "/v1/pin-definition/pin"
    case definePINByToken = "/v1/pin-definition/token/pin"
    case definePINByIndexes = "/v1/pin-definition/token/pin-indexes"

    var path: String { rawValue }

    /// The code for an internal error (protocol, section 2.9).
    var faultCode: Int { path.contains("distribution") ? 500 : 300 }

    var hasToken: Bool { path.contains("token") }

    /// The code for the valid request. It is not 0 if the named session or keypad does not exist, or if the JWE is sealed to
    /// the EC key instead of the RSA key.
    var codeWhereNothingIsWrong: Int {
        switch self {
        case .captcha, .tokenCaptcha, .keypad, .definePINByToken: 0
        case .notify, .tokenNotify: 312
        case .definePIN: 200
        case .definePINByIndexes: 214
        }
    }

    /// A request as a bank's app sends it. The sessions and keypads that it names do not exist.
    func members(_ target: Target, for holder: TestCardholder? = nil) throws -> [String: JSON] {
        let (bank, holder) = (target.bank, holder ?? target.holder)
        let timestamp = "\(TestBank.timestamp())"
        let hash = JSON.string(String(repeating: "0a", count: 32))
        var members: [String: JSON] = ["bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId)]
        switch self {
        case .captcha: return try target.app.captcha(bank, holder)
        case .tokenCaptcha: return try target.app.tokenCaptcha(bank, bank.token(for: holder))
        case .notify, .tokenNotify:
            if hasToken { members = ["token": .string(bank.token(for: holder).text)] }
            return members.merging(["sessionId": "Zm9vYmFyYmF6cXV4cXV1eGNvcmdl", "status": 0, "hash": hash]) { $1 }
        case .keypad: return members.merging(["keypadSize": 12]) { $1 }
        case .definePIN:
            let hashMac = JSON.string(bank.hashMac(uniqueId: holder.uniqueId, timestamp: timestamp))
            return try members.merging([
                "timestamp": .string(timestamp), "hashMac": hashMac,
                "pin": .string(target.key.seal(Array("4917".utf8), nil)),
            ]) { $1 }
        case .definePINByToken, .definePINByIndexes:
            let token = bank.token(for: holder, type: "02")
            let signature = try bank.signer.signature(of: token.text)
            members = ["token": .string(token.text), "signature": .string(signature)]
            guard self == .definePINByIndexes else {
                members["pin"] = .string(
                    try target.key.seal(Array("4917".utf8), SealedBinding("pin", for: token)))
                return members
            }
            let keypadId = "Zm9vYmFyYmF6cXV4cXV1eGNvcmdl"
            let binding = SealedBinding("indexes", for: token, keypadId: keypadId)
            members["keypadId"] = .string(keypadId)
            members["indexes"] = .string(try target.key.seal(Array("1,2,3,4".utf8), binding))
            return members
        }
    }

    /// The same request with one changed token member, signed by the bank.
    func members(_ target: Target, changingToken name: String, to value: JSON) throws -> [String: JSON] {
        var members = try members(target)
        guard let text = members["token"]?.string else { return members }
        let token = TestToken(members: try JSON(parsing: text).object ?? [:]).with([name: value]).text
        members["token"] = .string(token)
        members["signature"] = .string(try target.bank.signer.signature(of: token))
        return members
    }
}

/// The server, bank and cardholders that get malformed input.
struct Target: Sendable {
    let installation: TestInstallation
    let server: TestServer
    let bank: TestBank
    let holder: TestCardholder
    /// A cardholder who gets only valid requests, so that these succeed.
    let undisturbed: TestCardholder
    let app: TestApp
    let key: SealingKey

    static let shared = Once { try await Target() }

    private init() async throws {
        installation = try await TestInstallation()
        // No request is refused because there are so many.
        server = try await installation.startServer(
            ["--housekeeping-interval-seconds", "86400"],
            environment: [
                "HTTP_ADDRESS_RATE": "1000000", "HTTP_ADDRESS_BURST": "1000000", "LOOKUPS_RATE": "1000000",
                "CARDHOLDER_REQUESTS": "100",
            ])
        bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "100"])
        (holder, undisturbed) = (TestCardholder(), TestCardholder())
        app = try TestApp()
        key = try await server.sealingKey()
        try await installation.provision([holder, undisturbed], of: bank, through: server)
    }

    /// The log lines about internal errors.
    var faults: [String] { server.logLines(with: "Internal server error") }
}

extension RawConnection {
    /// Posts a body on this connection, which stays open.
    mutating func post(_ path: String, _ body: [UInt8]) async throws -> RawAnswer {
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.count)"
        try await send(Array("\(head)\r\n\r\n".utf8) + body)
        guard let answer = try await receiveAnswer() else {
            throw NoAnswer(body: String(decoding: body, as: UTF8.self))
        }
        return answer
    }

    /// The server closed the connection instead of responding.
    struct NoAnswer: Error {
        let body: String
    }
}

extension RawAnswer {
    /// The body's `errorCode`.
    var code: Int? { (try? JSON(parsing: body))?.object?["errorCode"]?.integer }

    /// Whether it is an HTTP problem (RFC 9457) whose `status` member matches the response's status.
    var isProblem: Bool {
        head.lowercased().contains("content-type: application/problem+json")
            && (try? JSON(parsing: body))?.object?["status"]?.integer == status
    }
}
