import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import SecureMemory
import ServerHarness

/// The verification of one document in a loop: without connection, messages and database, and without chip authentication, which is
/// over before.
struct VerificationLoop {
    private static let seconds = 0.5

    private let evidence: DocumentEvidence
    private let anchors: TrustAnchors
    private let now = Int64(TestBank.timestamp())

    /// Lets a simulated app read the document.
    init(_ document: SimulatedDocument, of state: SimulatedIssuer) throws {
        anchors = TrustAnchors([try SigningCertificate(Octets(copying: state.certificate))])
        var reading = try Reading(document)
        evidence = try reading.evidence()
    }

    /// The CPU time of one verification, in microseconds.
    func microseconds() throws -> Double {
        let start = ProcessTimes.ownThreadSeconds()
        var count = 0
        repeat {
            let found = DocumentVerification.verify(evidence, anchors: anchors, at: now, assurance: .chip) { _ in true }
            guard found.passed else { throw LoadFailed(description: "the document did not pass: \(found.refusals)") }
            count += 1
        } while ProcessTimes.ownThreadSeconds() - start < Self.seconds
        return (ProcessTimes.ownThreadSeconds() - start) * 1e6 / Double(count)
    }
}

/// An app and the server's state machine, until the server has all evidence.
private struct Reading {
    private var app: SimulatedConnector
    private var session = ValidationSession(
        challenge: SecureRandom.bytes(count: ValidationSession.challengeByteCount), memory: FileMemory(),
        openedAt: .now)
    private var waiting: [SimulatedConnector.Message] = []
    private var found: DocumentEvidence?

    init(_ document: SimulatedDocument) throws {
        var plan = SimulatedConnector.Plan()
        // Both proofs are verified.
        plan.activeAuthentication = .always
        app = try SimulatedConnector(validationId: "check", clientId: "bench", document: document, plan: plan)
    }

    mutating func evidence() throws -> DocumentEvidence {
        waiting = app.start()
        while found == nil, !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .text(let bytes): try follow(session.receive(text: SecretBytes(copying: bytes), at: .now))
            case .binary(let bytes): try follow(session.receive(binary: Octets(copying: bytes), at: .now))
            }
        }
        guard let found else { throw LoadFailed(description: "the app did not finish: \(app.story)") }
        return found
    }

    private mutating func follow(_ actions: [ValidationSession.Action]) throws {
        for action in actions {
            switch action {
            case .admit: try follow(session.accept())
            case .send(let message): waiting += try app.receive(text: message.text().bytes.withBytes { Array($0) })
            case .sendBinary(let message):
                waiting += app.receive(binary: message.encoded.bytes.withBytes { Array($0) })
            case .verify(let evidence): found = evidence
            case .report, .monitoring, .close: break
            }
        }
    }
}
