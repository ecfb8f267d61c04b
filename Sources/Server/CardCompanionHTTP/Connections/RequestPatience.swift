/// When a connection must be closed because its client is too slow. The times are injected.
///
/// Only the time counts in which the server waits for the client. If the server itself is busy and reads nothing, the client
/// loses nothing.
struct RequestPatience {
    typealias Instant = ContinuousClock.Instant

    /// How long a client can let the server wait for one request: from the opening of the connection, or from the first
    /// byte of a later request, to its last byte (protocol, section 1).
    static let limit = Duration.seconds(10)
    /// An import can be longer, but must bring at least so many bytes for each second of waiting.
    static let importBytesPerSecond = 1024
    /// The longest exchange, from the first byte of a request to the last byte of its answer, if it does not wait longer for the
    /// database.
    static let usualExchangeLimit = Duration.seconds(120)
    static let importLimit = Duration.seconds(2 * 60 * 60)
    /// How long a client can take for the rest of an answer that the server has finished.
    static let answerLimit = Duration.seconds(30)

    private enum Reading {
        /// No request has begun. The idle timeout limits this.
        case nothing
        case request(isImport: Bool)
    }

    private let exchangeLimit: Duration
    private var reading = Reading.request(isImport: false)
    /// How long the client can still let the server wait.
    private var left = limit
    /// Since when the server waits for the client.
    private var waitingSince: Instant?
    /// Requests of which the last byte of the answer is not sent.
    private var unanswered = 0
    private var exchangeDeadline: Instant?

    /// A connection that was just opened. Its first request, and a TLS handshake before it, must come at once.
    init(openedAt now: Instant, exchangeLimit: Duration) {
        self.exchangeLimit = exchangeLimit
        exchangeDeadline = now + exchangeLimit
    }

    /// The longest exchange of a server whose requests wait so long for each answer of the database. A request that waits must get its
    /// 503: all answers can take a quarter longer than one, and as long again if something must be taken back.
    static func exchangeLimit(databaseLimit: Duration) -> Duration {
        max(usualExchangeLimit, databaseLimit * 3)
    }

    /// When the connection must be closed; nil if nothing is expected of the client.
    var deadline: Instant? {
        guard case .request = reading, let waitingSince else { return exchangeDeadline }
        return min(exchangeDeadline ?? waitingSince + left, waitingSince + left)
    }

    /// The server waits for bytes.
    mutating func wait(at now: Instant) {
        if waitingSince == nil { waitingSince = now }
    }

    /// Bytes of any kind have come.
    mutating func receive(at now: Instant) {
        stopWaiting(at: now)
        if case .nothing = reading { begin(at: now) }
    }

    /// The head of a request is complete.
    mutating func receiveHead(at now: Instant) {
        // A pipelined request can begin in the bytes that end the one before.
        if case .nothing = reading { begin(at: now) }
        unanswered += 1
    }

    /// So many bytes of a body have come.
    mutating func receiveBody(byteCount: Int) {
        guard case .request(isImport: true) = reading else { return }
        left = min(Self.limit, left + .seconds(1) * byteCount / Self.importBytesPerSecond)
    }

    /// A request is complete.
    mutating func receiveEnd() {
        reading = .nothing
    }

    /// The request that is being read is an import of a caller who was authenticated.
    mutating func admitImport(at now: Instant) {
        if case .request = reading { reading = .request(isImport: true) }
        exchangeDeadline = now + Self.importLimit
    }

    /// The server has finished an answer. Now only the client is waited for.
    mutating func finishAnswer(at now: Instant) {
        exchangeDeadline = exchangeDeadline.map { min($0, now + Self.answerLimit) }
    }

    /// The last byte of an answer is sent.
    mutating func answer(at now: Instant) {
        unanswered -= 1
        var isBusy = unanswered > 0
        if case .request = reading { isBusy = true }
        exchangeDeadline = isBusy ? now + exchangeLimit : nil
    }

    private mutating func begin(at now: Instant) {
        reading = .request(isImport: false)
        left = Self.limit
        if exchangeDeadline == nil { exchangeDeadline = now + exchangeLimit }
    }

    private mutating func stopWaiting(at now: Instant) {
        guard let since = waitingSince else { return }
        waitingSince = nil
        if case .request = reading { left -= since.duration(to: now) }
    }
}
