import Administration
import CardCompanionModel
import CardCompanionServer
import Foundation
import JOSE
import SecureMemory
import StrictJSON

/// The bank's host in small: it gets a PVV of each PIN that a cardholder defines, and keeps it for the terminal.
struct SandboxHost {
    /// How long a new value waits until terminals go by it. A real host can take a night.
    private static let effectSeconds = 3
    /// When a call is repeated that the server has not served.
    private static let retrySeconds = 5
    /// The kinds of refusals that do not last: another call with this key is being served, or was served in the last 24 hours.
    private static let passing = ["idempotency-under-way", "idempotency-key-reused"]
    private static let problemURN = "urn:card-companion:problem:"
    private static let member = "pinExport"

    private enum Outcome {
        case value(SharedSecret)
        case notNow(reason: String, afterSeconds: Int)
        /// The same call would be refused each time.
        case never(reason: String)
    }

    private let sandbox: Sandbox
    private let backEnd: BackEnd
    private let hsm: SandboxHSM

    init(of sandbox: Sandbox, url: String) throws {
        self.sandbox = sandbox
        backEnd = try BackEnd(url: url, directory: sandbox.directory)
        hsm = try SandboxHSM(directory: sandbox.directory)
    }

    /// Answers a line of the connector. What the answer says is in the file before it is given, so the same line can come again, also to
    /// another process of this program.
    ///
    /// - Throws: if the file cannot be read or written, or the server's answer is not understood.
    func answer(to line: ConnectorLine) async throws -> ConnectorAnswer {
        var cards = try HostCards(of: sandbox)
        let isSent = line.state == DefinedPINStage.sent.rawValue
        switch cards[line.uniqueId].goOn(with: line.event, isSent: isSent) {
        case .effective:
            try cards.save()
            return .effective(line)
        case .sent: return .sent(line, afterSeconds: Self.effectSeconds)
        case .ask: break
        }
        switch try await value(for: line, &cards) {
        case .value(let pvv):
            cards[line.uniqueId].next = HostCard.Value(event: line.event, pvv: pvv)
            try cards.save()
            return .sent(line, afterSeconds: Self.effectSeconds)
        case .notNow(let reason, let seconds):
            Terminal.note("the host has no value for \(line.uniqueId), and asks again in \(seconds) s: \(reason)")
            return .pending(line, afterSeconds: seconds)
        case .never(let reason): return .failed(line, reason: reason)
        }
    }

    /// Asks the server for the PVV.
    private func value(for line: ConnectorLine, _ cards: inout HostCards) async throws -> Outcome {
        let id = "pvv-\(line.event)"
        let binding = JWEBinding(
            contentType: Self.member, issuer: Sandbox.bankId.text, subject: line.uniqueId, id: id)
        do {
            let body = try await body(for: line, binding, &cards)
            let answer = try await backEnd.post(body, to: try Self.path(of: line.uniqueId), idempotencyKey: id)
            guard answer.status == 200, case .string(let sealed)? = answer.json[Self.member] else {
                return Self.refusal(answer)
            }
            let opened = try JSONText(backEnd.open(sealed, binding))
            guard let pvv = SharedSecret(opened.secret(of: "value")) else {
                throw CommandError.refused("the server has answered without a value")
            }
            return .value(pvv)
        } catch let failure as BackEnd.NoAnswer {
            return .notNow(reason: failure.reason, afterSeconds: Self.retrySeconds)
        }
    }

    /// What is sent. It is kept before that: sealed once more it would be another call with the same Idempotency-Key.
    private func body(
        for line: ConnectorLine, _ binding: JWEBinding, _ cards: inout HostCards
    ) async throws -> String {
        if let call = cards[line.uniqueId].call, call.event == line.event { return call.body }
        let wish = JSONWriter.object { json in
            json.add("pan", utf8: SandboxCard(of: line.uniqueId).number.bytes)
            json.add("key", hsm.keyLabel)
            json.add("method", "pvv")
        }
        let body = try Terminal.encode([Self.member: try await backEnd.seal(wish, binding)])
        cards[line.uniqueId].call = HostCard.Call(event: line.event, body: body)
        try cards.save()
        return body
    }

    private static func refusal(_ answer: BackEnd.Answer) -> Outcome {
        var (kind, detail) = ("", "")
        if case .string(let type)? = answer.json["type"] { kind = type.replacing(problemURN, with: "") }
        if case .string(let text)? = answer.json["detail"] { detail = text }
        let reason = String("\(answer.status) \(kind): \(detail)".prefix(DefinedPINState.reasonLimit))
        switch answer.status {
        case 409 where passing.contains(kind), 422 where passing.contains(kind):
            return .notNow(reason: reason, afterSeconds: retrySeconds)
        case 404, 409, 422: return .never(reason: reason)
        default: return .notNow(reason: reason, afterSeconds: answer.retryAfterSeconds ?? retrySeconds)
        }
    }

    private static func path(of uniqueId: String) throws -> String {
        let unreserved = CharacterSet(charactersIn: "-._~").union(CharacterSet(charactersIn: "0"..."9"))
            .union(CharacterSet(charactersIn: "A"..."Z")).union(CharacterSet(charactersIn: "a"..."z"))
        guard let segment = uniqueId.addingPercentEncoding(withAllowedCharacters: unreserved) else {
            throw CommandError.badInput("'\(uniqueId)' is no cardholder's name")
        }
        return "/v1/banks/\(Sandbox.bankId)/cardholders/\(segment)/pin:verification-value"
    }
}
