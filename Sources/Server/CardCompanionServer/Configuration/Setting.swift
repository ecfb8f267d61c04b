internal import CardCompanion
internal import Configuration

/// One setting of the server: an argument, an environment variable, or a member of the configuration file.
package struct Setting: Sendable {
    /// The type of its value, with the allowed values.
    enum Kind: Sendable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    /// Its key in the file, with a dot for each level: `http.port`.
    package let key: String
    let kind: Kind
    /// What it does, for people.
    package let help: String
    /// The value if nothing is set, for people.
    package let defaultText: String
    /// Whether its value can contain a password.
    package var isSecret = false

    /// Its environment variable: `HTTP_PORT`.
    package var environmentName: String {
        key.replacing(".", with: "_").replacing("-", with: "_").uppercased()
    }

    /// Its argument: `--http-port`.
    package var argumentName: String { "--" + key.replacing(".", with: "-") }

    static let httpHost = Setting(
        key: "http.host", kind: .text, help: "The address to listen on.", defaultText: "127.0.0.1")
    static let httpPort = Setting(
        key: "http.port", kind: .integer(0...65_535), help: "The port to listen on. 0 takes a free one.",
        defaultText: "8080")
    static let tlsCertificate = Setting(
        key: "http.tls.certificate", kind: .text, help: "PEM file of the server's certificate, followed by its chain.",
        defaultText: "none")
    static let tlsKey = Setting(
        key: "http.tls.key", kind: .text, help: "PEM file of the certificate's private key.", defaultText: "none")
    static let tlsClientCA = Setting(
        key: "http.tls.client.ca", kind: .text,
        help:
            "PEM file of the CAs for back-ends' client certificates. If it is set, back-ends must show a certificate.",
        defaultText: "none")
    static let httpPlain = Setting(
        key: "http.plain", kind: .choice(["loopback", "allowed"]),
        help:
            "Where HTTP without TLS is allowed: on loopback only, or everywhere (behind a proxy that terminates TLS).",
        defaultText: "loopback")
    static let httpConnections = Setting(
        key: "http.connections", kind: .integer(1...1_000_000), help: "The maximum number of open connections.",
        defaultText: "10000, or fewer if this process cannot open so many files")
    static let httpIdleTimeout = Setting(
        key: "http.idle.timeout.seconds", kind: .integer(1...3600), help: "The idle timeout of a connection.",
        defaultText: "60")
    static let httpAddressConnections = Setting(
        key: "http.address.connections", kind: .integer(1...1_000_000),
        help: "The maximum number of open connections of one client address (IPv6: of one /64).",
        defaultText: "1000, or a quarter of http.connections if that is less")
    static let httpAddressRate = Setting(
        key: "http.address.rate", kind: .integer(1...1_000_000),
        help: "The sustained rate of keypads and failed authentications of one client address, per second.",
        defaultText: "100")
    static let httpAddressBurst = Setting(
        key: "http.address.burst", kind: .integer(1...1_000_000),
        help: "How many keypads and failed authentications one client address can have in a burst.",
        defaultText: "1000")
    static let httpAddressSessions = Setting(
        key: "http.address.sessions", kind: .integer(1...2_000),
        help: "The maximum number of open document sessions of one client address (IPv6: of one /64).",
        defaultText: "32")
    static let httpDrain = Setting(
        key: "http.drain.seconds", kind: .integer(0...300),
        help: """
            The drain time: how long a server still serves after SIGTERM. During this time its health check fails, and each \
            connection is closed after its next answer. It must be longer than a load balancer needs to notice.
            """,
        defaultText: "5")
    static let httpProxies = Setting(
        key: "http.proxies", kind: .text,
        help: """
            Addresses of proxies in front of the server, separated by commas, such as '10.0.0.5, 2001:db8::/64'. The \
            server trusts their Forwarded or X-Forwarded-For header.
            """,
        defaultText: "none")
    static let httpNames = Setting(
        key: "http.names", kind: .text,
        help: """
            The server's names in the URLs that back-ends call, separated by commas, such as 'pin.example.com, \
            pin.example.com:8443'. A back-end's call must be signed for one of them. Leave out the ports 443 and 80.
            """,
        defaultText: "none: back-ends' calls are served to this machine only")
    static let cardholderRequests = Setting(
        key: "cardholder.requests", kind: .integer(1...1_000),
        help: "How many requests of one cardholder are served at once.", defaultText: "4")
    static let lookUpsRate = Setting(
        key: "lookups.rate", kind: .integer(1...1_000_000),
        help: """
            The sustained rate at which a server looks up unknown banks, keys and document clients in the database, per \
            second and for each kind. A burst can be ten times as large.
            """,
        defaultText: "50")
    static let webhooksCA = Setting(
        key: "webhooks.ca", kind: .text, help: "PEM file of the CAs for the certificates of webhook servers.",
        defaultText: "the system's CAs")
    static let databaseURL = Setting(
        key: "database.url", kind: .text,
        help: "The libpq URL of the PostgreSQL database. It can name several hosts.",
        defaultText: "a private PostgreSQL in the data directory", isSecret: true)
    static let databaseConnections = Setting(
        key: "database.connections", kind: .integer(1...1000),
        help: "The maximum number of connections to the database.",
        defaultText: "8")
    static let databaseStatementTimeout = Setting(
        key: "database.statement.timeout.milliseconds", kind: .integer(100...600_000),
        help: "The time limit of an SQL statement.", defaultText: "10000")
    static let databaseAcquireTimeout = Setting(
        key: "database.acquire.timeout.seconds", kind: .integer(1...300),
        help: "How long a request waits for a connection to the database.", defaultText: "2")
    static let databaseAnswerTimeout = Setting(
        key: "database.answer.timeout.milliseconds", kind: .integer(100...60_000),
        help: "How long a request waits for the database's answer. After that it is answered 503.", defaultText: "2000")
    static let databasePooling = Setting(
        key: "database.pooling", kind: .choice(["session", "transaction"]),
        help: """
            How a pooler in front of PostgreSQL assigns sessions: one session for the whole connection (session), or a \
            session per transaction (transaction). Without a pooler, use session.
            """,
        defaultText: "session")
    static let databaseBinaries = Setting(
        key: "database.binaries", kind: .text,
        help: "The folder of PostgreSQL's programs, for the private database.",
        defaultText: "those of the newest PostgreSQL that is installed")
    static let dataDirectory = Setting(
        key: "data.directory", kind: .text,
        help: "The folder of the private database, the vault's key file and the sandbox.",
        defaultText: "/var/lib/card-companion for root, else ~/.local/share/card-companion")
    static let vaultFile = Setting(
        key: "vault.file", kind: .text, help: "The file that contains the master key (mode 0600).",
        defaultText: "vault.key in the data directory")
    static let vaultModule = Setting(
        key: "vault.module", kind: .text,
        help: "The PKCS#11 module of the token with the master key, if the master key is not in a file.",
        defaultText: "none")
    static let vaultToken = Setting(
        key: "vault.token", kind: .text, help: "The label of that token.", defaultText: "none")
    static let vaultPINFile = Setting(
        key: "vault.pin.file", kind: .text,
        help: """
            The file that contains the token's PIN (mode 0600). Without it, the server uses the service manager's \
            credential 'vault-pin', or waits for 'card-companion vault unseal'. Commands ask for the PIN.
            """,
        defaultText: "none")
    static let vaultGrace = Setting(
        key: "vault.grace.seconds", kind: .integer(0...3600),
        help: "How long the server still serves when the vault has stopped working. After that it wipes its keys.",
        defaultText: "60")
    static let vaultSocket = Setting(
        key: "vault.socket", kind: .text, help: "The socket on which a server receives the PIN from 'vault unseal'.",
        defaultText: "vault.sock in the data directory")
    static let logLevel = Setting(
        key: "log.level", kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        help: "The lowest level that is logged.", defaultText: "info")
    static let logFormat = Setting(
        key: "log.format", kind: .choice(["text", "json"]),
        help: "The format of the log: text for people, or lines of JSON.",
        defaultText: "text")
    static let adminHost = Setting(
        key: "admin.host", kind: .text, help: "The address to serve metrics on, without TLS.",
        defaultText: "127.0.0.1")
    static let adminPort = Setting(
        key: "admin.port", kind: .integer(0...65_535),
        help: "The port to serve metrics on, for Prometheus at /metrics. 0 takes a free one.",
        defaultText: "none: no metrics")
    static let serverUser = Setting(
        key: "server.user", kind: .text,
        help:
            "The user that the server runs as if root starts it. It keeps only the right to listen on ports below 1024.",
        defaultText: "none: the server runs as the user that started it")
    static let drawingThreads = Setting(
        key: "drawing.threads", kind: .integer(1...256), help: "How many threads draw PINs.",
        defaultText: "one per processor")
    static let housekeepingInterval = Setting(
        key: "housekeeping.interval.seconds", kind: .integer(1...86_400),
        help: "How often expired rows are removed.", defaultText: "60")

    static let clockLimit = Setting(
        key: "clock.limit.seconds", kind: .integer(1...Int(ClockMargin.seconds) / 2),
        help: "The server stops serving when its clock and the database's clock differ by more than this.",
        defaultText: "30")

    package static let all = [
        httpHost, httpPort, tlsCertificate, tlsKey, tlsClientCA, httpPlain, httpConnections, httpDrain, httpIdleTimeout,
        httpAddressConnections, httpAddressRate, httpAddressBurst, httpAddressSessions, httpProxies, httpNames,
        cardholderRequests,
        lookUpsRate, webhooksCA, databaseURL,
        databaseConnections, databaseStatementTimeout, databaseAcquireTimeout, databaseAnswerTimeout, databasePooling,
        databaseBinaries, dataDirectory, vaultFile, vaultModule, vaultToken, vaultPINFile, vaultGrace,
        vaultSocket, adminHost, adminPort, logLevel, logFormat, serverUser, drawingThreads, housekeepingInterval,
        clockLimit,
    ]
}
