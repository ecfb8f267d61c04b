internal import Administration
internal import CardCompanion
internal import CardCompanionHTTP
internal import CardCompanionModel
internal import CardCompanionStore
internal import Logging
internal import Metrics
internal import PrometheusText
internal import ServiceLifecycle

/// The metrics of this server, and the listener at which they are read.
enum ServerMetrics {
    private static let registry = PrometheusRegistry(MetricCatalogue.all)

    /// Lets the server count, if somebody can read it. Call this before the parts of the server are made.
    static func start(_ settings: ServerSettings) {
        guard settings.admin != nil else { return }
        MetricsSystem.bootstrap(registry)
        Gauge(label: "card_companion_build_info", dimensions: [("version", Release.version)]).record(1)
    }

    /// What runs beside the server. Nothing if there is no listener.
    ///
    /// - Parameter certificates: the TLS certificate in force; nil without TLS.
    static func services(
        _ settings: ServerSettings, of installation: Installation, _ certificates: TLSCertificates?
    ) -> [any Service] {
        guard let admin = settings.admin else { return [] }
        let logger = installation.logger
        if !ServerSettings.isLoopback(admin.host) {
            logger.warning(
                "The metrics are served to other machines, without TLS: let only the monitoring reach admin.host",
                metadata: ["host": "\(admin.host)"])
        }
        let watch = InstallationWatch(
            store: installation.store, clock: installation.clock,
            tlsCertificateExpiry: { certificates.map { Timestamp(seconds: $0.endsAt) } }, logger: logger)
        let listener = AdminListener.application(admin, logger: logger, metrics: { registry.text }) { port in
            let url = "http://\(admin.host):\(port)\(AdminListener.metricsPath)"
            logger.notice("The metrics are served", metadata: ["metrics": "\(url)"])
        }
        return [watch, Listener(application: listener, address: admin.address)]
    }
}
