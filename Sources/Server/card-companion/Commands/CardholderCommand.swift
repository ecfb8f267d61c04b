import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl
import Foundation
import Glibc
import SecureMemory

struct CardholderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardholder", abstract: "Imports, lists, shows and changes the cardholders of a bank.",
        subcommands: [
            Import.self, List.self, Show.self, Unlock.self, SetStatus.self, ForwardAgain.self, ReleasePAN.self,
        ])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Creates or replaces cardholders from a file with one JSON object per line.",
            discussion: """
                A line has uniqueId and, if they apply, status, channels, definition, accessibility, \
                authenticationCode and pin (each a JWE to a key of /.well-known/jwks.json), pinVersion and freeField. \
                A member that is left out is removed, except in a line with "op":"patch". A line with "op":"delete" \
                erases the cardholder. If there are invalid lines, they are reported, the others are imported, and the \
                exit status is 65. --dry-run opens and checks all lines, and writes nothing. It does not look at the \
                cardholders that the bank has: only the import itself refuses a patch of an unknown one.

                EXAMPLES
                  card-companion cardholder import --bank MYBANK --dry-run cardholders.ndjson
                  card-companion cardholder import --bank MYBANK cardholders.ndjson
                  make-cardholders | card-companion cardholder import --bank MYBANK --json -
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Argument(help: "The file; - is standard input.")
        var file: String
        @Flag(help: "Only check the lines, and write nothing.")
        var dryRun = false
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let handle = try InputFile.openForReading(file)
            defer { close(handle) }
            let asJSON = output.json
            // A dry run changes nothing, and leaves no entry in the audit trail.
            let action = dryRun ? nil : AdminAction(command: "cardholder import", bankId: bank, subject: file)
            let summary = try await Installation.run(options, action: action) { [bank, dryRun] installation in
                try await installation.withCardholderImport(to: bank, isDryRun: dryRun) { cardholders in
                    var report = ImportReport(fileByteCount: InputFile.byteCount(handle), asJSON: asJSON)
                    defer { report.finish() }
                    try await cardholders.run {
                        let chunk = try InputFile.readChunk(handle)
                        report.read(chunk?.bytes.count ?? 0)
                        return chunk
                    } report: { results, progress in
                        try report.show(results, progress)
                    }
                    return cardholders.summary
                }
            }
            if !asJSON { try Terminal.show(summary.text) }
            guard summary.refused == 0 else { throw ExitCode(65) }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists cardholders in the order of their uniqueIds, but never a PIN, a code or a free field.",
            discussion: """
                EXAMPLES
                  card-companion cardholder list --bank MYBANK --starts-with 47
                  card-companion cardholder list --bank MYBANK --locked --json
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "Only uniqueIds with this prefix.")
        var startsWith = ""
        @Option(help: "Only cardholders with this status: ACTIVE, SUSPENDED or CLOSED.")
        var status: CardholderStatus?
        @Flag(help: "Only cardholders who are locked. In a large bank this takes a while.")
        var locked = false
        @Option(help: "Only uniqueIds after this one: the last uniqueId of the previous page.")
        var after: Identifier?
        @Option(help: "The maximum number of cardholders (1 to 10000).")
        var limit = 100
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard 1...10_000 ~= limit else { throw ValidationError("--limit must be 1 to 10000.") }
        }

        func run() async throws {
            let (records, settings) = try await Installation.run(options) { installation in
                let settings = try await installation.bank(bank).settings
                return (try await find(in: installation.store, settings), settings)
            }
            try Terminal.show(
                TextTable.text(
                    ["CARDHOLDER", "STATUS", "LOCKED", "CODE", "PIN", "DELIVERED", "UPDATED"],
                    records.map {
                        [
                            $0.uniqueId.text, $0.status.rawValue, $0.locks(by: settings).isEmpty ? "no" : "yes",
                            $0.hasAuthenticationCode ? "set" : "none", $0.hasPIN ? "stored" : "none",
                            $0.deliveredAt?.text ?? "-", $0.updatedAt.text,
                        ]
                    }), json: records.map { CardholderRepresentation($0, settings) }, asJSON: output.json)
        }

        /// How many cardholders are read at once.
        private static let pageLength = 1_000

        /// Reads page after page, so that a large bank needs no long statement.
        private func find(in store: Store, _ settings: BankSettings) async throws -> [CardholderRecord] {
            var (found, last) = ([CardholderRecord](), after?.text)
            while found.count < limit {
                let page = try await store.cardholders(
                    bankId: bank, prefix: startsWith, after: last, limit: Self.pageLength)
                found += page.filter {
                    (status == nil || $0.status == status) && (!locked || !$0.locks(by: settings).isEmpty)
                }
                guard page.count == Self.pageLength else { break }
                last = page.last?.uniqueId.text
            }
            return Array(found.prefix(limit))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows a cardholder, but never a PIN, a code or a free field.",
            discussion: "EXAMPLE\n  card-companion cardholder show --bank MYBANK 4711")

        @OptionGroup var cardholder: CardholderArguments

        func run() async throws { try await cardholder.show() }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock",
            abstract: "Unlocks a cardholder after too many wrong codes or unconfirmed fetches.",
            discussion: "EXAMPLE\n  card-companion cardholder unlock --bank MYBANK 4711")

        @OptionGroup var cardholder: CardholderArguments

        func run() async throws {
            var change = CardholderChange()
            change.unlocks = true
            try await cardholder.change(change, by: "cardholder unlock")
        }
    }

    struct SetStatus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-status", abstract: "Sets whether a cardholder can use the service.",
            discussion: "EXAMPLE\n  card-companion cardholder set-status --bank MYBANK 4711 SUSPENDED")

        @OptionGroup var cardholder: CardholderArguments
        @Argument(help: "ACTIVE, SUSPENDED or CLOSED.")
        var status: CardholderStatus

        func run() async throws {
            var change = CardholderChange()
            change.status = status
            try await cardholder.change(change, by: "cardholder set-status")
        }
    }

    struct ForwardAgain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forward-again",
            abstract: "Lets the bank's connector hand out a cardholder's defined PIN again.",
            discussion: """
                Use this when the bank's program has reported that the issuer's host cannot have a PIN, and the cause is \
                mended; or when the host has lost it.

                EXAMPLE
                  card-companion cardholder forward-again --bank MYBANK 4711
                """)

        @OptionGroup var cardholder: CardholderArguments

        func run() async throws {
            let (bank, uniqueId) = (cardholder.bank, cardholder.uniqueId)
            let action = AdminAction(command: "cardholder forward-again", bankId: bank, cardholder: uniqueId)
            try await Installation.run(cardholder.options, action: action) { installation in
                _ = try await installation.bank(bank)
                let pseudonym = try await installation.withKeyring {
                    try $0.pseudonym(bankId: bank, uniqueId: uniqueId)
                }
                let isQueued = try await AuditNote.$ofCommand.withValue(AuditNote.ofCommand?.about(pseudonym)) {
                    try await installation.store.forwardAgain(bankId: bank, uniqueId: uniqueId)
                }
                guard !isQueued else { return }
                if try await installation.store.isForwarding(bankId: bank, uniqueId: uniqueId) {
                    throw CommandError.unavailable(
                        "a connector has a PIN of cardholder '\(uniqueId)' of bank '\(bank)' now: try again when it has "
                            + "reported what became of it ('cardholder show')")
                }
                throw CommandError.notFound(
                    "cardholder '\(uniqueId)' of bank '\(bank)' has no defined PIN that was queued for a connector: it was defined "
                        + "while --forward-defined-pins was false, or was replaced by the bank")
            }
            try Terminal.show(
                "the connector hands out the defined PIN of '\(uniqueId)' again", json: ["uniqueId": uniqueId.text],
                asJSON: cardholder.output.json)
        }
    }

    struct ReleasePAN: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "release-pan",
            abstract: "Parts a cardholder from the PAN that their PIN was exported with.",
            discussion: """
                A PAN belongs to one cardholder, and a cardholder has one PAN, also after they were erased: otherwise \
                somebody with the bank's back-end could get the values of many PINs for one card. Use this for a new \
                card with another number, or if the back-end has sent a wrong number. Compare both with the bank's \
                records first.

                EXAMPLE
                  card-companion cardholder release-pan --bank MYBANK 4711
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Argument(help: "The cardholder's uniqueId.")
        var uniqueId: Identifier
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await DualControl.ReleasePAN(bank: bank, uniqueId: uniqueId).run(options, signer, output)
        }
    }

    struct CardholderArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: Identifier
        @Argument(help: "The cardholder's uniqueId.")
        var uniqueId: Identifier
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func show() async throws {
            try await Installation.run(options) { [bank] installation in
                try await find(in: installation, await installation.bank(bank).settings)
            }.show(output)
        }

        /// Changes the cardholder, and shows the result.
        ///
        /// - Parameter command: the command's name, for the audit trail.
        func change(_ change: CardholderChange, by command: String) async throws {
            let action = AdminAction(command: command, bankId: bank, cardholder: uniqueId)
            try await Installation.run(options, action: action) { [bank, uniqueId] installation in
                let note = try await installation.withKeyring { keyring in
                    try AuditNote.command(
                        command, by: AdminAction.actor, bankId: bank, uniqueId: uniqueId, keyring: keyring)
                }
                let settings = try await installation.bank(bank).settings
                _ = try await installation.store.writeCardholder(
                    bankId: bank, settings: settings, uniqueId: uniqueId, change, if: .none, audit: note,
                    now: installation.clock.now())
                return try await find(in: installation, settings)
            }.show(output)
        }

        private func find(in installation: Installation, _ settings: BankSettings) async throws -> Shown {
            let found = try await installation.store.cardholder(bankId: bank, uniqueId: uniqueId)
            guard let found else { throw CommandError.notFound("bank '\(bank)' has no cardholder '\(uniqueId)'") }
            return Shown(text: found.table(settings), json: CardholderRepresentation(found, settings))
        }
    }
}

extension Installation {
    /// Opens the keys that an import needs.
    fileprivate func withCardholderImport<Result>(
        to bankId: Identifier, isDryRun: Bool, _ body: (inout CardholderImport) async throws -> Result
    ) async throws -> Result {
        let bank = try await issuerBank(bankId)
        return try await withDataKeys { dataKeys in
            let keyring = try await dataKeys.opened()
            let countedObjects = CountedObjects(
                store: store, keyring: keyring, inventory: dataKeys.inventory, logger: logger)
            _ = try await countedObjects.refresh(from: dataKeys.vault)
            let provisioning = Provisioning(
                bank: bank, keyring: keyring, serverKeys: try await ServerKeys.opened(with: keyring, of: dataKeys),
                countedObjects: countedObjects, acceptsCodes: !countedObjects.needApprovals)
            var cardholders = CardholderImport(
                bank: bank, provisioning: provisioning, actor: AdminAction.actor, store: store, clock: clock,
                parallelism: ProcessInfo.processInfo.activeProcessorCount, isDryRun: isDryRun)
            let result = try await body(&cardholders)
            try await dataKeys.report(keyring)
            return result
        }
    }
}

extension DefinedPINState {
    /// For people.
    fileprivate var text: String {
        "\(stage.rawValue)\(reason.map { " (\($0))" } ?? "") since \(at.text), event \(event)"
    }
}

extension CardholderRecord {
    private func lockText(_ settings: BankSettings) -> String {
        let reasons = locks(by: settings).map { lock in
            switch lock {
            case .authenticationFailures: "too many wrong codes"
            case .unconfirmedFetches: "too many unconfirmed fetches"
            }
        }
        return reasons.isEmpty ? "no" : "LOCKED: \(reasons.joined(separator: " and ")); 'cardholder unlock' unlocks it"
    }

    fileprivate func table(_ settings: BankSettings) -> String {
        TextTable.text(
            ["CARDHOLDER", uniqueId.text],
            [
                ["status", status.rawValue], ["locked", lockText(settings)],
                ["channels", channels.map(\.rawValue).joined(separator: ", ")], ["definition", "\(definition)"],
                ["accessibility", accessibility?.rawValue ?? "-"],
                ["authentication code", hasAuthenticationCode ? "set" : "none"],
                ["wrong codes in a row", "\(authenticationFailures)"], ["PIN", hasPIN ? "stored" : "none"],
                ["PIN version", pinVersion.map { "\($0)" } ?? "-"],
                ["PIN expires at", pinExpiresAt?.text ?? "-"],
                ["delivery confirmed at", deliveredAt?.text ?? "-"],
                ["unconfirmed fetches", "\(unconfirmedFetches)"],
                ["defined PIN", definedPIN?.text ?? "none"],
                ["free field", hasFreeField ? "set" : "none"], ["created at", createdAt.text],
                ["updated at", updatedAt.text],
            ])
    }
}
