import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl
import SecureMemory

extension KeyCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Imports a bank's key from a key block or from components.",
            discussion: """
                Key block (X9.143, TR-31): a key of usage key-block that the bank already has must protect it.

                Components: each custodian runs this command with the same options and enters one component, at a \
                prompt without echo or in a file. Under dual control one person cannot enter them all. The command \
                shows the component's key check value (KCV). When all components are entered, an operator other than \
                the first one runs 'card-companion key confirm', and the key becomes active. Components are kept \
                sealed, for one day at most.

                The KCV has 3 bytes for Triple DES (an encrypted zero block) and HMAC (of an empty message), and 5 for \
                AES (the CMAC of a zero block). Some programs show 3 bytes for AES too, or a zero block encrypted, \
                which the command shows beside it. The command never shows a key or a component.

                EXAMPLES
                  card-companion key import --bank MYBANK --usage key-block \\
                      --algorithm aes --label kbpk --components 3
                  card-companion key import --bank MYBANK --usage pin-encryption \\
                      --tr31-file pek.tr31 --under kbpk
                  card-companion key import --bank MYBANK --usage distribution \\
                      --components 2 --component-file c1.hex
                  card-companion key import --bank MYBANK --usage visa-pvv \\
                      --tr31-file pvk.tr31 --under kbpk --pvki 1 \\
                      --pan-length 16 --pan-prefixes 412345,45678901
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(
            help: """
                What the key is for: distribution, definition or both (HMAC, see 'import-hmac'); pin-encryption (PIN blocks); \
                key-block (protects key blocks with other keys); for the issuer's host, in a key block only: pin-translation (PIN \
                blocks), visa-pvv, ibm3624-offset.
                """)
        var usage: BankKeyUsage
        @Option(help: "Your name for the key. Default: its KCV for a key block, its usage for components.")
        var label: String?
        @Option(help: "The number of the key's components: 2 or 3. You enter one of them.")
        var components: Int?
        @Option(help: "A file that contains your component in hex. Without it, a prompt asks for it.")
        var componentFile: String?
        @Option(help: "For a key in components, unless it is an HMAC key: tdes or aes.")
        var algorithm: BankKeyAlgorithm?
        @Option(
            help: """
                For a key in components, unless it is an HMAC key: decrypt (default; it opens what the bank sends), encrypt \
                (it seals what the bank gets) or both.
                """)
        var direction: BankKeyDirection?
        @Option(name: .customLong("tr31"), help: "The key block.")
        var keyBlock: String?
        @Option(name: .customLong("tr31-file"), help: "A file that contains the key block.")
        var keyBlockFile: String?
        @Option(help: "The label of the bank's key that protects the key block.")
        var under: String?
        @Flag(
            help: """
                With --usage key-block: also take a key whose key block says K0 (key encryption of any kind). Its owner \
                must not use it in other ways.
                """)
        var acceptK0 = false
        @OptionGroup(title: "Rules of a key for the issuer's host") var rules: HostKeyOptions
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard [components != nil, keyBlock != nil, keyBlockFile != nil].filter(\.self).count == 1 else {
                throw ValidationError("name one of --components, --tr31 and --tr31-file")
            }
            _ = try rules.text(usage)
            if components == nil {
                guard under != nil else {
                    throw ValidationError("--under is missing: name the key that protects the key block")
                }
                guard componentFile == nil, algorithm == nil, direction == nil else {
                    throw ValidationError("--component-file, --algorithm and --direction are for --components only")
                }
                guard !acceptK0 || usage == .keyBlock else {
                    throw ValidationError("--accept-k0 is for --usage key-block only")
                }
            } else {
                guard under == nil, !acceptK0 else {
                    throw ValidationError("--under and --accept-k0 are for key blocks only")
                }
                guard let components, 2...3 ~= components else { throw ValidationError("--components must be 2 or 3") }
            }
        }

        func run() async throws {
            if let components {
                try await enterComponent(of: components)
            } else {
                try await importKeyBlock()
            }
            if usage == .both { KeyCommand.warnOfBoth(bank) }
        }
    }
}

extension KeyCommand.Import {
    private func importKeyBlock() async throws {
        let text = try keyBlock ?? InputFile.readText(keyBlockFile ?? "-")
        let rules = try rules.text(usage)
        let parsed = try KeyBlockImport(text, usage: usage, acceptsK0: acceptK0, rules: rules)
        _ = try label.map(KeyLabel.init)
        if parsed.hadSchemeLetter {
            Terminal.note("the R before the key block is left out: it is a payShield's key scheme")
        }
        try await ImportKeyBlock(
            bank: bank, label: label, usage: usage, block: parsed.text, under: under ?? "", acceptsK0: acceptK0,
            rules: rules
        ).run(options, signer, output)
    }

    private func enterComponent(of count: Int) async throws {
        let kind = try KeyKind(usage: usage, algorithm: algorithm, direction: direction)
        let label = try KeyLabel(label ?? usage.rawValue).text
        let component = SharedSecret(try readComponent())
        let entry = try await Installation.run(
            options, action: AdminAction(command: "key import", bankId: bank, subject: label)
        ) { [bank] installation in
            _ = try await installation.bank(bank)
            let needsTwo = try await installation.operators()?.isDual ?? false
            return try await installation.withKeyring { keyring in
                try await KeyCeremony(
                    bankId: bank, label: label, store: installation.store, keyring: keyring,
                    now: installation.clock.now()
                ).enter(component.bytes, of: kind, count: count, by: installation.person, needsTwo: needsTwo)
            }
        }
        try Terminal.show(
            text(entry, label, of: count), json: ComponentReport(bank: bank, label: label, entry, of: count),
            asJSON: output.json)
    }

    private func readComponent() throws -> SecretBytes {
        let limit = KeyCeremony.componentCharacterLimit
        guard let componentFile else { return try Terminal.askSecret("Your component (hex): ", byteLimit: limit) }
        return try InputFile.readSecret(componentFile, byteLimit: limit)
    }

    private func text(_ entry: KeyCeremony.Entry, _ label: String, of count: Int) -> String {
        let component =
            "component \(entry.entered) of \(count) of key '\(label)' of bank '\(bank)' is entered, its KCV is "
            + entry.componentKCV.description
        guard let kcv = entry.keyKCV else {
            return component + "; enter the others before \(entry.expiresAt.text)"
        }
        return component
            + ". All components are entered, and the key's KCV is \(kcv). Another operator must make it active before "
            + "\(entry.expiresAt.text) with: card-companion key confirm --bank \(bank) --kcv KCV \(label)"
    }
}

/// What operators fix with a key for the issuer's host.
struct HostKeyOptions: ParsableArguments {
    @Option(
        help: """
            pin-translation: the formats of the PIN blocks, comma-separated: iso-3 (Triple DES), iso-4 (AES), and iso-0 where the \
            host needs it.
            """)
    var formats: String?
    @Option(help: "visa-pvv: the PIN verification key index of the cards, 0 to 6.")
    var pvki: String?
    @Option(help: "ibm3624-offset: 16 digits, for the hex digits 0 to F.")
    var decimalizationTable: String?
    @Option(
        help: """
            ibm3624-offset: which digits of the PAN are encrypted, START:COUNT:PAD. 1:16:F takes 16 digits from the first one, \
            and would fill them up with F.
            """)
    var validationData: String?
    @Option(help: "ibm3624-offset: how many digits PIN and offset have.")
    var pinLength: String?
    @Option(help: "How many digits the cards' PANs have.")
    var panLength: String?
    @Option(help: "How the cards' PANs begin, comma-separated, 6 to 11 digits each. The key serves no other cards.")
    var panPrefixes: String?

    /// - Throws: `InvalidSetting` if one is missing, or is not for the usage.
    func text(_ usage: BankKeyUsage) throws -> String? {
        let given: [HostKeyRules.Name: String?] = [
            .formats: formats, .pvki: pvki, .decimalizationTable: decimalizationTable, .validationData: validationData,
            .pinLength: pinLength, .panLength: panLength, .panPrefixes: panPrefixes,
        ]
        return try HostKeyRules.text(given.compactMapValues(\.self), usage: usage)
    }
}

/// A component that was entered, in JSON.
private struct ComponentReport: Encodable {
    let bank: String
    let label: String
    let component: Int
    let components: Int
    let componentKCV: String
    /// Of an AES key: a zero block encrypted.
    let componentEncryptedZeros: String?
    let kcv: String?
    let encryptedZeros: String?

    init(bank: Identifier, label: String, _ entry: KeyCeremony.Entry, of count: Int) {
        self.bank = bank.text
        self.label = label
        component = entry.entered
        components = count
        componentKCV = entry.componentKCV.usual
        componentEncryptedZeros = entry.componentKCV.encryptedZeros
        kcv = entry.keyKCV?.usual
        encryptedZeros = entry.keyKCV?.encryptedZeros
    }
}

extension KeyCommand {
    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm",
            abstract: "Confirms the KCV of a key after all its components are entered, and makes the key active.",
            discussion: """
                An operator other than the one who entered the first component must run this. The command tells people \
                apart by who logged in on this machine. Where nobody logged in, the user who ran sudo counts, or the \
                process's user.

                For an AES key, --kcv can be the CMAC of a zero block or a zero block encrypted, and have 6, 8 or 10 \
                digits: the shorter one is compared.

                EXAMPLE
                  card-companion key confirm --bank MYBANK --kcv 0A1B2C3D4E kbpk
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "The key's KCV, as it is on your paper.")
        var kcv: String
        @Argument(help: "The key's label, as in the list.")
        var label: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try KeyCeremony.requireCheckValue(kcv)
            try await ConfirmKey(bank: bank, label: label, kcv: kcv).run(options, signer, output)
        }
    }
}

/// A valid `--label`.
struct KeyLabel: Sendable {
    let text: String

    init(_ text: String) throws {
        guard Identifier(text) != nil else { throw CommandError.badInput("--label must have \(Identifier.rule)") }
        self.text = text
    }
}
