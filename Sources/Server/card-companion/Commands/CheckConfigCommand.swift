import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import Configuration
import Foundation

struct CheckConfigCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Shows the settings in force, where each comes from, and what is wrong.",
        discussion: """
            The exit status is 78 if something is wrong with a setting, or with a file or the database that it names. \
            The command also warns about certificates and CRLs that expire soon, and about banks whose cardholders \
            cannot define a PIN. See also 'doctor'.

            EXAMPLE
              HTTP_PORT=8443 card-companion check-config --config card-companion.json
            """)

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        var reader = await SettingsReader(self, environment: environment)
        let rows = Setting.all.map { row($0, &reader) }
        let settings = ServerSettings(&reader, environment: environment)
        let findings = reader.problems.isEmpty ? await findings(settings) : []
        let problems = reader.problems + findings.filter { $0.level == .error }.map(\.text)
        let warnings = findings.filter { $0.level == .warning }.map(\.text)
        let table = TextTable.text(["SETTING", "VALUE", "FROM"], rows.map { [$0.setting, $0.value, $0.source] })
        try Terminal.show(
            table, json: Report(settings: rows, problems: problems, warnings: warnings),
            asJSON: output.json)
        if !output.json { for warning in warnings { Terminal.note("warning: \(warning)") } }
        guard problems.isEmpty else {
            throw CommandError.configuration(problems.joined(separator: "\ncard-companion: "))
        }
    }

    /// What is wrong with the files of TLS and of the vault, with the database, and with the banks in it.
    private func findings(_ settings: ServerSettings) async -> [Finding] {
        let files = settings.tlsFindings() + settings.vaultFileFindings()
        // A new installation has no banks yet.
        guard !settings.isNew else { return files }
        do {
            return files
                + (try await Installation.examined(self) { installation, settings in
                    let database = await installation.databaseFindings(settings)
                    guard !database.contains(where: { $0.level == .error }) else { return database }
                    return database + (try await installation.bankFindings())
                })
        } catch {
            return files + [.error("database", error)]
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
        let warnings: [String]
    }

    private func row(_ setting: Setting, _ reader: inout SettingsReader) -> Row {
        guard let found = reader.find(setting) else {
            return Row(setting: setting.key, value: setting.defaultText, source: "default")
        }
        let value = setting.isSecret ? "(set, not shown)" : found.content.text
        return Row(setting: setting.key, value: value, source: found.source)
    }
}
