import EIDInterface
import Foundation

@testable import EIDSimulation
@testable import EIDWorkflow

/// The way to a simulated kernel without a socket.
struct HostTransport: KernelTransport {
    let host: KernelHost

    func withConnection(_ body: @escaping @Sendable (KernelConnection) async throws -> Void) async throws {
        guard await host.take() else { throw TransportError.refused(status: 429) }
        let outputs = await host.outputs()
        let (messages, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        let connection = KernelConnection(messages: messages) { text in
            await host.receive(text.withBytes { Array($0) })
        }
        let result: Result<Void, any Error> = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await output in outputs {
                    switch output {
                    case .message(let message, let level):
                        continuation.yield(message.text(level: level).withBytes { Data($0) })
                    case .text(let text): continuation.yield(Data(text.utf8))
                    case .disconnect: continuation.finish()
                    }
                }
                continuation.finish()
            }
            defer { group.cancelAll() }
            do {
                return .success(try await body(connection))
            } catch {
                return .failure(error)
            }
        }
        await host.leave()
        try result.get()
    }
}

/// Callbacks that write down what they were called with.
@MainActor
final class Recorder: WorkflowCallbacks {
    var calls: [WorkflowEvent] = []
    var answer: (WorkflowEvent) -> Void = { _ in }

    private func note(_ event: WorkflowEvent) {
        calls.append(event)
        answer(event)
    }

    private func note(_ message: Message) { note(.message(message)) }

    func onStarted() { note(.started) }
    func onAuthenticationStarted() { note(.auth(.started)) }
    func onAuthenticationStartFailed(error: String) { note(.auth(.refused(error: error))) }
    func onAuthenticationCompleted(authResult: AuthResult) {
        note(.auth(.finished(authResult.result, url: authResult.url)))
    }
    func onChangePinStarted() { note(.changePIN(.started)) }
    func onChangePinCompleted(changePinResult: ChangePinResult) {
        note(.changePIN(.finished(success: changePinResult.success, reason: changePinResult.reason)))
    }
    func onAccessRights(error: String?, accessRights: AccessRights?) {
        if let accessRights, accessRights.error == error { note(.accessRights(accessRights)) }
    }
    func onCertificate(certificateDescription: CertificateDescription) { note(.certificate(certificateDescription)) }
    func onInsertCard(error: String?) { note(.insertCard(error: error)) }
    func onPause(cause: Cause) { note(.pause(cause: cause.rawValue)) }
    func onReader(reader: Reader?) { if let reader { note(.reader(reader)) } }
    func onReaderList(readers: [Reader]?) { if let readers { note(.readerList(readers)) } }
    func onEnterPin(error: String?, reader: Reader) { note(.enterPIN(EnterMessage(error: error, reader: reader))) }
    func onEnterNewPin(error: String?, reader: Reader) {
        note(.enterNewPIN(EnterMessage(error: error, reader: reader)))
    }
    func onEnterCan(error: String?, reader: Reader) { note(.enterCAN(EnterMessage(error: error, reader: reader))) }
    func onEnterPuk(error: String?, reader: Reader) { note(.enterPUK(EnterMessage(error: error, reader: reader))) }
    func onStatus(workflowProgress: WorkflowProgress) { note(.status(workflowProgress)) }
    func onInfo(versionInfo: VersionInfo) { note(.info(versionInfo)) }
    func onWrapperError(error: WrapperError) { note(.wrapperError(error)) }
    func onBadState(error: String) { note(.badState(command: error)) }
    func onInternalError(error: String) { note(.internalError(error)) }
}

extension WorkflowEvent {
    /// The name without values.
    var kind: String {
        switch self {
        case .started: "started"
        case .wrapperError: "wrapperError"
        case .message(.auth(.started)): "authenticationStarted"
        case .message(.auth(.refused)): "authenticationStartFailed"
        case .message(.auth(.finished)): "authenticationCompleted"
        case .message(.changePIN(.started)): "changePinStarted"
        case .message(.changePIN(.finished)): "changePinCompleted"
        case .message(let message): "\(message)".prefix { $0 != "(" }.description
        }
    }
}

struct TooLate: Error {
    let waitedFor: String
    let calls: [String]
}

/// A controller with a simulated kernel, and what it calls back with.
@MainActor
final class Stage {
    let host: KernelHost
    let controller: WorkflowController
    let recorder = Recorder()
    private var read = 0
    private static let limitSeconds = 300

    /// - Parameter patience: how much longer than in an app the kernel may be silent. Other tests need the processor.
    init(_ scenario: String = "{}", patience: Double = 30) throws {
        let host = KernelHost(try Scenario(parsing: Data(scenario.utf8)))
        self.host = host
        controller = WorkflowController(patience: Patience(factor: patience)) { HostTransport(host: host) }
        controller.registerCallbacks(recorder)
    }

    /// Starts the controller, and waits for `onStarted`.
    func start() async throws {
        controller.start()
        _ = try await next("started")
    }

    /// The next call of this kind; calls of other kinds are passed over.
    func next(_ kind: String) async throws -> WorkflowEvent {
        let end = ContinuousClock.now + .seconds(Self.limitSeconds)
        while ContinuousClock.now < end {
            while read < recorder.calls.count {
                read += 1
                if recorder.calls[read - 1].kind == kind { return recorder.calls[read - 1] }
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw TooLate(waitedFor: kind, calls: recorder.calls.map(\.kind))
    }
}
