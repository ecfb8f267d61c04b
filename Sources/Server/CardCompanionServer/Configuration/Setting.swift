internal import CardCompanion
internal import CardCompanionHTTP
internal import CardCompanionWebhooks
package import Configuration

/// One setting of the server: an argument, an environment variable, or a member of the configuration file.
package struct Setting: Sendable {
    /// Where `--help` shows it, and which commands have an argument for it.
    package enum Section: Sendable {
        /// All commands. Their `--help` shows it.
        case installation
        /// All commands. Only those about the server itself show it, under "Database" or "Server".
        case database, vaultAndLog
        /// Commands about the server itself.
        case http, server
    }

    /// The type of its value, with the allowed values.
    enum Kind: Sendable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    let section: Section
    /// Its key in the file, with a dot for each level: `http.port`.
    package let key: String
    let kind: Kind
    /// The value if nothing is set; nil if there is none, or if it depends on something else.
    let defaultValue: ConfigContent?
    /// The same for people.
    package let defaultText: String
    /// What it does, for people.
    package let help: String

    /// - Parameter without: what there is without a default, for people.
    private init(
        _ section: Section, _ key: String, _ kind: Kind, default value: ConfigContent? = nil,
        without: String = "none", _ help: String
    ) {
        (self.section, self.key, self.kind, self.help) = (section, key, kind, help)
        defaultValue = value
        defaultText = value?.text ?? without
    }

    /// Whether its value can contain a password.
    package var isSecret: Bool { key == Self.databaseURL.key }

    /// Its environment variable: `HTTP_PORT`.
    package var environmentName: String { key.replacing(".", with: "_").uppercased() }

    /// Its argument: `--http-port`.
    package var argumentName: String { "--" + optionName }

    var optionName: String { key.replacing(".", with: "-") }
}

// The table of all settings: section, key, allowed values, default, help. A key says its unit.
extension Setting {
    static let httpHost = Setting(.http, "http.host", .text, default: .string(http.host), "The address to listen on.")
    static let httpPort = Setting(
        .http, "http.port", .integer(0...65_535), default: .int(http.port), "The port to listen on. 0 takes a free one."
    )
    static let tlsCertificate = Setting(
        .http, "http.tls.certificate", .text, "PEM file of the server's certificate, followed by its chain.")
    static let tlsKey = Setting(.http, "http.tls.key", .text, "PEM file of the certificate's private key.")
    static let tlsClientCA = Setting(
        .http, "http.tls.client.ca", .text,
        "PEM file of the CAs for back-ends' client certificates. If it is set, back-ends must show a certificate.")
    static let httpPlain = Setting(
        .http, "http.plain", .choice(["loopback", "allowed"]), default: "loopback",
        "Where HTTP without TLS is allowed: on loopback only, or everywhere (behind a proxy that terminates TLS).")
    static let httpConnections = Setting(
        .http, "http.connections", .integer(1...1_000_000),
        without: "10000, or fewer if this process cannot open so many files, or has too little memory",
        "The maximum number of open connections.")
    static let httpRequests = Setting(
        .http, "http.requests", .integer(1...10_000), default: .int(Admission.usualLeast),
        """
        How many requests are always served at once. The server takes more while it answers them soon, and refuses the \
        others with 503 at once. A bank with more than its share has at most 60 % of the places.
        """)
    static let httpIdleTimeout = Setting(
        .http, "http.idle.timeout.seconds", .integer(1...3600), default: .int(http.idleTimeoutSeconds),
        "The idle timeout of a connection.")
    static let httpAddressConnections = Setting(
        .http, "http.address.connections", .integer(1...1_000_000),
        without: "1000, or a quarter of http.connections if that is less",
        "The maximum number of open connections of one client address (IPv6: of one /64).")
    static let httpAddressRate = Setting(
        .http, "http.address.rate", .integer(1...1_000_000), default: .int(http.addressRate.perSecond),
        "The sustained rate of keypads and failed authentications of one client address, per second.")
    static let httpAddressBurst = Setting(
        .http, "http.address.burst", .integer(1...1_000_000), default: .int(http.addressRate.burst),
        "How many keypads and failed authentications one client address can have in a burst.")
    static let httpAddressSessions = Setting(
        .http, "http.address.sessions", .integer(1...2_000), default: .int(http.documentSessions.addressSessions),
        "The maximum number of open document sessions of one client address (IPv6: of one /64).")
    static let httpDrain = Setting(
        .http, "http.drain.seconds", .integer(0...300), default: 5,
        """
        The drain time: how long a server still serves after SIGTERM. During this time its health check fails, and each \
        connection is closed after its next answer. It must be longer than a load balancer needs to notice.
        """)
    static let httpProxies = Setting(
        .http, "http.proxies", .text,
        """
        Addresses of proxies in front of the server, separated by commas, such as '10.0.0.5, 2001:db8::/64'. The \
        server trusts their Forwarded or X-Forwarded-For header.
        """)
    static let httpNames = Setting(
        .http, "http.names", .text, without: "none: back-ends' calls are served to this machine only",
        """
        The server's names in the URLs that back-ends call, separated by commas, such as 'pin.example.com, \
        pin.example.com:8443'. A back-end's call must be signed for one of them. Leave out the ports 443 and 80.
        """)
    static let httpOrigins = Setting(
        .http, "http.origins", .text, without: "none",
        """
        Origins whose web pages can call the apps' operations (CORS), separated by commas, such as \
        'https://app.mybank.example'. Calls of back-ends are never offered to web pages.
        """)
    static let cardholderRequests = Setting(
        .server, "cardholder.requests", .integer(1...1_000), default: .int(CardholderGate.usualLimit),
        "How many requests of one cardholder are served at once.")
    static let bankRate = Setting(
        .server, "bank.rate", .integer(1...1_000_000), without: "no limit",
        """
        The maximum number of requests of one bank, its apps and its back-end together, that a server takes per second. \
        The others are refused with 503. A burst can be as large.
        """)
    static let lookUpsRate = Setting(
        .server, "lookups.rate", .integer(1...1_000_000), default: .int(TokenBucket.Rate.usualLookUps.perSecond),
        """
        The sustained rate at which a server looks up unknown banks, keys and document clients in the database, per \
        second and for each kind. A burst can be ten times as large.
        """)
    static let webhooksCA = Setting(
        .vaultAndLog, "webhooks.ca", .text, without: "the system's CAs",
        "PEM file of the CAs for the certificates of webhook servers.")
    static let resultsTimeout = Setting(
        .server, "results.timeout.seconds", .integer(1...60), default: .int(ResultPoster.usualTimeoutSeconds),
        "How long a bank's result server can take for each answer.")
    static let databaseURL = Setting(
        .installation, "database.url", .text, without: "a private PostgreSQL in the data directory",
        "The libpq URL of the PostgreSQL database. It can name several hosts.")
    static let databaseConnections = Setting(
        .database, "database.connections", .integer(1...1000), default: 8,
        "The maximum number of connections to the database.")
    static let databaseStatementTimeout = Setting(
        .database, "database.statement.timeout.milliseconds", .integer(100...600_000), default: 10_000,
        "The time limit of an SQL statement.")
    static let databaseAcquireTimeout = Setting(
        .database, "database.acquire.timeout.seconds", .integer(1...300), default: 2,
        "How long a request waits for a connection to the database.")
    static let databaseAnswerTimeout = Setting(
        .database, "database.answer.timeout.milliseconds", .integer(100...600_000), default: 2000,
        """
        How long a request waits for one answer of the database, and a quarter longer for all of them. After that it is \
        answered 503.
        """)
    static let databasePooling = Setting(
        .database, "database.pooling", .choice(["session", "transaction"]), default: "session",
        """
        How a pooler in front of PostgreSQL assigns sessions: one session for the whole connection (session), or a \
        session per transaction (transaction). Without a pooler, use session.
        """)
    static let databaseBinaries = Setting(
        .database, "database.binaries", .text, without: "those of the newest PostgreSQL that is installed",
        "The folder of PostgreSQL's programs, for the private database.")
    static let dataDirectory = Setting(
        .installation, "data.directory", .text,
        without: "/var/lib/card-companion for root, else ~/.local/share/card-companion",
        "The folder of the private database, the vault's key file and the sandbox.")
    static let vaultFile = Setting(
        .vaultAndLog, "vault.file", .text, without: "vault.key in the data directory",
        "The file that contains the master key (mode 0600).")
    static let vaultModule = Setting(
        .vaultAndLog, "vault.module", .text,
        "The PKCS#11 module of the token with the master key, if the master key is not in a file.")
    static let vaultToken = Setting(.vaultAndLog, "vault.token", .text, "The label of that token.")
    static let vaultPINFile = Setting(
        .vaultAndLog, "vault.pin.file", .text,
        """
        The file that contains the token's PIN (mode 0600). Without it, the server uses the service manager's \
        credential 'vault-pin', or waits for 'card-companion vault unseal'. Commands ask for the PIN.
        """)
    static let vaultGrace = Setting(
        .server, "vault.grace.seconds", .integer(0...3600), default: 60,
        "How long the server still serves when the vault has stopped working. After that it wipes its keys.")
    static let vaultSocket = Setting(
        .vaultAndLog, "vault.socket", .text, without: "vault.sock in the data directory",
        "The socket on which a server receives the PIN from 'vault unseal'.")
    static let logLevel = Setting(
        .vaultAndLog, "log.level",
        .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]), default: "info",
        "The lowest level that is logged.")
    static let logFormat = Setting(
        .vaultAndLog, "log.format", .choice(["text", "json"]), default: "text",
        "The format of the log: text for people, or lines of JSON.")
    static let adminHost = Setting(
        .server, "admin.host", .text, default: "127.0.0.1", "The address to serve metrics on, without TLS.")
    static let adminPort = Setting(
        .server, "admin.port", .integer(0...65_535), without: "none: no metrics",
        "The port to serve metrics on, for Prometheus at /metrics. 0 takes a free one.")
    static let serverUser = Setting(
        .server, "server.user", .text, without: "none: the server runs as the user that started it",
        "The user that the server runs as if root starts it. It keeps only the right to listen on ports below 1024.")
    static let drawingThreads = Setting(
        .server, "drawing.threads", .integer(1...256), without: "one per processor", "How many threads draw PINs.")
    static let housekeepingInterval = Setting(
        .server, "housekeeping.interval.seconds", .integer(1...86_400), default: 60,
        "How often expired rows are removed.")
    static let clockLimit = Setting(
        .server, "clock.limit.seconds", .integer(1...Int(ClockMargin.seconds) / 2), default: 30,
        "The server stops serving when its clock and the database's clock differ by more than this.")

    /// Names the file with the settings, so it is not one of them.
    static let configurationFile = Setting(
        .installation, "config", .text,
        """
        A JSON file with settings, such as {"http": {"port": 8443}}. CARD_COMPANION_CONFIG can also name it. \
        'card-companion help configuration' lists all settings.
        """)

    private static let http = HTTPSettings(host: "127.0.0.1", port: 8080, tls: nil)

    /// In the order in which they are listed.
    package static let all = [
        httpHost, httpPort, tlsCertificate, tlsKey, tlsClientCA, httpPlain, httpConnections, httpDrain, httpRequests,
        httpIdleTimeout,
        httpAddressConnections, httpAddressRate, httpAddressBurst, httpAddressSessions, httpProxies, httpNames,
        httpOrigins,
        cardholderRequests, bankRate, lookUpsRate, webhooksCA, resultsTimeout, databaseURL, databaseConnections,
        databaseStatementTimeout, databaseAcquireTimeout, databaseAnswerTimeout, databasePooling, databaseBinaries,
        dataDirectory, vaultFile, vaultModule, vaultToken, vaultPINFile, vaultGrace, vaultSocket, adminHost, adminPort,
        logLevel, logFormat, serverUser, drawingThreads, housekeepingInterval, clockLimit,
    ]
}

extension ConfigContent {
    /// The value of a setting, for people.
    package var text: String {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        default: "?"
        }
    }
}
