package import ArgumentParser
package import Configuration

/// Values of settings, by key.
package typealias SettingValues = [AbsoluteConfigKey: ConfigValue]

/// Arguments with settings.
package protocol SettingOptions: Sendable {
    /// The values that were given.
    var values: SettingValues { get }
}

extension SettingOptions {
    /// The values as variables of the environment, for a program of ours that this one starts.
    package var environment: [String: String] {
        let names =
            Setting.all.map { ($0.absoluteKey, $0.environmentName) }
            + [(Setting.configurationFile.absoluteKey, SettingsReader.fileEnvironmentName)]
        return names.reduce(into: [:]) { variables, setting in
            if let value = values[setting.0] { variables[setting.1] = value.content.text }
        }
    }
}

/// A group of arguments that come from the table of settings. ArgumentParser looks for arguments in the mirror of a group, and
/// decodes them. So a group has them in its mirror, and needs no property for each.
package protocol SettingGroup: ParsableArguments, SettingOptions, CustomReflectable {
    static var sections: [Setting.Section] { get }
    /// Those of its sections that `--help` does not show.
    static var hiddenSections: [Setting.Section] { get }
    var values: SettingValues { get set }
}

extension SettingGroup {
    package static var hiddenSections: [Setting.Section] { [] }

    private static var settings: [Setting] {
        ([Setting.configurationFile] + Setting.all).filter { sections.contains($0.section) }
    }

    package var customMirror: Mirror {
        let options = Self.settings.map { setting in
            (setting.optionName, setting.option(isHidden: Self.hiddenSections.contains(setting.section)))
        }
        return Mirror(self, children: options)
    }

    package init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: OptionName.self)
        for setting in Self.settings { values[setting.absoluteKey] = try setting.value(in: container) }
    }
}

/// The options of every command that works on an installation. `--help` shows only the most common ones.
package struct ConfigurationOptions: SettingGroup {
    package static let sections: [Setting.Section] = [.installation] + hiddenSections
    package static let hiddenSections: [Setting.Section] = [.database, .vaultAndLog]
    package var values: SettingValues = [:]
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
    package var values: SettingValues {
        [http.values, database.values, server.values].reduce(installation.values) { $0.merging($1) { $1 } }
    }
}

package struct InstallationOptions: SettingGroup {
    package static let sections: [Setting.Section] = [.installation]
    package var values: SettingValues = [:]
    package init() {}
}

package struct HTTPOptions: SettingGroup {
    package static let sections: [Setting.Section] = [.http]
    package var values: SettingValues = [:]
    package init() {}
}

package struct DatabaseOptions: SettingGroup {
    package static let sections: [Setting.Section] = [.database]
    package var values: SettingValues = [:]
    package init() {}
}

package struct ServerOptions: SettingGroup {
    package static let sections: [Setting.Section] = [.vaultAndLog, .server]
    package var values: SettingValues = [:]
    package init() {}
}

/// The name under which ArgumentParser keeps the value of an option.
package struct OptionName: CodingKey {
    package let stringValue: String
    package let intValue: Int? = nil

    package init(stringValue: String) {
        self.stringValue = stringValue
    }

    package init?(intValue: Int) { nil }
}

extension Setting {
    var absoluteKey: AbsoluteConfigKey { AbsoluteConfigKey(key.split(separator: ".").map(String.init)) }

    fileprivate func option(isHidden: Bool) -> Any {
        let help = isHidden ? .hidden : argumentHelp
        return switch kind {
        case .integer: Option<Int?>(name: .customLong(optionName), help: help)
        case .text, .choice: Option<String?>(name: .customLong(optionName), help: help)
        }
    }

    private var argumentHelp: ArgumentHelp {
        let choices = if case .choice(let choices) = kind { "\(choices.joined(separator: ", ")). " } else { "" }
        return key == Self.configurationFile.key ? "\(help)" : "\(help) \(choices)Default: \(defaultText)."
    }

    /// The value that was given; nil if there is none.
    fileprivate func value(in options: KeyedDecodingContainer<OptionName>) throws -> ConfigValue? {
        let name = OptionName(stringValue: optionName)
        let content: ConfigContent? =
            switch kind {
            case .integer: try options.decode(Option<Int?>.self, forKey: name).wrappedValue.map { .int($0) }
            case .text, .choice:
                try options.decode(Option<String?>.self, forKey: name).wrappedValue.map { .string($0) }
            }
        return content.map { ConfigValue($0, isSecret: isSecret) }
    }
}
