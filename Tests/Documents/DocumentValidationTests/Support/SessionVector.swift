import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import Foundation
import SecureMemory
import StrictJSON
import Testing

/// A recorded session of docs/vectors/documents.json.
struct SessionVector: Codable, Sendable, CustomTestStringConvertible {
    enum Side: String, Codable {
        case app, server
    }

    struct Message: Codable, Equatable {
        let from: Side
        /// One of both is there; binary messages are hex.
        var text: String?
        var binary: String?
    }

    /// The server's key pair for chip authentication.
    struct TerminalKey: Codable {
        let curve: String
        let privateKey: String
    }

    let name: String
    /// Now, in Unix seconds.
    let time: Int64
    /// The certificate of the state's authority, which the server trusts.
    let authority: String
    let challenge: String
    /// Nil if the chip has no key for chip authentication.
    let terminalKey: TerminalKey?
    let messages: [Message]
    let refusals: [String]
    /// What is posted if the session has failed: JSON. Nil if it has a result.
    let report: String?
    let closeCode: Int
    let closeReason: String

    var testDescription: String { name }

    /// What the file has.
    struct File: Codable {
        let about: String
        let sessions: [SessionVector]
    }

    static let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/vectors/documents.json")

    static let all = Result { try JSONDecoder().decode(File.self, from: Data(contentsOf: url)).sessions }
}

/// Plays the server's side with known random numbers, and keeps what both sides say.
struct RecordedSession {
    private(set) var messages: [SessionVector.Message] = []
    private(set) var refusals: [String] = []
    private(set) var report: String?
    private(set) var closure: Closure?

    private var session: ValidationSession
    private let anchors: TrustAnchors
    private let time: Int64
    private let start = ContinuousClock.now

    init(challenge: [UInt8], terminalKey: ECPrivateKey?, authority: [UInt8], time: Int64) throws {
        anchors = TrustAnchors([try SigningCertificate(Octets(copying: authority))])
        self.time = time
        let keyPairs = TerminalKeyPairs(
            ellipticCurve: { (curve) throws(CryptographyError) in
                if let terminalKey { return terminalKey }
                return try ECPrivateKey.generate(on: curve)
            }, diffieHellman: { (group) throws(CryptographyError) in try DHPrivateKey.generate(in: group) })
        session = ValidationSession(challenge: challenge, keyPairs: keyPairs, memory: FileMemory(), openedAt: start)
    }

    /// Takes a message of the app.
    ///
    /// - Returns: the server's answers.
    mutating func take(_ message: SessionVector.Message) throws -> [SessionVector.Message] {
        messages.append(message)
        let count = messages.count
        if let text = message.text {
            try follow(session.receive(text: SecretBytes(copying: Array(text.utf8)), at: start))
        } else {
            let bytes = try #require(message.binary.flatMap(Hex.decode))
            try follow(session.receive(binary: Octets(copying: bytes), at: start))
        }
        return Array(messages[count...])
    }

    private mutating func follow(_ actions: [ValidationSession.Action]) throws {
        for action in actions {
            switch action {
            case .admit: try follow(session.accept())
            case .send(let message): try send(message)
            case .sendBinary(let message):
                messages.append(.init(from: .server, binary: Hex.encode(message.encoded.bytes.withBytes { Array($0) })))
            case .verify(let evidence): try follow(session.finish(result: result(of: verify(evidence))))
            case .monitoring: break
            case .report(let failure): report = text(of: verify(failure.evidence), cause: failure.cause)
            case .close(let closure):
                self.closure = closure
                try send(.close(closure))
            }
        }
    }

    private mutating func send(_ message: ServerMessage) throws {
        let text = try message.text().bytes.withBytes { String(decoding: $0, as: UTF8.self) }
        messages.append(.init(from: .server, text: text))
    }

    private mutating func verify(_ evidence: DocumentEvidence) -> DocumentVerification {
        let found = DocumentVerification.verify(evidence, anchors: anchors, at: time, assurance: .chip) { _ in true }
        refusals = found.refusals.map(\.rawValue)
        return found
    }

    private func result(of found: DocumentVerification, cause: String? = nil) -> SharedSecret {
        let subject = ResultSubject(
            bankId: "bank", clientId: "app", validationId: "check", expected: "none", verifiedAt: time)
        return ResultJSON.text(of: found, subject, cause: cause)
    }

    private func text(of found: DocumentVerification, cause: String) -> String {
        result(of: found, cause: cause).bytes.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
