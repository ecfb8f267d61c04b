internal import CardCompanion
internal import PrometheusText

/// All metrics of the server. Names end in their unit. No label has a PIN, a code, a uniqueId, or anything else that a client
/// can choose.
enum MetricCatalogue {
    static let all = requests + security + database + work + banks + vault + server

    /// Upper bounds in seconds: from a statement on an idle database to the longest that a client waits.
    private static let bounds = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    /// For each bank there is a series, and one for the banks beyond the limit.
    private static let bankSeriesLimit = InstallationWatch.bankLimit + 1
    /// Each operation has its codes and statuses.
    private static let answerSeriesLimit = 2000

    private static let requests = [
        MetricDescription(
            "card_companion_requests_total", .counter, labels: ["operation", "status", "code"],
            seriesLimit: answerSeriesLimit,
            help: """
                Answered requests. status: HTTP status. code: the protocol's code, the real one even if the bank has uniform \
                errors; none if the answer has no code.
                """),
        MetricDescription(
            "card_companion_request_duration_seconds", .histogram(bounds: bounds), labels: ["operation"],
            help: "Time from the header of a request to the first byte of its answer."),
        MetricDescription(
            "card_companion_requests_in_flight", .gauge,
            help: "Requests of apps and back-ends that are being served, without those that wait for events."),
        MetricDescription(
            "card_companion_requests_limit", .gauge,
            help: "How many of them are served at once. It follows how soon they are answered."),
        MetricDescription(
            "card_companion_requests_refused_total", .counter, labels: ["priority", "cause"],
            help:
                "Requests that were answered 503 at once: too many others are in flight (server), or the bank has its share (bank)."
        ),
    ]

    private static let security = [
        MetricDescription(
            "card_companion_replays_refused_total", .counter, labels: ["kind"],
            help: "Requests that were refused because their token, hashMac or nonce was used before."),
        MetricDescription(
            "card_companion_lockouts_total", .counter, labels: ["reason"],
            help: "Cardholders that were locked by a request to this server."),
        MetricDescription(
            "card_companion_pin_exports_total", .counter, labels: ["outcome"],
            help: """
                Exports of defined PINs for the issuer's host. outcome: exported, or why one was refused; bound_otherwise: the PAN \
                belongs to another cardholder.
                """),
        MetricDescription(
            "card_companion_secure_heap_fallbacks_total", .counter,
            help: "Secrets that were kept in ordinary memory, because the secure heap was full."),
        MetricDescription(
            "card_companion_clock_skew_seconds", .gauge,
            help:
                "How far this server's clock is ahead of the database's, not counting the query's time; negative if behind."
        ),
    ]

    private static let database = [
        MetricDescription(
            "card_companion_database_connections", .gauge, help: "Open connections to the database."),
        MetricDescription(
            "card_companion_database_connections_in_use", .gauge,
            help: "Connections to the database with statements in flight, and leased ones."),
        MetricDescription(
            "card_companion_database_connections_limit", .gauge,
            help: "The setting database.connections."),
        MetricDescription(
            "card_companion_database_requests_in_flight", .gauge,
            help: "Statements and batches in flight on all connections."),
        MetricDescription(
            "card_companion_database_pipeline_depth", .gauge,
            help: "Statements and batches in flight on the connection that has the most."),
        MetricDescription(
            "card_companion_database_requests_waiting", .gauge,
            help: "Statements and batches that wait for a connection."),
        MetricDescription(
            "card_companion_database_acquire_duration_seconds", .histogram(bounds: bounds),
            help: "How long statements and batches waited for a connection."),
        MetricDescription(
            "card_companion_database_acquire_failures_total", .counter,
            help: "Statements and batches that got no connection."),
        MetricDescription(
            "card_companion_database_connect_failures_total", .counter,
            help: "Attempts to connect to the database that failed."),
        MetricDescription(
            "card_companion_database_lost_connections_total", .counter,
            help: "Open connections to the database that were lost."),
    ]

    private static let work = [
        MetricDescription(
            "card_companion_drawing_jobs", .gauge,
            help: "PINs that are being drawn or wait to be drawn. A large image counts for up to 14."),
        MetricDescription(
            "card_companion_drawing_jobs_limit", .gauge, help: "How many PINs of scale 1 can be drawn or wait at once."),
        MetricDescription(
            "card_companion_drawing_refused_total", .counter,
            help: "Requests that were answered 503 because too many PINs waited to be drawn."),
        MetricDescription(
            "card_companion_import_lines_total", .counter, labels: ["outcome"],
            help: "Lines of back-ends' imports."),
        MetricDescription(
            "card_companion_webhook_attempts_total", .counter, labels: ["outcome"],
            help: "Attempts to send an event. refused: it will be sent again. parked: it was given up."),
        MetricDescription(
            "card_companion_document_sessions", .gauge, help: "Open sessions of document verification."),
        MetricDescription(
            "card_companion_document_sessions_ended_total", .counter, labels: ["end"],
            help: """
                Sessions of document verification that have ended. end: posted, the reason of the close frame, \
                closed_by_client, connection_lost, server_stopped, invalid_frames or invalid_text.
                """),
        MetricDescription(
            "card_companion_document_verifications_total", .counter, labels: ["outcome"],
            help: "Documents that were verified. outcome: passed, failed, or unfinished if the session broke off."),
        MetricDescription(
            "card_companion_document_results_total", .counter, labels: ["outcome"],
            help: "Results that were posted to result servers. outcome: accepted, or failed after all attempts."),
        MetricDescription(
            "card_companion_housekeeping_last_run_timestamp_seconds", .gauge,
            help: "When this server's last round of housekeeping without a failure ended."),
        MetricDescription(
            "card_companion_housekeeping_rows_total", .counter, labels: ["kind"],
            help:
                "Rows that housekeeping has removed; for certificates and revocation lists, events that it has written."
        ),
        MetricDescription(
            "card_companion_housekeeping_failures_total", .counter, labels: ["kind"],
            help: "Steps of housekeeping that have failed."),
    ]

    private static let banks = [
        MetricDescription(
            "card_companion_webhook_pending_events", .gauge, labels: ["bank"], seriesLimit: bankSeriesLimit,
            help: "Events that wait to be sent to a bank's webhook."),
        MetricDescription(
            "card_companion_webhook_oldest_pending_age_seconds", .gauge, labels: ["bank"],
            seriesLimit: bankSeriesLimit, help: "How long the oldest event waits to be sent; 0 if none does."),
        MetricDescription(
            "card_companion_webhook_parked_events", .gauge, labels: ["bank"], seriesLimit: bankSeriesLimit,
            help: "Events that were given up after three days of attempts."),
        MetricDescription(
            "card_companion_forwarded_pins_waiting", .gauge, labels: ["bank"], seriesLimit: bankSeriesLimit,
            help: "Defined PINs that a bank's connector has not handed to the issuer's host."),
        MetricDescription(
            "card_companion_forwarded_pin_oldest_age_seconds", .gauge, labels: ["bank"], seriesLimit: bankSeriesLimit,
            help: "How long ago the oldest of them was defined."),
        MetricDescription(
            "card_companion_certificate_expiry_timestamp_seconds", .gauge, labels: ["bank", "use"],
            seriesLimit: 4 * bankSeriesLimit,
            help: """
                When the first of a bank's active and still valid certificates expires. If none is valid, when the last \
                one expired.
                """),
        MetricDescription(
            "card_companion_revocation_list_expiry_timestamp_seconds", .gauge, labels: ["bank"],
            seriesLimit: bankSeriesLimit, help: "When the first of a bank's revocation lists expires, or has expired."),
        MetricDescription(
            "card_companion_trust_list_signed_timestamp_seconds", .gauge, labels: ["bank"],
            seriesLimit: bankSeriesLimit,
            help: """
                When the list of authorities that a bank trusts for documents was signed. all: the list for banks without \
                a list of their own.
                """),
    ]

    private static let vault = [
        MetricDescription(
            "card_companion_vault_open", .gauge, help: "1 if this server has its keys, else 0: then it answers 503."),
        MetricDescription(
            "card_companion_vault_last_proof_timestamp_seconds", .gauge,
            help: "When the vault last proved to this server that it works."),
        MetricDescription(
            "card_companion_data_key_uses", .gauge, labels: ["purpose"],
            help: "How many values the newest data key has sealed, on all servers."),
        MetricDescription(
            "card_companion_inventory_right", .gauge,
            help: """
                1 if the inventory in the database is the newest one that is known, or follows it, 0 if it went back or was forged: \
                then the server goes on with the one that it knows.
                """),
        MetricDescription(
            "card_companion_audit_last_seal_timestamp_seconds", .gauge,
            help:
                "When any server made the audit trail's newest seal. Without new entries there is no new seal."),
        MetricDescription(
            "card_companion_audit_seal_failures_total", .counter,
            help: "Seals of the audit trail that this server could not make."),
        MetricDescription(
            "card_companion_audit_trail_intact", .gauge,
            help: """
                1 if the audit trail goes on from the newest seal that this server knows, 0 if it went back or is another one: \
                then no seal is added.
                """),
        MetricDescription(
            "card_companion_audit_late_entries_total", .counter,
            help: "Entries of the audit trail in this server's seals that an earlier seal should have had."),
        MetricDescription(
            "card_companion_audit_database_original", .gauge,
            help: """
                1 if the database's functions are those of this program, and the tables of the audit trail have no triggers, \
                rules or row security.
                """),
    ]

    private static let server = [
        MetricDescription(
            "card_companion_tls_certificate_expiry_timestamp_seconds", .gauge,
            help: "When the certificate in the file of http.tls.certificate expires."),
        MetricDescription(
            "card_companion_build_info", .gauge, labels: ["version"], help: "The program's version. The value is 1."),
        MetricDescription(
            "card_companion_schema_version", .gauge, help: "The version of the database's schema."),
        MetricDescription(
            "card_companion_observation_timestamp_seconds", .gauge,
            help: """
                When this server last read the metrics of webhooks, certificates, data keys, seals and the schema from the \
                database.
                """),
    ]
}
