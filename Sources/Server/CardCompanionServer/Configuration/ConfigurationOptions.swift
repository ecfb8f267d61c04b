package import ArgumentParser
internal import Configuration

/// The options of every command that works on an installation. `--help` shows only the three most common ones.
///
/// They are one flat group: a debug build of ArgumentParser checks a group several times for each group around it.
package struct ConfigurationOptions: ParsableArguments, SettingOptions {
    @Option(help: .configurationFile) package var config: String?
    @Option(help: .of(.databaseURL)) var databaseUrl: String?
    @Option(help: .of(.dataDirectory)) var dataDirectory: String?

    @Option(help: .hidden) var databaseConnections: Int?
    @Option(help: .hidden) var databaseStatementTimeoutMilliseconds: Int?
    @Option(help: .hidden) var databaseAcquireTimeoutSeconds: Int?
    @Option(help: .hidden) var databaseAnswerTimeoutMilliseconds: Int?
    @Option(help: .hidden) var databasePooling: String?
    @Option(help: .hidden) var databaseBinaries: String?
    @Option(help: .hidden) var vaultFile: String?
    @Option(help: .hidden) var vaultModule: String?
    @Option(help: .hidden) var vaultToken: String?
    @Option(help: .hidden) var vaultPinFile: String?
    @Option(help: .hidden) var vaultSocket: String?
    @Option(help: .hidden) var webhooksCa: String?
    @Option(help: .hidden) var logLevel: String?
    @Option(help: .hidden) var logFormat: String?

    package init() {}
}

/// A command about the server itself. It takes all settings, and `--help` shows them in groups.
package protocol ServerCommand: AsyncParsableCommand, SettingOptions {
    var installation: InstallationOptions { get }
    var http: HTTPOptions { get }
    var database: DatabaseOptions { get }
    var server: ServerOptions { get }
}

extension ServerCommand {
    package var config: String? { installation.config }
}

package struct InstallationOptions: ParsableArguments {
    @Option(help: .configurationFile) var config: String?
    @Option(help: .of(.databaseURL)) var databaseUrl: String?
    @Option(help: .of(.dataDirectory)) var dataDirectory: String?

    package init() {}
}

package struct HTTPOptions: ParsableArguments {
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
    @Option(help: .of(.httpAddressSessions)) var httpAddressSessions: Int?
    @Option(help: .of(.httpProxies)) var httpProxies: String?
    @Option(help: .of(.httpNames)) var httpNames: String?

    package init() {}
}

package struct DatabaseOptions: ParsableArguments {
    @Option(help: .of(.databaseConnections)) var databaseConnections: Int?
    @Option(help: .of(.databaseStatementTimeout)) var databaseStatementTimeoutMilliseconds: Int?
    @Option(help: .of(.databaseAcquireTimeout)) var databaseAcquireTimeoutSeconds: Int?
    @Option(help: .of(.databaseAnswerTimeout)) var databaseAnswerTimeoutMilliseconds: Int?
    @Option(help: .of(.databasePooling)) var databasePooling: String?
    @Option(help: .of(.databaseBinaries)) var databaseBinaries: String?

    package init() {}
}

package struct ServerOptions: ParsableArguments {
    @Option(help: .of(.vaultFile)) var vaultFile: String?
    @Option(help: .of(.vaultModule)) var vaultModule: String?
    @Option(help: .of(.vaultToken)) var vaultToken: String?
    @Option(help: .of(.vaultPINFile)) var vaultPinFile: String?
    @Option(help: .of(.vaultGrace)) var vaultGraceSeconds: Int?
    @Option(help: .of(.vaultSocket)) var vaultSocket: String?
    @Option(help: .of(.webhooksCA)) var webhooksCa: String?
    @Option(help: .of(.cardholderRequests)) var cardholderRequests: Int?
    @Option(help: .of(.lookUpsRate)) var lookupsRate: Int?
    @Option(help: .of(.drawingThreads)) var drawingThreads: Int?
    @Option(help: .of(.housekeepingInterval)) var housekeepingIntervalSeconds: Int?
    @Option(help: .of(.clockLimit)) var clockLimitSeconds: Int?
    @Option(help: .of(.serverUser)) var serverUser: String?
    @Option(help: .of(.adminHost)) var adminHost: String?
    @Option(help: .of(.adminPort)) var adminPort: Int?
    @Option(help: .of(.logLevel)) var logLevel: String?
    @Option(help: .of(.logFormat)) var logFormat: String?

    package init() {}
}

/// Arguments with settings. The property of a setting is named as its argument is: `databaseUrl` for `--database-url`.
package protocol SettingOptions: Sendable {
    /// The path of the configuration file, if one was given.
    var config: String? { get }
}

extension SettingOptions {
    /// The given values, by key.
    var values: [AbsoluteConfigKey: ConfigValue] {
        Dictionary(given(in: self).map { ($0.absoluteKey, $1) }) { _, last in last }
    }

    private func given(in arguments: Any) -> [(Setting, ConfigValue)] {
        Mirror(reflecting: arguments).children.flatMap { child in
            if let group = child.value as? any ArgumentGroup { return given(in: group.arguments) }
            guard let setting = Setting.all.first(where: { "_" + $0.propertyName == child.label }) else { return [] }
            let content: ConfigContent? =
                switch child.value {
                case let option as Option<String?>: option.wrappedValue.map { .string($0) }
                case let option as Option<Int?>: option.wrappedValue.map { .int($0) }
                default: nil
                }
            return content.map { [(setting, ConfigValue($0, isSecret: setting.isSecret))] } ?? []
        }
    }
}

/// A group of arguments, whatever they are.
private protocol ArgumentGroup {
    var arguments: Any { get }
}

extension OptionGroup: ArgumentGroup {
    fileprivate var arguments: Any { wrappedValue }
}

extension ArgumentHelp {
    fileprivate static let configurationFile: ArgumentHelp = """
        A JSON file with settings, such as {"http": {"port": 8443}}. CARD_COMPANION_CONFIG can also name it. \
        'card-companion help configuration' lists all settings.
        """

    fileprivate static func of(_ setting: Setting) -> ArgumentHelp {
        let choices = if case .choice(let choices) = setting.kind { "\(choices.joined(separator: ", ")). " } else { "" }
        return ArgumentHelp("\(setting.help) \(choices)Default: \(setting.defaultText).")
    }
}

extension Setting {
    var absoluteKey: AbsoluteConfigKey {
        AbsoluteConfigKey(key.split(separator: ".").map(String.init))
    }

    /// The name of its property: `databaseUrl` for `database.url`.
    fileprivate var propertyName: String {
        let words = key.split(separator: ".")
        return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
