internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The `URLSession` delegate of one exchange. It streams the body up to a size limit, and does not follow redirects.
final class AnswerCollector: NSObject, URLSessionDataDelegate, Sendable {
    struct TooLarge: Error {}

    /// The body as it arrives.
    let chunks: AsyncThrowingStream<Data, any Error>
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation
    private let room: Locked<Int>

    init(maximumByteCount: Int) {
        (chunks, continuation) = AsyncThrowingStream.makeStream()
        room = Locked(maximumByteCount)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let roomLeft = room.withLock { room in
            room -= data.count
            return room
        }
        if roomLeft >= 0 {
            continuation.yield(data)
        } else {
            continuation.finish(throwing: TooLarge())
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish(throwing: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
