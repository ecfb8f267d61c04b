package import CardCompanionModel
package import CardCompanionStore
package import Logging
internal import Metrics
internal import ServiceLifecycle

/// Looks at the installation from time to time, and shows what it sees as metrics. So reading the metrics costs the database
/// nothing.
package struct InstallationWatch: Service, CustomStringConvertible {
    /// How often it looks.
    package static let intervalSeconds = 30
    /// How many banks have values of their own. The others share the bank `other`.
    package static let bankLimit = 500

    package let description = "installation watch"

    private let store: Store
    private let clock: WallClock
    private let tlsCertificateExpiry: @Sendable () -> Timestamp?
    private let logger: Logger

    /// - Parameter tlsCertificateExpiry: when the server's certificate expires; nil if there is none, or if it cannot be read.
    package init(
        store: Store, clock: WallClock, tlsCertificateExpiry: @escaping @Sendable () -> Timestamp?, logger: Logger
    ) {
        self.store = store
        self.clock = clock
        self.tlsCertificateExpiry = tlsCertificateExpiry
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var gauges = InstallationGauges()
            while !Task.isCancelled {
                do {
                    let now = clock.now()
                    gauges.show(try await store.observe(now: now), now: now)
                } catch {
                    logger.warning(
                        "The database could not be read for metrics, so some metrics are old",
                        metadata: ["error": "\(error)"])
                }
                gauges.showTLSCertificate(expiry: tlsCertificateExpiry())
                try? await Task.sleep(for: .seconds(Self.intervalSeconds))
            }
        }
    }
}

private struct InstallationGauges {
    private var pending = ChangingGauges("card_companion_webhook_pending_events", "bank")
    private var oldestAge = ChangingGauges("card_companion_webhook_oldest_pending_age_seconds", "bank")
    private var parked = ChangingGauges("card_companion_webhook_parked_events", "bank")
    private var forwards = ChangingGauges("card_companion_forwarded_pins_waiting", "bank")
    private var oldestForwardAge = ChangingGauges("card_companion_forwarded_pin_oldest_age_seconds", "bank")
    private var certificates = ChangingGauges("card_companion_certificate_expiry_timestamp_seconds", "bank", "use")
    private var lists = ChangingGauges("card_companion_revocation_list_expiry_timestamp_seconds", "bank")
    private var trustLists = ChangingGauges("card_companion_trust_list_signed_timestamp_seconds", "bank")
    private var tlsCertificate = ChangingGauges("card_companion_tls_certificate_expiry_timestamp_seconds")
    private var dataKeys = ChangingGauges("card_companion_data_key_uses", "purpose")
    private var lastSeal = ChangingGauges("card_companion_audit_last_seal_timestamp_seconds")
    private let schemaVersion = Gauge(label: "card_companion_schema_version")
    private let observedAt = Gauge(label: "card_companion_observation_timestamp_seconds")

    mutating func show(_ seen: Observation, now: Timestamp) {
        let events = values(seen.backlogs, now: now)
        pending.show(events.map { ([$0], Double($1.pending)) })
        oldestAge.show(events.map { ([$0], $1.oldestAgeSeconds) })
        parked.show(events.map { ([$0], Double($1.parked)) })
        let pins = values(seen.forwards, now: now)
        forwards.show(pins.map { ([$0], Double($1.pending)) })
        oldestForwardAge.show(pins.map { ([$0], $1.oldestAgeSeconds) })
        for (use, expiries) in Dictionary(grouping: seen.certificates, by: \.use) {
            certificates.add(earliest(expiries.map { ($0.bankId, $0.notAfter) }).map { ([$0, use.rawValue], $1) })
        }
        certificates.showAdded()
        lists.show(earliest(seen.revocationLists.map { ($0.bankId, $0.nextUpdate) }).map { ([$0], $1) })
        trustLists.show(
            BankValues(seen.trustLists.map { ($0.bankId?.text ?? "all", EarliestTime($0.signedAt)) })
                .bounded(by: InstallationWatch.bankLimit).map { ([$0], $1.time.secondsWithFraction) })
        dataKeys.show(seen.dataKeys.map { ([$0.purpose.rawValue], Double($0.uses)) })
        lastSeal.show(seen.lastSealAt.map { [([], $0.secondsWithFraction)] } ?? [])
        schemaVersion.record(seen.schemaVersion)
        observedAt.record(now.secondsWithFraction)
    }

    mutating func showTLSCertificate(expiry: Timestamp?) {
        tlsCertificate.show(expiry.map { [([], $0.secondsWithFraction)] } ?? [])
    }

    private func values(_ backlogs: [Observation.Backlog], now: Timestamp) -> [(String, BacklogValue)] {
        BankValues(backlogs.map { ($0.bankId.text, BacklogValue($0, now: now)) })
            .bounded(by: InstallationWatch.bankLimit)
    }

    private func earliest(_ times: [(Identifier, Timestamp)]) -> [(String, Double)] {
        BankValues(times.map { ($0.text, EarliestTime($1)) }).bounded(by: InstallationWatch.bankLimit)
            .map { ($0, $1.time.secondsWithFraction) }
    }
}

extension BacklogValue {
    fileprivate init(_ backlog: Observation.Backlog, now: Timestamp) {
        let age = backlog.oldestSince.map { max(0, now.secondsWithFraction - $0.secondsWithFraction) }
        self.init(pending: backlog.pending, oldestAgeSeconds: age ?? 0, parked: backlog.parked)
    }
}

/// The gauges of one metric whose series come and go.
private struct ChangingGauges {
    private let name: String
    private let labels: [String]
    private var gauges: [[String]: Gauge] = [:]
    private var added: [([String], Double)] = []

    init(_ name: String, _ labels: String...) {
        self.name = name
        self.labels = labels
    }

    /// Shows these values, and no others.
    mutating func show(_ values: [([String], Double)]) {
        add(values)
        showAdded()
    }

    mutating func add(_ values: [([String], Double)]) {
        added += values
    }

    mutating func showAdded() {
        var kept: [[String]: Gauge] = [:]
        for (values, number) in added {
            let gauge = gauges[values] ?? Gauge(label: name, dimensions: Array(zip(labels, values)))
            gauge.record(number)
            kept[values] = gauge
        }
        for (values, gauge) in gauges where kept[values] == nil { gauge.destroy() }
        gauges = kept
        added = []
    }
}
