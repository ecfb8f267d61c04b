import ArgumentParser
import CardCompanion
import CardCompanionStore
import Foundation
import Glibc

/// `card-companion cardholder`.
struct CardholderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardholder", abstract: "The cardholders of a bank.",
        subcommands: [Import.self, Show.self, Unlock.self, SetStatus.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates or replaces cardholders from a file with a JSON object a line.",
            discussion: """
                A line has uniqueId and, as they apply, status, channels, authenticationCode and pin (each a JWE to a key
                of /.well-known/jwks.json) and freeField. A bad line is named and the others go in; then the exit status
                is 65.

                EXAMPLES
                  card-companion cardholder import --bank MYBANK cardholders.ndjson
                  make-cardholders | card-companion cardholder import --bank MYBANK --json -
                """)

        @Option(help: "The bank's id.")
        var bank: String
        @Argument(help: "The file; - is standard input.")
        var file: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let handle = try InputFile.openForReading(file)
            defer { close(handle) }
            let asJSON = output.json
            let summary = try await Installation.run(options) { [bank] installation in
                let record = try await installation.bank(bank)
                let keyring = try await installation.keyring()
                let keys = try await ServerKeys.opened(
                    with: keyring, in: installation.store, clock: installation.clock)
                let provisioning = Provisioning(bank: record, keyring: keyring, serverKeys: keys)
                let cardholders = CardholderImport(
                    bankId: bank, provisioning: provisioning, store: installation.store, clock: installation.clock,
                    parallelism: ProcessInfo.processInfo.activeProcessorCount)
                var run = ImportRun(cardholders, asJSON: asJSON)
                return try await run.read(handle)
            }
            if !asJSON { print(summary.text) }
            guard summary.refused == 0 else { throw ExitCode(65) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows what may be shown of a cardholder: never a PIN, a code or a free field.",
            discussion: "EXAMPLE\n  card-companion cardholder show --bank MYBANK 4711")

        @OptionGroup var cardholder: CardholderArguments

        func run() async throws { try await cardholder.show { _ in } }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a cardholder try again after too many wrong codes or unconfirmed fetches.",
            discussion: "EXAMPLE\n  card-companion cardholder unlock --bank MYBANK 4711")

        @OptionGroup var cardholder: CardholderArguments

        func run() async throws {
            try await cardholder.show { [cardholder] installation in
                let isFound = try await installation.store.unlockCardholder(
                    bankId: cardholder.bank, uniqueId: cardholder.uniqueId, now: installation.clock.now())
                guard isFound else { throw cardholder.notFound }
            }
        }
    }

    struct SetStatus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-status", abstract: "Sets whether a cardholder may use the service.",
            discussion: "EXAMPLE\n  card-companion cardholder set-status --bank MYBANK 4711 SUSPENDED")

        @OptionGroup var cardholder: CardholderArguments
        @Argument(help: "ACTIVE, SUSPENDED or CLOSED.")
        var status: CardholderStatus

        func run() async throws {
            try await cardholder.show { [cardholder, status] installation in
                let isFound = try await installation.store.setCardholder(
                    bankId: cardholder.bank, uniqueId: cardholder.uniqueId, status: status,
                    now: installation.clock.now())
                guard isFound else { throw cardholder.notFound }
            }
        }
    }

    struct CardholderArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: String
        @Argument(help: "The cardholder's uniqueId.")
        var uniqueId: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        var notFound: CommandError { .notFound("bank '\(bank)' has no cardholder '\(uniqueId)'") }

        /// Shows the cardholder as they are after `change`.
        func show(after change: @Sendable @escaping (Installation) async throws -> Void) async throws {
            let record = try await Installation.run(options) { [self] installation in
                try await change(installation)
                guard let record = try await installation.store.cardholder(bankId: bank, uniqueId: uniqueId) else {
                    throw notFound
                }
                return record
            }
            let report = CardholderReport(record)
            try Terminal.show(report.table, json: report, asJSON: output.json)
        }
    }
}

private struct CardholderReport: Encodable {
    let uniqueId: String
    let status: String
    let channels: [String]
    let hasAuthenticationCode: Bool
    let authenticationFailures: Int
    let hasPIN: Bool
    let pinExpiresAt: String?
    let deliveredAt: String?
    let unconfirmedFetches: Int
    let hasFreeField: Bool
    let createdAt: String
    let updatedAt: String

    init(_ record: CardholderRecord) {
        uniqueId = record.uniqueId
        status = record.status.rawValue
        channels = record.channels.map(\.rawValue)
        hasAuthenticationCode = record.hasAuthenticationCode
        authenticationFailures = record.authenticationFailures
        hasPIN = record.hasPIN
        pinExpiresAt = record.pinExpiresAt?.text
        deliveredAt = record.deliveredAt?.text
        unconfirmedFetches = record.unconfirmedFetches
        hasFreeField = record.hasFreeField
        createdAt = record.createdAt.text
        updatedAt = record.updatedAt.text
    }

    var table: String {
        Terminal.table(
            ["CARDHOLDER", uniqueId],
            [
                ["status", status], ["channels", channels.joined(separator: ", ")],
                ["authentication code", hasAuthenticationCode ? "set" : "none"],
                ["wrong codes in a row", "\(authenticationFailures)"], ["PIN", hasPIN ? "kept" : "none"],
                ["PIN is erased at", pinExpiresAt ?? "-"], ["delivery confirmed at", deliveredAt ?? "-"],
                ["fetches without confirmation", "\(unconfirmedFetches)"],
                ["free field", hasFreeField ? "set" : "none"], ["created at", createdAt], ["updated at", updatedAt],
            ])
    }
}
