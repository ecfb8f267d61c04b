import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

struct BankCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bank", abstract: "Adds and removes banks, and changes their settings.",
        subcommands: [Add.self, Set.self, Show.self, Check.self, List.self, Remove.self])

    /// The options of a bank's settings, from their table. An omitted setting stays as it is; a new bank gets the default.
    ///
    /// ArgumentParser looks for options in the mirror of a group, and decodes them.
    struct SettingOptions: ParsableArguments, CustomReflectable {
        /// The texts that were given, by the setting's name.
        private(set) var texts: [String: String] = [:]

        init() {}

        init(from decoder: any Decoder) throws {
            let options = try decoder.container(keyedBy: OptionName.self)
            for setting in BankSetting.all {
                let name = OptionName(stringValue: setting.optionName)
                texts[setting.name] = try options.decode(Option<String?>.self, forKey: name).wrappedValue
            }
        }

        var customMirror: Mirror {
            Mirror(
                self,
                children: BankSetting.all.map { setting in
                    (
                        setting.optionName,
                        Option<String?>(
                            name: .customLong(setting.optionName), help: "\(setting.help)",
                            completion: setting.isFile ? .file() : .list(setting.choices))
                    )
                })
        }

        func apply(to settings: inout BankSettings) throws {
            for setting in BankSetting.all {
                guard let text = texts[setting.name] else { continue }
                let value = setting.isFile ? try Self.lines(of: text) : text
                guard setting.set(option: value, in: &settings) else { throw setting.refusal(of: text) }
            }
        }

        /// The lines of a file, with commas between them.
        private static func lines(of path: String) throws -> String {
            let bytes = try InputFile.read(path, byteLimit: InputFile.weakPINListByteLimit)
            let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            // A comma in a line is refused like any other character that no PIN has.
            return lines.map { $0.replacing(",", with: ";") }.joined(separator: ",")
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Adds a bank.",
            discussion: """
                EXAMPLE
                  card-companion bank add MYBANK --name "My Bank" --scheme PCI-CPP \\
                      --retention keep --reminders true
                """)

        @Argument(help: "The bank's id: bankId and IdBEL in requests.")
        var id: Identifier
        @OptionGroup var settings: SettingOptions
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            guard let scheme = settings.texts["scheme"].flatMap(Scheme.init(rawValue:)) else {
                throw CommandError.badInput("a new bank needs --scheme CB or --scheme PCI-CPP")
            }
            var values = BankSettings(name: id.text, programme: id.text, scheme: scheme)
            try settings.apply(to: &values)
            try values.validate()
            try await AddBank(id: id, settings: values).run(options, signer, output)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Changes a bank. Omitted settings stay as they are.",
            discussion: """
                EXAMPLES
                  card-companion bank set MYBANK --retry-limit 5 --uniform-errors true
                  card-companion bank set MYBANK --status DISABLED
                """)

        @Argument(help: "The bank's id.")
        var id: Identifier
        @OptionGroup var settings: SettingOptions
        @Option(help: "ACTIVE or DISABLED. Requests for a disabled bank are answered as if the bank did not exist.")
        var status: Activity?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let shown = try await Installation.run(options) { [id, settings, status, signer] installation in
                let bank = try await installation.bank(id)
                var values = bank.settings
                try settings.apply(to: &values)
                try values.validate()
                let change = SetBank(
                    id: id, before: BankPolicy(bank).text, settings: values, status: status ?? bank.status)
                return try await installation.make(change, signing: signer)
            }
            try shown.show(output)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows a bank's settings.", discussion: "EXAMPLE\n  card-companion bank show MYBANK --json")

        @Argument(help: "The bank's id.")
        var id: Identifier
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let report = try await Installation.run(options) { [id] installation in
                let bank = try await installation.bank(id)
                return BankReport(bank, definitionIsOff: try await installation.reasonAgainstDefinition(of: bank))
            }
            try report.shown.show(output)
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Says whether a bank is ready, and what it lacks.",
            discussion: """
                The exit status is 1 if there is an error, which keeps the bank's cardholders from being served; warnings do \
                not count. 'doctor' looks at the whole installation, and only warns of what one bank lacks.

                EXAMPLE
                  card-companion bank check MYBANK
                """)

        @Argument(help: "The bank's id.")
        var id: Identifier
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let findings = try await Installation.run(options) { [id] installation in
                try await installation.findings(of: installation.bank(id))
            }
            let report = FindingsReport(findings: findings)
            try Terminal.show(report.text, json: report, asJSON: output.json)
            guard report.errors == 0 else { throw ExitCode(1) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract:
                "Removes a disabled bank with its cardholders, keys, certificates and events. They cannot be restored.",
            discussion: """
                Disable the bank first: the command refuses to remove an active bank. If it is interrupted, run it \
                again. The audit trail stays. If you use the id for another bank, give that bank new keys.

                EXAMPLE
                  card-companion bank set OLDBANK --status DISABLED
                  card-companion bank remove OLDBANK --confirm OLDBANK
                """)

        @Argument(help: "The bank's id.")
        var id: Identifier
        @Option(help: "The bank's id again, to confirm.")
        var confirm: Identifier
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard id == confirm else { throw ValidationError("--confirm must be the id of the bank: '\(id)'.") }
        }

        func run() async throws {
            try await RemoveBank(id: id).run(options, signer, output)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the banks.", discussion: "EXAMPLE\n  card-companion bank list")

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let (banks, faults) = try await Installation.run(options) { try await $0.readableBanks() }
            for fault in faults { Terminal.note("not listed, and not served: \(fault)") }
            let rows = banks.map {
                [$0.id.text, $0.settings.name, $0.settings.programme, $0.settings.scheme.rawValue, $0.status.rawValue]
            }
            try Terminal.show(
                TextTable.text(["ID", "NAME", "PROGRAMME", "SCHEME", "STATUS"], rows),
                json: banks.map { BankReport($0) },
                asJSON: output.json)
        }
    }
}
