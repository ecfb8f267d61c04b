import ArgumentParser
import CardCompanion
import CardCompanionStore
import Configuration
import Foundation

struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
        abstract: "Shows the settings in force, where each comes from, and what is wrong.",
        discussion: """
            The exit status is 78 if something is wrong. If there is a database, it also warns of banks whose cardholders
            cannot define a PIN, and of CRLs that have expired or soon will.

            EXAMPLE
              HTTP_PORT=8443 card-companion check-config --config card-companion.json
            """)

    @OptionGroup var options: ServerConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        var reader = await SettingsReader(options, environment: environment)
        let rows = Setting.all.map { row($0, &reader) }
        let settings = ServerSettings(&reader, environment: environment)
        let warnings = reader.problems.isEmpty ? await bankWarnings(settings) : []
        let table = Terminal.table(["SETTING", "VALUE", "FROM"], rows.map { [$0.setting, $0.value, $0.source] })
        try Terminal.show(
            table, json: Report(settings: rows, problems: reader.problems, warnings: warnings),
            asJSON: output.json)
        if !output.json { for warning in warnings { Terminal.note("warning: \(warning)") } }
        guard reader.problems.isEmpty else {
            throw CommandError.configuration(reader.problems.joined(separator: "\ncard-companion: "))
        }
    }

    /// What is wrong with the banks in the database. A new installation has none yet.
    private func bankWarnings(_ settings: ServerSettings) async -> [String] {
        let isNew = settings.vault.token == nil && !FileManager.default.fileExists(atPath: settings.vault.file)
        guard !isNew else { return [] }
        do {
            return try await Installation.run(options) { installation in
                var warnings: [String] = []
                for bank in try await installation.store.banks() {
                    let lists = try await installation.store.revocationLists(bankId: bank.id)
                    warnings += lists.compactMap { $0.warning(now: installation.clock.now()) }.map {
                        "bank '\(bank.id)': \($0)"
                    }
                    guard bank.settings.definition else { continue }
                    let reason = bank.settings.reasonAgainstDefinition(
                        certificates: try await installation.store.certificates(bankId: bank.id),
                        definedPINKey: try await installation.store.definedPINKey(bankId: bank.id),
                        now: installation.clock.now())
                    if let reason { warnings.append("bank '\(bank.id)': definition is off: \(reason)") }
                }
                return warnings
            }
        } catch {
            let reason = (CommandError.wrapping(error) as? CommandError)?.message ?? "\(error)"
            return ["the banks were not checked: \(reason)"]
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
