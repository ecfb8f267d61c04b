import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import SecureMemory
import StrictJSON

/// A made-up state, and the time of all tests.
struct Utopia {
    static let now: Int64 = 1_795_000_000
    let issuer: SimulatedIssuer
    let anchors: TrustAnchors

    init() throws {
        issuer = try SimulatedIssuer(at: Self.now)
        anchors = TrustAnchors([try SigningCertificate(Octets(copying: issuer.certificate))])
    }
}

/// A session and an app that speak with each other without a network.
struct Conversation {
    var session: ValidationSession
    var connector: SimulatedConnector
    let start = ContinuousClock.now
    /// What was verified.
    var verification: DocumentVerification?
    /// What is posted of a session that has failed.
    var posted: JSONValue?
    var closure: Closure?
    var monitored: [Int] = []

    init(
        _ document: SimulatedDocument, misbehaviors: [Misbehavior] = [], plan: SimulatedConnector.Plan = .init(),
        memory: FileMemory = FileMemory()
    ) throws {
        session = ValidationSession(
            challenge: SecureRandom.bytes(count: ValidationSession.challengeByteCount), memory: memory, openedAt: start)
        connector = try SimulatedConnector(
            validationId: "check", clientId: "client", document: document, misbehaviors: misbehaviors, plan: plan)
    }

    /// Speaks until one side has nothing to say.
    ///
    /// - Parameters:
    ///   - relay: what lies between the two and can change what the app sends.
    ///   - end: what happens to the session when the app has nothing more to say.
    mutating func run(
        trusting anchors: TrustAnchors, assurance: AssuranceLevel = .chip, isExpected: Bool = true,
        relay: (SimulatedConnector.Message) -> SimulatedConnector.Message = { $0 },
        end: (inout ValidationSession, ContinuousClock.Instant) -> [ValidationSession.Action] = { _, _ in [] }
    ) throws {
        let bank = Bank(anchors: anchors, assurance: assurance, isExpected: isExpected)
        var waiting = connector.start()
        while !waiting.isEmpty, closure == nil {
            let message = relay(waiting.removeFirst())
            let actions =
                switch message {
                case .text(let text): session.receive(text: SecretBytes(copying: text), at: start)
                case .binary(let bytes): session.receive(binary: Octets(copying: bytes), at: start)
                }
            waiting += try follow(actions, bank)
        }
        if closure == nil { _ = try follow(end(&session, start), bank) }
    }

    /// What the bank trusts and expects.
    private struct Bank {
        let anchors: TrustAnchors
        let assurance: AssuranceLevel
        let isExpected: Bool

        func verification(_ evidence: DocumentEvidence) -> DocumentVerification {
            DocumentVerification.verify(
                evidence, anchors: anchors, at: Utopia.now, assurance: assurance, isExpected: { _ in isExpected })
        }
    }

    private mutating func follow(
        _ actions: [ValidationSession.Action], _ bank: Bank
    ) throws -> [SimulatedConnector.Message] {
        var messages: [SimulatedConnector.Message] = []
        for action in actions {
            switch action {
            case .admit: messages += try follow(session.accept(), bank)
            case .send(let message):
                messages += try connector.receive(text: message.text().bytes.withBytes { Array($0) })
            case .sendBinary(let message):
                messages += connector.receive(binary: message.encoded.bytes.withBytes { Array($0) })
            case .verify(let evidence):
                let found = bank.verification(evidence)
                verification = found
                messages += try follow(session.finish(result: Self.result(of: found)), bank)
            case .monitoring(let byteCount): monitored.append(byteCount)
            case .report(let failure):
                let found = bank.verification(failure.evidence)
                verification = found
                posted = try JSONValue(
                    parsing: Self.result(of: found, failure.cause).bytes.withBytes { Array($0) })
            case .close(let closure):
                self.closure = closure
                _ = try connector.receive(text: ServerMessage.close(closure).text().bytes.withBytes { Array($0) })
            }
        }
        return messages
    }

    private static func result(of found: DocumentVerification, _ cause: String? = nil) -> SharedSecret {
        let subject = ResultSubject(
            bankId: "bank", clientId: "client", validationId: "check", expected: "none",
            verifiedAt: Utopia.now)
        return ResultJSON.text(of: found, subject, cause: cause)
    }
}
