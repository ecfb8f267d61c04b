import DocumentValidation
import EMRTD
import SecureMemory
import ServerHarness
import Synchronization

/// A service with checks of its own: verifies documents as they come, and counts what sessions ask of it. What it does is chosen by
/// the ids of START.
final class TestService: DocumentValidationService {
    struct Admission: Sendable {
        let number: Int
        let validationId: String
    }

    /// Ids that have a meaning.
    enum ID {
        static let unknownClient = "unknown"
        static let unknownCheck = "no-check"
        static let failingCheck = "database-down"
        /// The service answers START when the test says so.
        static let slowCheck = "slow-check"
        /// The result cannot be posted.
        static let unpostable = "unpostable"
        /// The result is posted when the test says so.
        static let slowPost = "slow-post"
        /// The result has 32 MiB.
        static let longResult = "long-result"
    }

    /// What sessions have asked.
    struct Record: Sendable {
        var admitted = 0
        /// How often each admission was released, or had a result.
        var releases: [Int: Int] = [:]
        var concluded = 0
        /// Whether an admission was released while its result was being posted.
        var releasedEarly = false
        var verifications: [DocumentVerification] = []
        /// Why sessions have failed that had shown a document.
        var causes: [String] = []
        /// How many of their results were posted.
        var reports = 0
        fileprivate var concluding: Set<Int> = []

        /// Whether each admission was released exactly once.
        var isReleased: Bool { releases.count == admitted && releases.values.allSatisfy { $0 == 1 } }
    }

    static let now: Int64 = 1_795_000_000

    let anchors: TrustAnchors
    /// Lets slow answers go.
    let gate = TestGate()
    private let state = Mutex(Record())

    init(_ anchors: TrustAnchors) {
        self.anchors = anchors
    }

    var record: Record { state.withLock { $0 } }

    func admit(_ start: StartMessage) async throws(CloseReason) -> Admission {
        guard start.clientId != ID.unknownClient else { throw .invalidClientId }
        switch start.validationId {
        case ID.unknownCheck: throw .invalidStartMessage
        case ID.failingCheck: throw .serverError
        case ID.slowCheck: await gate.wait()
        default: break
        }
        return state.withLock { record in
            record.admitted += 1
            return Admission(number: record.admitted, validationId: start.validationId)
        }
    }

    func conclude(_ evidence: DocumentEvidence, for admission: Admission) async throws(CloseReason) -> SharedSecret {
        state.withLock { _ = $0.concluding.insert(admission.number) }
        defer { state.withLock { _ = $0.concluding.remove(admission.number) } }
        let found = DocumentVerification.verify(
            evidence, anchors: anchors, at: Self.now, assurance: .chip, isExpected: { _ in true })
        switch admission.validationId {
        case ID.unpostable: throw .postToResultServerFailed
        case ID.slowPost: await gate.wait()
        default: break
        }
        state.withLock { record in
            record.releases[admission.number, default: 0] += 1
            record.concluded += 1
            record.verifications.append(found)
        }
        guard admission.validationId != ID.longResult else { return Self.longResult }
        return ResultJSON.text(
            of: found,
            ResultSubject(
                bankId: "bank", clientId: "client", validationId: admission.validationId, expected: "none",
                verifiedAt: Self.now))
    }

    func record(_ failure: SessionFailure, for admission: Admission) async -> SharedSecret? {
        state.withLock { $0.causes.append(failure.cause) }
        await release(admission)
        return SharedSecret(SecretBytes(copying: Array("{}".utf8)))
    }

    func post(_ result: SharedSecret, for admission: Admission) async {
        if admission.validationId == ID.slowPost { await gate.wait() }
        state.withLock { $0.reports += 1 }
    }

    func release(_ admission: Admission) async {
        state.withLock { record in
            record.releases[admission.number, default: 0] += 1
            if record.concluding.contains(admission.number) { record.releasedEarly = true }
        }
    }

    private static let longResult: SharedSecret = {
        var text = SecretBuffer(capacity: 32 << 20, in: .ordinary)
        text.append("{\"a\":\"")
        text.append(byte: UInt8(ascii: "a"), repeating: 32 << 20)
        text.append("\"}")
        return SharedSecret(text.finish())
    }()
}
