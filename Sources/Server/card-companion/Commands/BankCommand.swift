import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

struct BankCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bank", abstract: "Adds and removes banks, and changes their settings.",
        subcommands: [Add.self, Set.self, Show.self, List.self, Remove.self])

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
            abstract: "Adds a bank.",
            discussion: """
                EXAMPLE
                  card-companion bank add MYBANK --name "My Bank" --scheme PCI-CPP --retention keep --reminders true
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
            abstract: "Shows a bank's settings.", discussion: "EXAMPLE\n  card-companion bank show MYBANK --json")

        @Argument(help: "The bank's id.")
        var id: Identifier
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let report = try await Installation.run(options) { [id] installation in
                let bank = try await installation.bank(id)
                let reason = bank.settings.reasonAgainstDefinition(
                    certificates: try await installation.store.certificates(bankId: id),
                    definedPINKey: try await installation.store.definedPINKey(of: bank),
                    now: installation.clock.now())
                return BankReport(bank, definitionIsOff: reason)
            }
            try report.shown.show(output)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Removes a disabled bank with its cardholders, keys, certificates and events. They cannot be restored.",
            discussion: """
                Disable the bank first: the command refuses to remove an active bank. If it is interrupted, run it again. The audit \
                trail stays. If you use the id for another bank, give that bank new keys.

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
                Terminal.table(["ID", "NAME", "PROGRAMME", "SCHEME", "STATUS"], rows),
                json: banks.map { BankReport($0) },
                asJSON: output.json)
        }
    }
}

/// A bank as the commands show it.
struct BankReport: Encodable, Sendable {
    let id: String
    let status: String
    let name: String
    let programme: String
    let scheme: String
    let timestampToleranceSeconds: Int
    let sessionLifetimeSeconds: Int
    let retention: String
    let reminders: Bool
    let undeliveredLifetimeDays: Int
    let retryLimit: Int
    let fetchLimit: Int
    let pinLengths: [Int]
    let codeAlphabet: String
    let codeLengths: [Int]
    let deliveryFormat: String
    let imageStyle: String
    let hints: [String]
    let textPINs: Bool
    let uniformErrors: Bool
    let sealedValues: String
    let checkUniqueIds: Bool
    let definition: Bool
    /// Why definitions are refused, if they are; nil if that is not known.
    let definitionIsOff: String?
    let definedPINs: String
    let definedPINKey: String?
    let pinBlocks: [String]
    let definitionsPerDay: Int
    let definitionResetsDelivery: Bool
    let weakPINRules: [String]
    let listedPINs: Int
    let identityCheck: String
    let identityAssurance: String
    let identityLifetimeSeconds: Int

    init(_ bank: BankRecord, definitionIsOff: String? = nil) {
        let settings = bank.settings
        id = bank.id.text
        status = bank.status.rawValue
        name = settings.name
        programme = settings.programme
        scheme = settings.scheme.rawValue
        timestampToleranceSeconds = settings.timestampToleranceSeconds
        sessionLifetimeSeconds = settings.sessionLifetimeSeconds
        retention = settings.retention.rawValue
        reminders = settings.reminders
        undeliveredLifetimeDays = settings.undeliveredLifetimeDays
        retryLimit = settings.retryLimit
        fetchLimit = settings.fetchLimit
        pinLengths = [settings.pinMinimumLength, settings.pinMaximumLength]
        codeAlphabet = settings.codeAlphabet.rawValue
        codeLengths = [settings.codeMinimumLength, settings.codeMaximumLength]
        deliveryFormat = settings.deliveryFormat.rawValue
        imageStyle = settings.imageStyle.rawValue
        hints = settings.hints.map(\.rawValue).sorted()
        textPINs = settings.textPINs
        uniformErrors = settings.uniformErrors
        sealedValues = settings.sealedValues.rawValue
        checkUniqueIds = settings.checksUniqueIds
        definition = settings.definition
        self.definitionIsOff = definitionIsOff
        definedPINs = settings.definedPINs.rawValue
        definedPINKey = settings.definedPINKey
        pinBlocks = settings.pinBlocks.map(\.rawValue).sorted()
        definitionsPerDay = settings.definitionsPerDay
        definitionResetsDelivery = settings.definitionResetsDelivery
        weakPINRules = settings.weakPINRules.map(\.rawValue).sorted()
        listedPINs = settings.listedPINs.count
        identityCheck = settings.identityCheck.rawValue
        identityAssurance = settings.identityAssurance.rawValue
        identityLifetimeSeconds = settings.identityLifetimeSeconds
    }

    var shown: Shown {
        Shown(text: Terminal.table(["SETTING", "VALUE"], distributionRows + definitionRows + identityRows), json: self)
    }

    private var distributionRows: [[String]] {
        [
            ["id", id], ["status", status], ["name", name], ["programme", programme], ["scheme", scheme],
            ["timestamp tolerance", "\(timestampToleranceSeconds) s"],
            ["session lifetime", "\(sessionLifetimeSeconds) s"], ["retention", retention],
            ["reminders", "\(reminders)"], ["undelivered lifetime", "\(undeliveredLifetimeDays) days"],
            ["retry limit", "\(retryLimit)"], ["fetch limit", "\(fetchLimit)"],
            ["PIN length", "\(pinLengths[0]) to \(pinLengths[1])"],
            ["authentication code", "\(codeLengths[0]) to \(codeLengths[1]) \(codeAlphabet)"],
            ["delivery format", deliveryFormat], ["image style", imageStyle], ["hints", Self.list(hints)],
            ["text PINs", "\(textPINs)"], ["uniform errors", "\(uniformErrors)"], ["sealed values", sealedValues],
            ["PIN blocks", Self.list(pinBlocks)], ["check uniqueIds", "\(checkUniqueIds)"],
        ]
    }

    private var definitionRows: [[String]] {
        [
            ["definition", definitionIsOff.map { "off: \($0)" } ?? "\(definition)"], ["defined PINs", definedPINs],
            ["key of defined PINs", definedPINKey ?? "none"], ["definitions", "\(definitionsPerDay) per day"],
            ["definition resets delivery", "\(definitionResetsDelivery)"],
            ["weak PIN rules", Self.list(weakPINRules)], ["PINs on the bank's list", "\(listedPINs)"],
        ]
    }

    private var identityRows: [[String]] {
        [
            ["identity check", identityCheck], ["identity assurance", identityAssurance],
            ["identity lifetime", "\(identityLifetimeSeconds) s"],
        ]
    }

    private static func list(_ values: [String]) -> String {
        values.isEmpty ? "none" : values.joined(separator: ", ")
    }
}
