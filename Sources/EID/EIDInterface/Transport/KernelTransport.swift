public import Foundation

/// A way to an AusweisApp.
public protocol KernelTransport: Sendable {
    /// Connects, calls `body`, and disconnects when `body` returns or throws. The AusweisApp then cancels the workflow.
    ///
    /// - Throws: ``TransportError`` if there is no connection, or what `body` throws.
    func withConnection(_ body: @escaping @Sendable (KernelConnection) async throws -> Void) async throws
}

/// A connection to an AusweisApp.
public struct KernelConnection: Sendable {
    /// The messages, each one a whole JSON text. They end when the AusweisApp disconnects. For one reader only.
    public let messages: AsyncThrowingStream<Data, any Error>

    /// Sends a command.
    public let send: @Sendable (WipedBytes) async throws -> Void

    /// A connection. Only the maker of a ``KernelTransport`` needs this.
    public init(
        messages: AsyncThrowingStream<Data, any Error>, send: @escaping @Sendable (WipedBytes) async throws -> Void
    ) {
        self.messages = messages
        self.send = send
    }

    /// How many messages can wait for their reader. If more come, the connection is closed.
    public static let waitingMessageLimit = 256
}

/// Why there is no connection, or why it has ended.
public enum TransportError: Error, Equatable, Sendable {
    /// Nothing answers.
    case unreachable
    /// The AusweisApp refuses with this HTTP status: 503 if it is not open to apps, 409 if a workflow of the user runs,
    /// 429 if another app is connected.
    case refused(status: Int)
    /// The AusweisApp sends what it must not, or too much.
    case protocolError
    /// The AusweisApp has closed the connection.
    case closed
}
