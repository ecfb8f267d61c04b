import ArgumentParser
import Configuration

/// The settings as arguments, the same for every command.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "A JSON file with settings, such as {\"http\": {\"port\": 8443}}; also CARD_COMPANION_CONFIG.")
    var config: String?

    @Option(help: "The address to listen on.")
    var httpHost: String?
    @Option(help: "The port to listen on; 0 takes a free one.")
    var httpPort: Int?
    @Option(help: "PEM file of the server's certificate and what leads to a root.")
    var httpTlsCertificate: String?
    @Option(help: "PEM file of the certificate's private key.")
    var httpTlsKey: String?
    @Option(help: "PEM file of the CAs of the client certificates that banks' back-ends must show.")
    var httpTlsClientCa: String?
    @Option(help: "Where HTTP without TLS is allowed: 'loopback', or 'allowed' anywhere (behind a proxy with TLS).")
    var httpPlain: String?
    @Option(help: "How many connections may be open.")
    var httpConnections: Int?
    @Option(help: "How long a connection may say nothing.")
    var httpIdleTimeoutSeconds: Int?
    @Option(help: "PEM file of the CAs that the certificates of webhooks are to lead to.")
    var webhooksCa: String?
    @Option(help: "The PostgreSQL to use: a URL, several hosts allowed. Without it, a private one is run.")
    var databaseUrl: String?
    @Option(help: "How many connections to the database.")
    var databaseConnections: Int?
    @Option(help: "How long a statement may take.")
    var databaseStatementTimeoutMilliseconds: Int?
    @Option(help: "How long a request waits for a connection.")
    var databaseAcquireTimeoutSeconds: Int?
    @Option(help: "The folder of the PostgreSQL programs, for the private database.")
    var databaseBinaries: String?
    @Option(help: "The folder of the private database, the vault's key and the sandbox.")
    var dataDirectory: String?
    @Option(help: "The file of the master key (mode 0600).")
    var vaultFile: String?
    @Option(help: "What to log: trace, debug, info, notice, warning, error, critical.")
    var logLevel: String?
    @Option(help: "How many threads draw PINs.")
    var drawingThreads: Int?
    @Option(help: "How often what is over is removed.")
    var housekeepingIntervalSeconds: Int?

    /// What was given, by key.
    var values: [AbsoluteConfigKey: ConfigValue] {
        let texts: [(Setting, String?)] = [
            (.httpHost, httpHost), (.tlsCertificate, httpTlsCertificate), (.tlsKey, httpTlsKey),
            (.tlsClientCA, httpTlsClientCa), (.httpPlain, httpPlain), (.webhooksCA, webhooksCa),
            (.databaseURL, databaseUrl), (.databaseBinaries, databaseBinaries),
            (.dataDirectory, dataDirectory), (.vaultFile, vaultFile), (.logLevel, logLevel),
        ]
        let integers: [(Setting, Int?)] = [
            (.httpPort, httpPort), (.httpConnections, httpConnections), (.httpIdleTimeout, httpIdleTimeoutSeconds),
            (.databaseConnections, databaseConnections),
            (.databaseStatementTimeout, databaseStatementTimeoutMilliseconds),
            (.databaseAcquireTimeout, databaseAcquireTimeoutSeconds), (.drawingThreads, drawingThreads),
            (.housekeepingInterval, housekeepingIntervalSeconds),
        ]
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (setting, value) in texts {
            values[setting.absoluteKey] = value.map { ConfigValue(.string($0), isSecret: setting.isSecret) }
        }
        for (setting, value) in integers {
            values[setting.absoluteKey] = value.map { ConfigValue(.int($0), isSecret: setting.isSecret) }
        }
        return values
    }
}

extension Setting {
    var absoluteKey: AbsoluteConfigKey {
        AbsoluteConfigKey(key.split(separator: ".").map(String.init))
    }
}
