#if canImport(Darwin)
    public import Foundation

    /// The way to a running AusweisApp on Apple's platforms. `URLSession` keeps copies of what it sends, which cannot be
    /// overwritten.
    public struct URLSessionTransport: KernelTransport {
        private let url: URL
        private let userAgent: String

        /// - Parameters:
        ///   - url: `ws://localhost:24727/eID-Kernel`.
        ///   - userAgent: what the AusweisApp shows its user as the app that is connected.
        public init(url: URL, userAgent: String) {
            self.url = url
            self.userAgent = userAgent
        }

        /// Connects, and closes the connection when `body` ends.
        public func withConnection(_ body: @escaping @Sendable (KernelConnection) async throws -> Void) async throws {
            var request = URLRequest(url: url)
            request.setValue(userAgent, forHTTPHeaderField: "User-Agent")
            let session = URLSession(configuration: .ephemeral)
            let socket = session.webSocketTask(with: request)
            socket.maximumMessageSize = Message.byteLimit
            socket.resume()
            defer {
                socket.cancel(with: .normalClosure, reason: nil)
                session.invalidateAndCancel()
            }
            let messages = AsyncThrowingStream<Data, any Error>(unfolding: { try await Self.next(socket) })
            let connection = KernelConnection(messages: messages) { text in
                let text = text.withBytes { String(decoding: $0, as: UTF8.self) }
                try await socket.send(.string(text))
            }
            try await body(connection)
        }

        private static func next(_ socket: URLSessionWebSocketTask) async throws -> Data {
            do {
                switch try await socket.receive() {
                case .string(let text): return Data(text.utf8)
                case .data(let bytes): return bytes
                @unknown default: throw TransportError.protocolError
                }
            } catch {
                guard let response = socket.response as? HTTPURLResponse, response.statusCode != 101 else {
                    throw socket.response == nil ? TransportError.unreachable : TransportError.closed
                }
                throw TransportError.refused(status: response.statusCode)
            }
        }
    }
#endif
