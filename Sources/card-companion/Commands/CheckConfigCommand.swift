import ArgumentParser
import Configuration
import Foundation

struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Shows the settings in force, where each comes from, and what is wrong.",
        discussion: """
            The exit status is 78 if something is wrong.

            EXAMPLE
              HTTP_PORT=8443 card-companion check-config --config card-companion.json
            """)

    @OptionGroup var options: ServerConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        var reader = await SettingsReader(options, environment: environment)
        let rows = Setting.all.map { row($0, &reader) }
        _ = ServerSettings(&reader, environment: environment)
        let table = Terminal.table(["SETTING", "VALUE", "FROM"], rows.map { [$0.setting, $0.value, $0.source] })
        try Terminal.show(table, json: Report(settings: rows, problems: reader.problems), asJSON: output.json)
        guard reader.problems.isEmpty else {
            throw CommandError.configuration(reader.problems.joined(separator: "\ncard-companion: "))
        }
    }

    private struct Row: Encodable {
        let setting: String
        let value: String
        let source: String
    }

    private struct Report: Encodable {
        let settings: [Row]
        let problems: [String]
    }

    private func row(_ setting: Setting, _ reader: inout SettingsReader) -> Row {
        guard let found = reader.find(setting) else {
            return Row(setting: setting.key, value: setting.defaultText, source: "default")
        }
        let value =
            switch found.content {
            case _ where setting.isSecret: "(set, not shown)"
            case .string(let text): text
            case .int(let number): String(number)
            default: "?"
            }
        return Row(setting: setting.key, value: value, source: found.source)
    }
}
