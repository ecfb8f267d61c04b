import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import Foundation
import SecureMemory
import Testing

/// docs/vectors/documents.json. Tests/Clients/VectorTests looks at the same file with Python.
@Suite("Recorded sessions")
struct SessionVectorTests {
    @Test("The server says, byte by byte, what was recorded", arguments: try SessionVector.all.get())
    func replay(_ vector: SessionVector) throws {
        let terminalKey = try vector.terminalKey.map { key in
            try ECPrivateKey(
                curve: #require(NamedCurve(rawValue: key.curve)),
                number: SecretBytes(copying: #require(Hex.decode(key.privateKey))))
        }
        var session = try RecordedSession(
            challenge: #require(Hex.decode(vector.challenge)), terminalKey: terminalKey,
            authority: #require(Hex.decode(vector.authority)), time: vector.time)
        for message in vector.messages where message.from == .app { _ = try session.take(message) }
        #expect(session.messages == vector.messages)
        #expect(session.refusals == vector.refusals && session.report == vector.report)
        #expect(
            session.closure.map { Int($0.code) } == vector.closeCode && session.closure?.reason == vector.closeReason)
    }

    @Test("There are sessions that pass, and one for each way to fail that a chip or its holder can try")
    func coverage() throws {
        let refusals = Set(try SessionVector.all.get().map(\.refusals))
        #expect(
            refusals.isSuperset(of: [
                [], ["passiveAuthenticationFailed"], ["documentExpired"], ["chipCannotBeAuthenticated"],
                ["activeAuthenticationFailed", "wrongActiveAuthenticationSignature"],
            ]))
        // A chip without the keys of chip authentication cannot speak in the new channel, and the bank learns it.
        let failed = try SessionVector.all.get().filter { $0.closeReason == "FILE_READ_ERROR" }
        #expect(failed.count == 2 && failed.allSatisfy { $0.refusals.contains("chipAuthenticationFailed") })
        #expect(failed.allSatisfy { $0.report?.contains(#""chipAuthenticationResult":"FAILED""#) == true })
    }

    /// Writes the file anew. The keys are random, so that every value changes.
    @Test("Sessions are recorded", .enabled(if: ProcessInfo.processInfo.environment[recordVariable] != nil))
    func record() throws {
        let file = SessionVector.File(
            about: "Sessions of document verification (/ws2/validate) with made-up documents, message by message",
            sessions: try SessionRecorder().sessions())
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes, .sortedKeys]
        try (encoder.encode(file) + Data("\n".utf8)).write(to: SessionVector.url)
    }

    private static let recordVariable = "CARD_COMPANION_RECORD_SESSIONS"
}

/// Lets simulated apps and chips speak with the server's state machine.
private struct SessionRecorder {
    private static let time: Int64 = 1_795_000_000
    private let issuer: SimulatedIssuer
    private let stranger: SimulatedIssuer

    init() throws {
        issuer = try SimulatedIssuer(at: Self.time)
        stranger = try SimulatedIssuer(at: Self.time)
    }

    func sessions() throws -> [SessionVector] {
        typealias Features = SimulatedDocument.Features
        let usual = try issuer.issue()
        let simple = try issuer.issue(.init(), Features(chipAuthentication: nil))
        var forged = usual
        // A byte of the picture.
        var picture = try #require(forged.files[.dataGroup(2)])
        picture[picture.count - 100] ^= 1
        forged.files[.dataGroup(2)] = picture
        let expired = try issuer.issue(SimulatedHolder(dateOfExpiry: "200101"))
        var longKeys = SimulatedConnector.Plan()
        longKeys.cipher = .tripleDES
        var asking = SimulatedConnector.Plan()
        asking.activeAuthentication = .always
        var phone = SimulatedConnector.Plan()
        (phone.platform, phone.allowsExtendedLength, phone.sendsResult) = ("iOS", false, false)
        return [
            try session("chip authentication on P-256 with AES-128, no signature asked for", usual, curve: .p256),
            try session(
                "chip authentication and a signature of active authentication", usual, curve: .p256, plan: asking),
            try session("an app on iOS without extended length that wants no result", usual, curve: .p256, plan: phone),
            try session(
                "a chip that is lost on iOS", usual, curve: .p256, plan: phone,
                misbehaviors: [Misbehavior(.loseChip, at: .generalAuthenticate)]),
            try session(
                "chip authentication on brainpoolP256r1 with Triple DES",
                issuer.issue(.init(), Features(chipAuthentication: (.ellipticCurve(.brainpoolP256r1), .tripleDES))),
                curve: .brainpoolP256r1, plan: longKeys),
            try session(
                "chip authentication on brainpoolP384r1 with AES-256, without active authentication",
                issuer.issue(
                    .init(),
                    Features(
                        chipAuthentication: (.ellipticCurve(.brainpoolP384r1), .aes256), activeAuthentication: nil)),
                curve: .brainpoolP384r1),
            try session("active authentication alone", simple, curve: nil),
            try session("a copy without the key for chip authentication", usual.clone(), curve: .p256),
            try session("a copy without the key for active authentication", simple.clone(), curve: nil),
            try session("a changed data group", forged, curve: .p256),
            try session("a chip that can prove nothing", issuer.issue(.init(), .none), curve: nil),
            try session("an expired document", expired, curve: .p256),
            try session("a document of an unknown state", stranger.issue(), curve: .p256),
        ]
    }

    private func session(
        _ name: String, _ document: SimulatedDocument, curve: NamedCurve?, plan: SimulatedConnector.Plan = .init(),
        misbehaviors: [Misbehavior] = []
    ) throws -> SessionVector {
        let challenge = SecureRandom.bytes(count: ValidationSession.challengeByteCount)
        // A byte less than the order has, so that the number is smaller.
        let number = SecureRandom.bytes(count: (curve?.coordinateByteCount ?? 32) - 1)
        let terminalKey = try curve.map { try ECPrivateKey(curve: $0, number: SecretBytes(copying: number)) }
        var server = try RecordedSession(
            challenge: challenge, terminalKey: terminalKey, authority: issuer.certificate, time: Self.time)
        var app = try SimulatedConnector(
            validationId: "check", clientId: "app", document: document, misbehaviors: misbehaviors,
            plan: plan)
        var waiting = app.start()
        while !waiting.isEmpty {
            for answer in try server.take(.init(waiting.removeFirst())) {
                if let text = answer.text { waiting += try app.receive(text: Array(text.utf8)) }
                if let binary = answer.binary.flatMap(Hex.decode) { waiting += app.receive(binary: binary) }
            }
        }
        let closure = try #require(server.closure)
        return SessionVector(
            name: name, time: Self.time, authority: Hex.encode(issuer.certificate), challenge: Hex.encode(challenge),
            terminalKey: curve.map { .init(curve: $0.rawValue, privateKey: Hex.encode(number)) },
            messages: server.messages, refusals: server.refusals, report: server.report, closeCode: Int(closure.code),
            closeReason: closure.reason)
    }
}

extension SessionVector.Message {
    fileprivate init(_ message: SimulatedConnector.Message) {
        switch message {
        case .text(let bytes): self.init(from: .app, text: String(decoding: bytes, as: UTF8.self))
        case .binary(let bytes): self.init(from: .app, binary: Hex.encode(bytes))
        }
    }
}
