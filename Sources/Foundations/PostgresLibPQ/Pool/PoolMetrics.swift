internal import Metrics

/// What the pool has to do now.
struct PoolLoad: Equatable {
    /// Connections that are open.
    var open = 0
    /// Those of them that have requests in flight, or are leased.
    var inUse = 0
    /// Requests in flight on all connections.
    var requestsInFlight = 0
    /// Requests in flight on the connection that has the most.
    var deepestPipeline = 0
    /// Requests that wait for a connection.
    var waiting = 0
}

/// The pool's metrics. Their names begin with the prefix of the configuration.
struct PoolMetrics {
    private let open, inUse, requestsInFlight, deepestPipeline, waiting: Gauge
    private let acquireDuration: Timer
    private let acquireFailures, connectFailures, lostConnections: Counter

    init(_ configuration: PostgresConfiguration) {
        let prefix = configuration.metricPrefix
        open = Gauge(label: "\(prefix)_connections")
        inUse = Gauge(label: "\(prefix)_connections_in_use")
        requestsInFlight = Gauge(label: "\(prefix)_requests_in_flight")
        deepestPipeline = Gauge(label: "\(prefix)_pipeline_depth")
        waiting = Gauge(label: "\(prefix)_requests_waiting")
        acquireDuration = Timer(label: "\(prefix)_acquire_duration_seconds")
        acquireFailures = Counter(label: "\(prefix)_acquire_failures_total")
        connectFailures = Counter(label: "\(prefix)_connect_failures_total")
        lostConnections = Counter(label: "\(prefix)_lost_connections_total")
        Gauge(label: "\(prefix)_connections_limit").record(configuration.maximumConnections)
    }

    func show(_ load: PoolLoad) {
        open.record(load.open)
        inUse.record(load.inUse)
        requestsInFlight.record(load.requestsInFlight)
        deepestPipeline.record(load.deepestPipeline)
        waiting.record(load.waiting)
    }

    /// A request has its connection.
    func acquired(after duration: Duration) {
        acquireDuration.record(duration: duration)
    }

    /// A request got no connection.
    func acquireFailed() { acquireFailures.increment() }

    /// A connection could not be opened.
    func connectFailed() { connectFailures.increment() }

    /// An open connection was lost.
    func connectionLost() { lostConnections.increment() }
}
