public import Hummingbird
internal import Logging
internal import NIOCore

/// What a handler knows of its request beside the request itself.
public struct ServiceContext: RequestContext {
    /// Hummingbird's part.
    public var coreContext: CoreRequestContextStorage
    /// The name that this request has in the log and in `X-Request-Id`: random, so that it tells nothing of other
    /// requests, and never taken from a client.
    public let requestId: String
    /// The connection, for what it shows of the caller.
    let channel: any Channel

    /// A context for a request from `source`.
    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        requestId = String(repeating: "0", count: 16 - digits.count) + digits
        logger[metadataKey: "request_id"] = "\(requestId)"
    }
}
