import ArgumentParser
import Configuration

/// The options of every command that works on an installation. `--help` shows only the three most common ones.
struct ConfigurationOptions: SettingOptions {
    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(visibility: .hidden) var http: HTTPOptions
    @OptionGroup(visibility: .hidden) var database: DatabaseOptions
    @OptionGroup(visibility: .hidden) var server: ServerOptions
}

/// The options of commands about the server itself. `--help` shows all of them, in groups.
struct ServerConfigurationOptions: SettingOptions {
    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions
}

protocol SettingOptions: ParsableArguments, Sendable {
    var installation: InstallationOptions { get }
    var http: HTTPOptions { get }
    var database: DatabaseOptions { get }
    var server: ServerOptions { get }
}

struct InstallationOptions: ParsableArguments {
    @Option(
        help: """
            A JSON file with settings, such as {"http": {"port": 8443}}; also CARD_COMPANION_CONFIG. \
            'card-companion help configuration' lists all settings.
            """)
    var config: String?
    @Option(help: .of(.databaseURL)) var databaseUrl: String?
    @Option(help: .of(.dataDirectory)) var dataDirectory: String?
}

struct HTTPOptions: ParsableArguments {
    @Option(help: .of(.httpHost)) var httpHost: String?
    @Option(help: .of(.httpPort)) var httpPort: Int?
    @Option(help: .of(.tlsCertificate)) var httpTlsCertificate: String?
    @Option(help: .of(.tlsKey)) var httpTlsKey: String?
    @Option(help: .of(.tlsClientCA)) var httpTlsClientCa: String?
    @Option(help: .of(.httpPlain)) var httpPlain: String?
    @Option(help: .of(.httpConnections)) var httpConnections: Int?
    @Option(help: .of(.httpIdleTimeout)) var httpIdleTimeoutSeconds: Int?
    @Option(help: .of(.httpDrain)) var httpDrainSeconds: Int?
    @Option(help: .of(.httpAddressConnections)) var httpAddressConnections: Int?
    @Option(help: .of(.httpAddressRate)) var httpAddressRate: Int?
    @Option(help: .of(.httpAddressBurst)) var httpAddressBurst: Int?
    @Option(help: .of(.httpProxies)) var httpProxies: String?
    @Option(help: .of(.httpNames)) var httpNames: String?
}

struct DatabaseOptions: ParsableArguments {
    @Option(help: .of(.databaseConnections)) var databaseConnections: Int?
    @Option(help: .of(.databaseStatementTimeout)) var databaseStatementTimeoutMilliseconds: Int?
    @Option(help: .of(.databaseAcquireTimeout)) var databaseAcquireTimeoutSeconds: Int?
    @Option(help: .of(.databaseAnswerTimeout)) var databaseAnswerTimeoutMilliseconds: Int?
    @Option(help: .of(.databasePooling)) var databasePooling: String?
    @Option(help: .of(.databaseBinaries)) var databaseBinaries: String?
}

struct ServerOptions: ParsableArguments {
    @Option(help: .of(.vaultFile)) var vaultFile: String?
    @Option(help: .of(.vaultModule)) var vaultModule: String?
    @Option(help: .of(.vaultToken)) var vaultToken: String?
    @Option(help: .of(.vaultPINFile)) var vaultPinFile: String?
    @Option(help: .of(.vaultGrace)) var vaultGraceSeconds: Int?
    @Option(help: .of(.vaultSocket)) var vaultSocket: String?
    @Option(help: .of(.webhooksCA)) var webhooksCa: String?
    @Option(help: .of(.cardholderRequests)) var cardholderRequests: Int?
    @Option(help: .of(.drawingThreads)) var drawingThreads: Int?
    @Option(help: .of(.housekeepingInterval)) var housekeepingIntervalSeconds: Int?
    @Option(help: .of(.clockLimit)) var clockLimitSeconds: Int?
    @Option(help: .of(.serverUser)) var serverUser: String?
    @Option(help: .of(.adminHost)) var adminHost: String?
    @Option(help: .of(.adminPort)) var adminPort: Int?
    @Option(help: .of(.logLevel)) var logLevel: String?
    @Option(help: .of(.logFormat)) var logFormat: String?
}

extension SettingOptions {
    /// The given values, by key.
    var values: [AbsoluteConfigKey: ConfigValue] {
        let texts: [(Setting, String?)] = [
            (.httpHost, http.httpHost), (.tlsCertificate, http.httpTlsCertificate), (.tlsKey, http.httpTlsKey),
            (.tlsClientCA, http.httpTlsClientCa), (.httpPlain, http.httpPlain), (.httpProxies, http.httpProxies),
            (.httpNames, http.httpNames), (.webhooksCA, server.webhooksCa),
            (.databaseURL, installation.databaseUrl), (.databasePooling, database.databasePooling),
            (.databaseBinaries, database.databaseBinaries),
            (.dataDirectory, installation.dataDirectory), (.vaultFile, server.vaultFile),
            (.vaultModule, server.vaultModule), (.vaultToken, server.vaultToken), (.vaultPINFile, server.vaultPinFile),
            (.vaultSocket, server.vaultSocket),
            (.adminHost, server.adminHost),
            (.logLevel, server.logLevel), (.logFormat, server.logFormat), (.serverUser, server.serverUser),
        ]
        let integers: [(Setting, Int?)] = [
            (.httpPort, http.httpPort), (.httpConnections, http.httpConnections),
            (.httpDrain, http.httpDrainSeconds), (.httpIdleTimeout, http.httpIdleTimeoutSeconds),
            (.httpAddressConnections, http.httpAddressConnections),
            (.httpAddressRate, http.httpAddressRate), (.httpAddressBurst, http.httpAddressBurst),
            (.databaseConnections, database.databaseConnections),
            (.databaseStatementTimeout, database.databaseStatementTimeoutMilliseconds),
            (.databaseAcquireTimeout, database.databaseAcquireTimeoutSeconds),
            (.databaseAnswerTimeout, database.databaseAnswerTimeoutMilliseconds),
            (.vaultGrace, server.vaultGraceSeconds), (.adminPort, server.adminPort),
            (.cardholderRequests, server.cardholderRequests), (.drawingThreads, server.drawingThreads),
            (.housekeepingInterval, server.housekeepingIntervalSeconds), (.clockLimit, server.clockLimitSeconds),
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

extension ArgumentHelp {
    fileprivate static func of(_ setting: Setting) -> ArgumentHelp {
        let choices = if case .choice(let choices) = setting.kind { "\(choices.joined(separator: ", ")). " } else { "" }
        return ArgumentHelp("\(setting.help) \(choices)Default: \(setting.defaultText).")
    }
}

extension Setting {
    var absoluteKey: AbsoluteConfigKey {
        AbsoluteConfigKey(key.split(separator: ".").map(String.init))
    }
}
