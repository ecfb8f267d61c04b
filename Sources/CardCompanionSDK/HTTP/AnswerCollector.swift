internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The delegate of the SDK's `URLSession`: it hands each task's body to who waits for it, up to a limit, and follows
/// no redirect.
final class AnswerCollector: NSObject, URLSessionDataDelegate, Sendable {
    typealias Body = AsyncThrowingStream<Data, any Error>

    struct TooLarge: Error {}

    private struct Exchange {
        let body: Body.Continuation
        var room: Int
    }

    private let exchanges = Mutex<[Int: Exchange]>([:])
    private let maximumByteCount: Int

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// The body of a task that is about to be resumed. The task is cancelled when nobody waits for its body any more.
    func body(of task: URLSessionTask) -> Body {
        let (body, continuation) = Body.makeStream()
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(body: continuation, room: maximumByteCount) }
        continuation.onTermination = { _ in task.cancel() }
        return body
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let exchange = exchanges.withLock { exchanges in
            exchanges[dataTask.taskIdentifier]?.room -= data.count
            return exchanges[dataTask.taskIdentifier]
        }
        guard let exchange else { return }
        if exchange.room >= 0 {
            exchange.body.yield(data)
        } else {
            exchange.body.finish(throwing: TooLarge())
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.body.finish(throwing: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
