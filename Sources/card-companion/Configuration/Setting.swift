import CardCompanion
import Configuration

/// One setting of the server: an argument, an environment variable, or a member of the configuration file.
struct Setting: Sendable {
    /// The type of its value, with the allowed values.
    enum Kind: Sendable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    /// Its key in the file, with a dot for each level: `http.port`.
    let key: String
    let kind: Kind
    /// What it does, for people.
    let help: String
    /// The value if nothing is set, for people.
    let defaultText: String
    /// Whether its value can contain a password.
    var isSecret = false

    /// Its environment variable: `HTTP_PORT`.
    var environmentName: String {
        key.replacing(".", with: "_").replacing("-", with: "_").uppercased()
    }

    /// Its argument: `--http-port`.
    var argumentName: String { "--" + key.replacing(".", with: "-") }

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
        help: "PEM file of the CAs of back-ends' client certificates. Back-ends must then show one.",
        defaultText: "none")
    static let httpPlain = Setting(
        key: "http.plain", kind: .choice(["loopback", "allowed"]),
        help:
            "Where HTTP without TLS is allowed: on loopback only, or everywhere (behind a proxy that terminates TLS).",
        defaultText: "loopback")
    static let httpConnections = Setting(
        key: "http.connections", kind: .integer(1...1_000_000), help: "The most open connections.",
        defaultText: "10000, or fewer if this process cannot have so many files open")
    static let httpIdleTimeout = Setting(
        key: "http.idle.timeout.seconds", kind: .integer(1...3600), help: "Idle timeout of a connection.",
        defaultText: "60")
    static let httpAddressConnections = Setting(
        key: "http.address.connections", kind: .integer(1...1_000_000),
        help: "The most open connections of one client address (IPv6: of one /64).",
        defaultText: "1000, or a quarter of http.connections if that is less")
    static let httpAddressRate = Setting(
        key: "http.address.rate", kind: .integer(1...1_000_000),
        help: "How many keypads and failed authentications a client address can have per second, in the long run.",
        defaultText: "100")
    static let httpAddressBurst = Setting(
        key: "http.address.burst", kind: .integer(1...1_000_000),
        help: "How many keypads and failed authentications a client address can have at once.",
        defaultText: "1000")
    static let httpAddressSessions = Setting(
        key: "http.address.sessions", kind: .integer(1...2_000),
        help: "The most open sessions of document verification of one client address (IPv6: of one /64).",
        defaultText: "32")
    static let httpDrain = Setting(
        key: "http.drain.seconds", kind: .integer(0...300),
        help: """
            How long a server that gets SIGTERM still serves, while its health check says that it stops and each connection ends \
            after an answer. Longer than a load balancer needs to notice.
            """,
        defaultText: "5")
    static let httpProxies = Setting(
        key: "http.proxies", kind: .text,
        help: """
            Addresses of proxies in front of the server, separated by commas, such as '10.0.0.5, 2001:db8::/64'. Their \
            field Forwarded or X-Forwarded-For is believed.
            """,
        defaultText: "none")
    static let httpNames = Setting(
        key: "http.names", kind: .text,
        help: """
            The server's names in the URLs that back-ends call, separated by commas, such as 'pin.example.com, \
            pin.example.com:8443'. A back-end's call must be signed for one of them. The ports 443 and 80 mean no port.
            """,
        defaultText: "none: back-ends' calls are served to this machine only")
    static let cardholderRequests = Setting(
        key: "cardholder.requests", kind: .integer(1...1_000),
        help: "How many requests of one cardholder are served at once.", defaultText: "4")
    static let lookUpsRate = Setting(
        key: "lookups.rate", kind: .integer(1...1_000_000),
        help: """
            How many unknown banks, keys and document clients a server looks up in the database per second, of each kind, in \
            the long run. Ten times as many can come at once.
            """,
        defaultText: "50")
    static let webhooksCA = Setting(
        key: "webhooks.ca", kind: .text, help: "PEM file of the roots for the certificates of webhooks.",
        defaultText: "the system's")
    static let databaseURL = Setting(
        key: "database.url", kind: .text,
        help: "The PostgreSQL to use, as a libpq URL. Several hosts are allowed.",
        defaultText: "a private PostgreSQL in the data directory", isSecret: true)
    static let databaseConnections = Setting(
        key: "database.connections", kind: .integer(1...1000), help: "The most connections to the database.",
        defaultText: "8")
    static let databaseStatementTimeout = Setting(
        key: "database.statement.timeout.milliseconds", kind: .integer(100...600_000),
        help: "How long a statement can take.", defaultText: "10000")
    static let databaseAcquireTimeout = Setting(
        key: "database.acquire.timeout.seconds", kind: .integer(1...300),
        help: "How long a request waits for a connection to the database.", defaultText: "2")
    static let databaseAnswerTimeout = Setting(
        key: "database.answer.timeout.milliseconds", kind: .integer(100...60_000),
        help: "How long a request waits for the database's answer. Then it is answered 503.", defaultText: "2000")
    static let databasePooling = Setting(
        key: "database.pooling", kind: .choice(["session", "transaction"]),
        help: """
            Which sessions a pooler in front of PostgreSQL gives: the same one as long as the connection is open, or \
            another one for each transaction. Without a pooler: session.
            """,
        defaultText: "session")
    static let databaseBinaries = Setting(
        key: "database.binaries", kind: .text,
        help: "The folder of PostgreSQL's programs, for the private database.",
        defaultText: "the newest PostgreSQL that is installed")
    static let dataDirectory = Setting(
        key: "data.directory", kind: .text,
        help: "The folder of the private database, the vault's key file and the sandbox.",
        defaultText: "/var/lib/card-companion for root, else ~/.local/share/card-companion")
    static let vaultFile = Setting(
        key: "vault.file", kind: .text, help: "The file of the master key (mode 0600).",
        defaultText: "vault.key in the data directory")
    static let vaultModule = Setting(
        key: "vault.module", kind: .text,
        help: "The PKCS#11 module of the token that has the master key, instead of a file.", defaultText: "none")
    static let vaultToken = Setting(
        key: "vault.token", kind: .text, help: "The label of that token.", defaultText: "none")
    static let vaultPINFile = Setting(
        key: "vault.pin.file", kind: .text,
        help: """
            The file of the token's PIN (mode 0600). Without it, the server takes the credential 'vault-pin' of the service \
            manager, or waits for 'card-companion vault unseal', and commands ask.
            """,
        defaultText: "none")
    static let vaultGrace = Setting(
        key: "vault.grace.seconds", kind: .integer(0...3600),
        help: "How long the server serves when the vault does not work any more. Then its keys are wiped.",
        defaultText: "60")
    static let vaultSocket = Setting(
        key: "vault.socket", kind: .text, help: "The socket at which a server takes the PIN of 'vault unseal'.",
        defaultText: "vault.sock in the data directory")
    static let logLevel = Setting(
        key: "log.level", kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        help: "What to log.", defaultText: "info")
    static let logFormat = Setting(
        key: "log.format", kind: .choice(["text", "json"]), help: "How to log: for people, or as lines of JSON.",
        defaultText: "text")
    static let adminHost = Setting(
        key: "admin.host", kind: .text, help: "The address at which metrics are served, without TLS.",
        defaultText: "127.0.0.1")
    static let adminPort = Setting(
        key: "admin.port", kind: .integer(0...65_535),
        help: "The port at which metrics are served, for Prometheus at /metrics. 0 takes a free one.",
        defaultText: "none: no metrics")
    static let serverUser = Setting(
        key: "server.user", kind: .text,
        help:
            "The user that a server becomes if root starts it. It keeps only the right to listen on ports below 1024.",
        defaultText: "none: the server stays the user that it was started as")
    static let drawingThreads = Setting(
        key: "drawing.threads", kind: .integer(1...256), help: "How many threads draw PINs.",
        defaultText: "one per processor")
    static let housekeepingInterval = Setting(
        key: "housekeeping.interval.seconds", kind: .integer(1...86_400),
        help: "How often expired rows are removed.", defaultText: "60")

    static let clockLimit = Setting(
        key: "clock.limit.seconds", kind: .integer(1...Int(ClockMargin.seconds) / 2),
        help: "From which difference between the server's and the database's clock on the server does not serve.",
        defaultText: "30")

    static let all = [
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
