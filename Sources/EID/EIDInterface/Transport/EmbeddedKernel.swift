internal import Foundation

/// An AusweisApp inside the app: the functions of `AusweisApp2.h` (document 000, section 3.1), or the service on Android
/// (section 2.3). An app passes on its calls to the SDK.
public protocol EmbeddedKernel: Sendable {
    /// `ausweisapp2_init`. It calls `receive` with ``EmbeddedKernelEvent/ready`` once it can take commands, then with each
    /// message, and with ``EmbeddedKernelEvent/stopped`` when it has ended by itself.
    ///
    /// - Returns: false if it runs already.
    func start(_ receive: @escaping @Sendable (EmbeddedKernelEvent) -> Void) -> Bool

    /// `ausweisapp2_send`. The text ends with a zero byte, and is valid until the call returns.
    func send(_ command: UnsafePointer<CChar>)

    /// `ausweisapp2_shutdown`. A running workflow is cancelled. It is not called by the SDK's own thread.
    func shutdown()
}

/// What an ``EmbeddedKernel`` calls back with.
public enum EmbeddedKernelEvent: Sendable, Equatable {
    /// It can take commands: the callback of the SDK came with `NULL`.
    case ready
    /// A message.
    case message(String)
    /// It has ended.
    case stopped
}

/// The way to an AusweisApp inside the app.
public struct EmbeddedTransport: KernelTransport {
    /// How long the SDK may take to start, in seconds.
    public static let startSeconds = 30.0

    private let kernel: any EmbeddedKernel

    /// - Parameter kernel: the app's calls to the SDK.
    public init(_ kernel: any EmbeddedKernel) {
        self.kernel = kernel
    }

    /// Starts the SDK, calls `body` when it is ready, and shuts it down.
    public func withConnection(_ body: @escaping @Sendable (KernelConnection) async throws -> Void) async throws {
        let (messages, continuation) = AsyncThrowingStream.makeStream(
            of: Data.self, throwing: (any Error).self,
            bufferingPolicy: .bufferingOldest(KernelConnection.waitingMessageLimit))
        let (ready, readiness) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
        let isNew = kernel.start { event in
            switch event {
            case .ready: readiness.yield(true)
            case .message(let text):
                if case .dropped = continuation.yield(Data(text.utf8)) {
                    continuation.finish(throwing: TransportError.protocolError)
                }
            case .stopped:
                readiness.finish()
                continuation.finish()
            }
        }
        guard isNew else { throw TransportError.refused(status: 429) }
        defer { kernel.shutdown() }
        guard await Self.isReady(ready) else { throw TransportError.unreachable }
        try await body(KernelConnection(messages: messages, send: { kernel.send($0) }))
    }

    private static func isReady(_ ready: AsyncStream<Bool>) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await isReady in ready { return isReady }
                return false
            }
            group.addTask {
                try? await Task.sleep(nanoseconds: UInt64(startSeconds * 1e9))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

extension EmbeddedKernel {
    /// Sends a text with a zero byte behind it, and overwrites the copy.
    fileprivate func send(_ text: WipedBytes) {
        let copy = WipedBytes(capacity: text.count + 1)
        text.withBytes { copy.append($0) }
        copy.append(0)
        copy.withBytes { bytes in
            guard let base = bytes.bindMemory(to: CChar.self).baseAddress else { return }
            send(base)
        }
    }
}
