import CardCompanion
import Cryptography
import DocumentValidation
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import SecureMemory

/// The phone of the sandbox's page. Its app reads a made-up document, and says to the server what an app says over the WebSocket of
/// document 003. A browser cannot open that, and has no chip.
struct SandboxPhone: Sendable {
    let documents: DocumentService

    /// Holds a document to the phone for a check.
    func read(_ document: SimulatedDocument, clientId: String, validationId: String) async throws -> SimulatedReading {
        var conversation = Conversation(
            documents: documents,
            app: try SimulatedConnector(validationId: validationId, clientId: clientId, document: document))
        do {
            try await conversation.run()
            await conversation.release()
        } catch {
            await conversation.release()
            throw error
        }
        return SimulatedReading(conversation.app, end: conversation.end)
    }
}

/// One session: what the app says is taken by the server's state machine, and the other way round.
private struct Conversation {
    private let documents: DocumentService
    private(set) var app: SimulatedConnector
    private(set) var end: SimulatedConnector.End

    private var session = ValidationSession(
        challenge: SecureRandom.bytes(count: ValidationSession.challengeByteCount), memory: FileMemory(),
        openedAt: .now)
    private var admission: DocumentService.Admission?
    private var failure: SessionFailure?
    /// What the app says next.
    private var waiting: [SimulatedConnector.Message] = []

    init(documents: DocumentService, app: SimulatedConnector) {
        self.documents = documents
        self.app = app
        end = Self.end(.goingAway)
    }

    mutating func run() async throws {
        waiting = app.start()
        while !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .text(let bytes):
                try await follow(session.receive(text: SecretBytes(copying: bytes), at: .now))
            case .binary(let bytes):
                try await follow(session.receive(binary: Octets(copying: bytes), at: .now))
            }
        }
        // An app that has nothing more to say goes away.
        try await follow(session.stop())
    }

    func release() async {
        guard let admission else { return }
        guard let failure else { return await documents.release(admission) }
        if let result = await documents.record(failure, for: admission) {
            await documents.post(result, for: admission)
        }
    }

    private mutating func follow(_ actions: [ValidationSession.Action]) async throws {
        for action in actions { try await follow(action) }
    }

    private mutating func follow(_ action: ValidationSession.Action) async throws {
        switch action {
        case .admit(let start): try await follow(admit(start))
        case .verify(let evidence): try await follow(conclude(evidence))
        case .send(let message): try say(message)
        case .sendBinary(let message):
            waiting += app.receive(binary: message.encoded.bytes.withBytes { Array($0) })
        case .monitoring: break
        case .report(let shown): failure = shown
        case .close(let closure):
            try say(.close(closure))
            end = Self.end(closure)
            waiting = []
        }
    }

    private static func end(_ closure: Closure) -> SimulatedConnector.End {
        .init(code: Int(closure.code), reason: closure.reason)
    }

    private mutating func say(_ message: ServerMessage) throws {
        waiting += try app.receive(text: message.text().bytes.withBytes { Array($0) })
    }

    private mutating func admit(_ start: StartMessage) async -> [ValidationSession.Action] {
        do throws(CloseReason) {
            admission = try await documents.admit(start)
            return session.accept()
        } catch {
            return session.refuse(error)
        }
    }

    private mutating func conclude(_ evidence: DocumentEvidence) async -> [ValidationSession.Action] {
        do throws(CloseReason) {
            guard let admission else { throw .serverError }
            return session.finish(result: try await documents.conclude(evidence, for: admission))
        } catch {
            return session.refuse(error)
        }
    }
}
