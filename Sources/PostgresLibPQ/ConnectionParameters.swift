internal import CLibPQ

/// What libpq is asked to connect with: the URL's parameters over our defaults.
struct ConnectionParameters: Sendable {
    /// Keywords and values, as PQconnectdbParams takes them.
    let values: [String: String]

    /// - Throws: ``PostgresError/Code/invalidConfiguration``, without libpq's own words: they quote the string, and so
    ///   perhaps the password.
    init(_ configuration: PostgresConfiguration) throws(PostgresError) {
        guard let given = Self.parse(configuration.url) else {
            throw PostgresError(.invalidConfiguration, "the connection string cannot be read")
        }
        var values = Self.defaults(configuration).merging(given) { _, given in given }
        values["client_encoding"] = "UTF8"
        values["options"] = [Self.sessionOptions(configuration), given["options"]]
            .compactMap { $0 }.joined(separator: " ")
        self.values = values
    }

    /// A message of libpq's without the passwords that we know of.
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
            // A server that has gone without a word is noticed within a minute, even where nothing is under way.
            "keepalives_idle": "30",
            "keepalives_interval": "10",
            "keepalives_count": "3",
            "tcp_user_timeout": "60000",
            // GSS encryption, like TLS, reads ahead of us, but has no way to ask how much: see `SSL_pending`.
            "gssencmode": "disable",
        ]
    }

    private static func sessionOptions(_ configuration: PostgresConfiguration) -> String {
        "-c statement_timeout=\(configuration.statementTimeoutMilliseconds)"
            + " -c idle_in_transaction_session_timeout=\(configuration.idleInTransactionTimeoutMilliseconds)"
    }

    private static func parse(_ url: String) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        defer { PQfreemem(message) }
        guard let options = PQconninfoParse(url, &message) else { return nil }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }
}
