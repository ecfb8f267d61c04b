internal import CLibPQ

/// The parameters that libpq connects with. Parameters in the URL override our defaults, except `client_encoding`,
/// which is always UTF8.
struct ConnectionParameters: Sendable {
    private static let checkIntervalMilliseconds = 2_000

    /// Keywords and values for PQconnectdbParams.
    let values: [String: String]

    /// - Throws: ``PostgresError/Code/invalidConfiguration``, without libpq's message, because it quotes the connection
    ///   string, which can contain a password.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        let given = try Self.options(of: configuration.url) { option in
            option.val.map { (String(cString: option.keyword), String(cString: $0)) }
        }
        var values = Self.defaults(configuration).merging(given) { _, given in given }
        values["client_encoding"] = "UTF8"
        values["options"] = [Self.sessionOptions(configuration), given["options"]]
            .compactMap { $0 }.joined(separator: " ")
        self.values = values
    }

    /// Removes the passwords that we know from a libpq message.
    func redact(_ message: String) -> String {
        var message = message
        for secret in ["password", "sslpassword"].compactMap({ values[$0] }) where !secret.isEmpty {
            message.replace(secret, with: "…")
        }
        return message
    }

    private static func defaults(_ configuration: PostgresConfiguration) -> [String: String] {
        [
            "application_name": configuration.applicationName,
            "connect_timeout": "\(configuration.connectTimeoutSeconds)",
            // Detects within a minute that a server is gone without closing the connection, even if no statement is
            // in flight.
            "keepalives_idle": "30",
            "keepalives_interval": "10",
            "keepalives_count": "3",
            "tcp_user_timeout": "60000",
            // GSS encryption reads ahead of us, as TLS does, but libpq cannot report how many bytes it has buffered.
            // For TLS we use `SSL_pending`.
            "gssencmode": "disable",
        ]
    }

    private static func sessionOptions(_ configuration: PostgresConfiguration) -> String {
        "-c statement_timeout=\(configuration.statementTimeoutMilliseconds)"
            + " -c idle_in_transaction_session_timeout=\(configuration.idleInTransactionTimeoutMilliseconds)"
            // A statement whose client has closed the connection ends soon.
            + " -c client_connection_check_interval=\(Self.checkIntervalMilliseconds)"
            // The warning about a standby must come: see NoticeSink.
            + " -c client_min_messages=warning"
            + (configuration.searchPath.map { " -c search_path=\($0)" } ?? "")
    }

    /// What `pair` makes of the options of a URL.
    ///
    /// - Throws: as ``init(_:)``.
    static func options(
        of url: String, _ pair: (PQconninfoOption) -> (String, String)?
    ) throws(PostgresError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        defer { PQfreemem(message) }
        guard let options = PQconninfoParse(url, &message) else {
            throw PostgresError(
                .invalidConfiguration,
                "the database URL is none of libpq: it must look like postgresql://USER@HOST/DATABASE")
        }
        defer { PQconninfoFree(options) }
        var pairs: [String: String] = [:]
        var option = options
        while option.pointee.keyword != nil {
            if let (name, value) = pair(option.pointee) { pairs[name] = value }
            option += 1
        }
        return pairs
    }
}
