import ArgumentParser
import CardCompanionServer

/// `card-companion configuration`, and so `card-companion help configuration`.
struct ConfigurationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "configuration",
        abstract: "Lists all settings of the server.",
        discussion: """
            Each setting can be given as an argument, in the environment, or in a JSON file (--config, \
            CARD_COMPANION_CONFIG, or \(SettingsReader.defaultFilePath)). Arguments override the environment, and the \
            environment overrides the file. 'card-companion check-config' shows the values in force.

            \(list)

            EXAMPLES
              card-companion configuration --json
              card-companion check-config --config card-companion.json
            """)

    @OptionGroup var output: OutputOptions

    func run() throws {
        let rows = Setting.all.map { setting in
            [
                "key": setting.key, "argument": setting.argumentName, "environment": setting.environmentName,
                "help": setting.help, "default": setting.defaultText,
            ]
        }
        try Terminal.show(Self.list, json: rows, asJSON: output.json)
    }

    private static let list = Setting.all.map { setting in
        """
        \(setting.key)  (\(setting.argumentName), \(setting.environmentName))
          \(setting.help) Default: \(setting.defaultText).
        """
    }.joined(separator: "\n")
}
