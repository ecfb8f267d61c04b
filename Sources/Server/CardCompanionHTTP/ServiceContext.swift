package import Hummingbird
internal import Logging
internal import NIOCore

/// What a handler knows besides the request itself.
package struct ServiceContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The request's name in the log and in `X-Request-Id`: random, so that it reveals nothing about other requests, and never
    /// taken from a client.
    package let requestId: String
    /// What the answer really says.
    let answer = TrueAnswer()
    /// The connection, or the stream of HTTP/2.
    let channel: any Channel

    package init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        requestId = RequestID.random()
        logger[metadataKey: "request_id"] = "\(requestId)"
    }
}

/// Names of requests.
enum RequestID {
    /// Sixteen hexadecimal digits.
    static func random() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
