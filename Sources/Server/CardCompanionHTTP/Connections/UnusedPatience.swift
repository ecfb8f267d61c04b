/// When a connection of HTTP/2 must be closed because its client does not use it. The times are injected.
///
/// A client that is asked to go (GOAWAY) can keep a connection open by not answering. This is the limit for it.
struct UnusedPatience {
    typealias Instant = ContinuousClock.Instant

    /// How long a client that was asked to go has to do so.
    static let farewellLimit = Duration.seconds(5)

    /// When the connection must be closed; nil while a request is under way.
    private(set) var deadline: Instant?
    private let idleTimeout: Duration
    private var openStreams = 0
    private var quiescingSince: Instant?

    /// The handshake is over. The first request must come at once.
    init(openedAt now: Instant, idleTimeoutSeconds: Int) {
        idleTimeout = .seconds(idleTimeoutSeconds)
        deadline = now + RequestPatience.limit
    }

    /// - Returns: false if the client was asked to go, and does not.
    mutating func openStream(at now: Instant) -> Bool {
        openStreams += 1
        deadline = nil
        return quiescingSince.map { now - $0 < Self.farewellLimit } ?? true
    }

    mutating func closeStream(at now: Instant) {
        openStreams -= 1
        guard openStreams == 0 else { return }
        deadline = now + (quiescingSince == nil ? idleTimeout + Self.farewellLimit : Self.farewellLimit)
    }

    /// The client was asked to go.
    mutating func quiesce(at now: Instant) {
        guard quiescingSince == nil else { return }
        quiescingSince = now
        if openStreams == 0 { deadline = now + Self.farewellLimit }
    }
}
