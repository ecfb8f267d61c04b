import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

struct BankCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bank", abstract: "Adds and removes banks, and changes their settings.",
        subcommands: [Add.self, Set.self, Show.self, List.self, Remove.self])

    /// An omitted setting stays as it is; a new bank gets the default.
    struct SettingOptions: ParsableArguments {
        @Option(help: "The bank's name, for people.")
        var name: String?
        @Option(
            help: "Banks in the same programme get code 308 for each other's cardholders. Default: the bank's id."
        )
        var programme: String?
        @Option(help: "CB or PCI-CPP.")
        var scheme: Scheme?
        @Option(help: "How much a timestamp can differ from the server's clock, in seconds (default 300).")
        var timestampTolerance: Int?
        @Option(help: "How long a delivery waits for its notify, in seconds (default 900).")
        var sessionLifetime: Int?
        @Option(help: "What happens to a delivered PIN: erase (default), keep or keep-repeat.")
        var retention: Retention?
        @Option(help: "Whether a delivered PIN can be shown again as a reminder: true or false (default).")
        var reminders: Bool?
        @Option(help: "After how many days an unconfirmed PIN is erased (default 90).")
        var undeliveredLifetime: Int?
        @Option(help: "How many wrong authentication codes lock a cardholder (default 3).")
        var retryLimit: Int?
        @Option(help: "How many fetches without a confirmed delivery lock a cardholder (default 5).")
        var fetchLimit: Int?
        @Option(help: "The minimum number of digits in a PIN (default 4).")
        var pinMinimumLength: Int?
        @Option(help: "The maximum number of digits in a PIN (default 6, at most 12).")
        var pinMaximumLength: Int?
        @Option(help: "The characters of authentication codes: digits, alphanumeric (default), printable.")
        var codeAlphabet: CodeAlphabet?
        @Option(help: "The minimum number of characters in an authentication code (default 4).")
        var codeMinimumLength: Int?
        @Option(help: "The maximum number of characters in an authentication code (default 32).")
        var codeMaximumLength: Int?
        @Option(help: "How a PIN is drawn: captcha (default) or digits.")
        var deliveryFormat: DeliveryFormat?
        @Option(
            help: "The style of images: standard (default), strong (harder for programs) or calm (without distortion).")
        var imageStyle: ImageStyle?
        @Option(
            help:
                "Which of the app's wishes about images are followed, comma-separated: style,theme,scale (default theme,scale), or none."
        )
        var hints: String?
        @Option(
            help: """
                Whether a cardholder with accessibility 'text' gets the digits as text instead of an image, if the app can \
                show them: true or false (default).
                """)
        var textPins: Bool?
        @Option(help: "Whether all errors about a cardholder have the same code: true or false (default).")
        var uniformErrors: Bool?
        @Option(
            help: "Whether a sealed PIN must name its bank, cardholder and request: bound (default), or any if not.")
        var sealedValues: SealedValueRule?
        @Option(help: "Whether a uniqueId that looks like a card number is refused: true (default) or false.")
        var checkUniqueIds: Bool?
        @Option(help: "Whether cardholders can define their PIN: true (default) or false.")
        var definition: Bool?
        @Option(help: "How many PINs a cardholder can define per day, UTC (default 5).")
        var definitionsPerDay: Int?
        @Option(
            help: """
                Who keeps a defined PIN. deliver (default): the bank gets it, sealed to its encryption certificate; without \
                that certificate, definitions are refused. keep: this server is the authority.
                """)
        var definedPins: DefinedPINRule?
        @Option(
            help: """
                The label of the bank's pin-encryption key for defined PINs: the bank then gets them as PIN blocks of format \
                iso-1 under this key, inside the sealed value. none (default): the bank gets digits.
                """)
        var definedPinKey: String?
        @Option(
            help: """
                Which formats of PIN blocks the bank may send, comma-separated: iso-0,iso-1,iso-3,iso-4, or none (default).
                """)
        var pinBlocks: String?
        @Option(help: "Whether a defined PIN counts as never delivered: true (default) or false.")
        var definitionResetsDelivery: Bool?
        @Option(
            help:
                "Which PINs cannot be chosen, comma-separated: same,ascending,descending,pairs,listed (default), or none."
        )
        var weakPinRules: String?
        @Option(help: "A file with PINs that cannot be chosen, one per line, for the rule 'listed'.")
        var weakPinFile: String?

        @Option(
            help: """
                Which requests need a pass: none (default), fetch, definition or both. A cardholder gets a pass when an app \
                has verified their passport or identity card.
                """)
        var identityCheck: IdentityRequirement?
        @Option(
            help: """
                What a document must prove for a pass. chip (default): that it is not a copy. passive: documents whose chip \
                cannot prove that are accepted too.
                """)
        var identityAssurance: IdentityAssurance?
        @Option(help: "How long an unused pass stays valid, in seconds (default 900).")
        var identityLifetime: Int?

        func apply(to settings: inout BankSettings) throws {
            name.map { settings.name = $0 }
            programme.map { settings.programme = $0 }
            scheme.map { settings.scheme = $0 }
            timestampTolerance.map { settings.timestampToleranceSeconds = $0 }
            sessionLifetime.map { settings.sessionLifetimeSeconds = $0 }
            retention.map { settings.retention = $0 }
            reminders.map { settings.reminders = $0 }
            undeliveredLifetime.map { settings.undeliveredLifetimeDays = $0 }
            retryLimit.map { settings.retryLimit = $0 }
            fetchLimit.map { settings.fetchLimit = $0 }
            pinMinimumLength.map { settings.pinMinimumLength = $0 }
            pinMaximumLength.map { settings.pinMaximumLength = $0 }
            codeAlphabet.map { settings.codeAlphabet = $0 }
            codeMinimumLength.map { settings.codeMinimumLength = $0 }
            codeMaximumLength.map { settings.codeMaximumLength = $0 }
            deliveryFormat.map { settings.deliveryFormat = $0 }
            imageStyle.map { settings.imageStyle = $0 }
            if let hints { settings.hints = try Self.list(hints, of: "--hints") }
            textPins.map { settings.textPINs = $0 }
            uniformErrors.map { settings.uniformErrors = $0 }
            sealedValues.map { settings.sealedValues = $0 }
            checkUniqueIds.map { settings.checksUniqueIds = $0 }
            definition.map { settings.definition = $0 }
            definedPins.map { settings.definedPINs = $0 }
            definedPinKey.map { settings.definedPINKey = $0 == "none" ? nil : $0 }
            if let pinBlocks { settings.pinBlocks = try Self.list(pinBlocks, of: "--pin-blocks") }
            definitionsPerDay.map { settings.definitionsPerDay = $0 }
            definitionResetsDelivery.map { settings.definitionResetsDelivery = $0 }
            if let weakPinRules { settings.weakPINRules = try Self.list(weakPinRules, of: "--weak-pin-rules") }
            identityCheck.map { settings.identityCheck = $0 }
            identityAssurance.map { settings.identityAssurance = $0 }
            identityLifetime.map { settings.identityLifetimeSeconds = $0 }
            if let weakPinFile { settings.listedPINs = try Self.list(weakPinFile) }
        }

        private static func list<Value: RawRepresentable<String> & CaseIterable & Hashable>(
            _ text: String, of option: String
        ) throws -> Swift.Set<Value> {
            guard text != "none" else { return [] }
            return Swift.Set(
                try text.split(separator: ",", omittingEmptySubsequences: false).map { name in
                    guard let value = Value(rawValue: String(name)) else {
                        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
                        throw CommandError.badInput("\(option) must list \(names), or be none (was '\(name)')")
                    }
                    return value
                })
        }

        private static func list(_ path: String) throws -> [String] {
            let bytes = try InputFile.read(path, byteLimit: InputFile.weakPINListByteLimit)
            return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
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
            guard let scheme = settings.scheme else {
                throw CommandError.badInput("--scheme is missing: a new bank needs CB or PCI-CPP")
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
            let banks = try await Installation.run(options) { try await $0.store.banks() }
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
