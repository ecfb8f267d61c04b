internal import EMRTD
internal import SecureMemory

/// What speaks over a WebSocket. It is used on the event loop of the connection only.
protocol WebSocketEndPoint: AnyObject {
    typealias Instant = ContinuousClock.Instant

    /// The longest messages that it takes now, in bytes.
    var textByteLimit: Int { get }
    var binaryByteLimit: Int { get }
    /// When ``timeOut(at:)`` must be called.
    var deadline: Instant? { get }

    func receive(text: consuming SecretBytes)
    func receive(binary: consuming SecretBytes)
    /// So many bytes of a message have come, which is not complete; 0 if there is none.
    func receive(partByteCount: Int)
    /// The client's frames cannot be read any more. The end point closes the WebSocket, perhaps a little later.
    func receive(failure: WebSocketReader.Failure)
    func timeOut(at now: Instant)
    /// The server stops.
    func stop()
    /// The client has ended the WebSocket. Nothing more can be sent. It can be called more than once,
    /// and after the end point has closed the WebSocket itself.
    func end(by client: WebSocketEnd)
}

/// How a client ends a WebSocket.
enum WebSocketEnd {
    case lost
    /// It has sent a close frame with this reason.
    case closed(reason: String)
}
