import Configuration

/// One thing that can be set: by an argument, in the environment, or in the configuration file.
struct Setting: Sendable {
    /// The type of its value, with what is allowed.
    enum Kind: Sendable {
        case text
        case integer(ClosedRange<Int>)
        case choice([String])
    }

    /// Its key in the file, with a dot for each level: `http.port`.
    let key: String
    let kind: Kind
    /// What holds where nothing is set, for people.
    let defaultText: String
    /// Whether its value may hold a password.
    var isSecret = false

    /// Its name in the environment: `HTTP_PORT`.
    var environmentName: String {
        key.replacing(".", with: "_").replacing("-", with: "_").uppercased()
    }

    /// Its name as an argument: `--http-port`.
    var argumentName: String { "--" + key.replacing(".", with: "-") }

    static let httpHost = Setting(key: "http.host", kind: .text, defaultText: "127.0.0.1")
    static let httpPort = Setting(key: "http.port", kind: .integer(0...65_535), defaultText: "8080")
    static let tlsCertificate = Setting(key: "http.tls.certificate", kind: .text, defaultText: "none")
    static let tlsKey = Setting(key: "http.tls.key", kind: .text, defaultText: "none")
    static let tlsClientCA = Setting(key: "http.tls.client.ca", kind: .text, defaultText: "none")
    static let webhooksCA = Setting(key: "webhooks.ca", kind: .text, defaultText: "the system's")
    static let httpPlain = Setting(key: "http.plain", kind: .choice(["loopback", "allowed"]), defaultText: "loopback")
    static let httpConnections = Setting(
        key: "http.connections", kind: .integer(1...1_000_000), defaultText: "10000")
    static let httpIdleTimeout = Setting(
        key: "http.idle.timeout.seconds", kind: .integer(1...3600), defaultText: "60")
    static let databaseURL = Setting(
        key: "database.url", kind: .text, defaultText: "a private PostgreSQL in the data directory", isSecret: true)
    static let databaseConnections = Setting(
        key: "database.connections", kind: .integer(1...1000), defaultText: "8")
    static let databaseStatementTimeout = Setting(
        key: "database.statement.timeout.milliseconds", kind: .integer(100...600_000), defaultText: "10000")
    static let databaseAcquireTimeout = Setting(
        key: "database.acquire.timeout.seconds", kind: .integer(1...300), defaultText: "5")
    static let databaseBinaries = Setting(
        key: "database.binaries", kind: .text, defaultText: "the newest PostgreSQL that is installed")
    static let dataDirectory = Setting(
        key: "data.directory", kind: .text,
        defaultText: "/var/lib/card-companion for root, else ~/.local/share/card-companion")
    static let vaultFile = Setting(key: "vault.file", kind: .text, defaultText: "vault.key in the data directory")
    static let logLevel = Setting(
        key: "log.level", kind: .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
        defaultText: "info")
    static let drawingThreads = Setting(
        key: "drawing.threads", kind: .integer(1...256), defaultText: "one a processor")
    static let housekeepingInterval = Setting(
        key: "housekeeping.interval.seconds", kind: .integer(1...86_400), defaultText: "60")

    static let all = [
        httpHost, httpPort, tlsCertificate, tlsKey, tlsClientCA, httpPlain, httpConnections, httpIdleTimeout,
        webhooksCA, databaseURL, databaseConnections, databaseStatementTimeout, databaseAcquireTimeout,
        databaseBinaries, dataDirectory,
        vaultFile, logLevel, drawingThreads, housekeepingInterval,
    ]
}
