import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import DualControl
import EMRTD

struct CSCACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csca",
        abstract: "Imports and lists the authorities (CSCAs) behind the signatures of passports and identity cards.",
        subcommands: [Import.self, ImportRevocationList.self, List.self, Remove.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Imports a master list: the authorities that a state or ICAO has checked.",
            discussion: """
                The root must have issued the certificate of the list's signer. Get the root from a different source \
                than the list, for example from the state's web site, and compare its fingerprint over another \
                channel. A list that is older than the present one is refused. Import each new list: 'card-companion \
                doctor' warns after 120 days.

                EXAMPLES
                  card-companion csca import --root csca-germany.cer GermanMasterList.ml
                  card-companion csca import --bank MYBANK --root root.pem list.ml
                """)

        @Argument(help: "The master list: CMS, in DER.")
        var list: String
        @Option(help: "The certificate of the authority that issued the list signer's certificate, in PEM or DER.")
        var root: String
        @Option(
            help:
                "The bank that the list is for. It trusts this list instead of the list of all banks. Default: all banks."
        )
        var bank: Identifier?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let found: TrustListImport
            do {
                found = try TrustListImport(
                    InputFile.read(list, byteLimit: MasterList.byteCountLimit),
                    root: InputFile.read(root, byteLimit: InputFile.certificateByteLimit), now: WallClock.system.now())
            } catch let error as FormatError {
                throw CommandError.badInput("the list or its root cannot be read: \(error)")
            } catch let refusal as MasterList.Refusal {
                throw CommandError.refused("\(refusal)")
            }
            let shown = try await Installation.run(options) { [bank, signer] installation in
                if let bank { _ = try await installation.bank(bank) }
                let trust = TrustRoot(bank: bank, root: found.root)
                guard try await trust.isTrusted(in: installation) else {
                    // With dual control, two operators decide on the root. The list comes after it.
                    return try await installation.make(trust, signing: signer)
                }
                return try await installation.importTrustList(found, scope: bank)
            }
            try shown.show(output)
        }
    }

    struct ImportRevocationList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import-crl", abstract: "Imports the CRL of an authority of the trust list.",
            discussion: """
                One of the authorities of the list must have signed it. A CRL that is older than the present one is \
                refused. If there is no CRL, or it is out of date, the 'errors' of a result say so.

                EXAMPLE
                  card-companion csca import-crl germany.crl
                """)

        @Argument(help: "The CRL, in PEM or DER.")
        var file: String
        @Option(help: "The bank whose own trust list the CRL is for. Default: the list of all banks.")
        var bank: Identifier?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let bytes = try InputFile.read(file, byteLimit: CertificateRevocationList.byteCountLimit)
            let action = AdminAction(command: "csca import-crl", bankId: bank)
            let shown = try await Installation.run(options, action: action) { [bank] installation in
                let list = try await installation.trustList(scope: bank)
                let found: TrustRevocationListImport
                do {
                    found = try TrustRevocationListImport(bytes, for: list, now: installation.clock.now())
                } catch let error as FormatError {
                    throw CommandError.badInput("\(error)")
                }
                try await installation.changingInventory {
                    var change = InventoryChange()
                    change.add(InventoryObject(found.record))
                    return change
                } _: {
                    guard try await installation.store.putTrustRevocationList(found.record) else {
                        throw CommandError.refused("there is a newer CRL of \(found.issuer)")
                    }
                }
                let end = found.nextUpdate.map { ", valid until \($0.text)" } ?? ", with no expiry date"
                return Shown(
                    text: "imported the CRL of \(found.issuer) with \(found.revokedCount) certificates\(end)",
                    json: [
                        "issuer": found.issuer, "thisUpdate": found.record.thisUpdate.text,
                        "revoked": "\(found.revokedCount)",
                    ])
            }
            try shown.show(output)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the trust lists, and how old they are.",
            discussion: "EXAMPLE\n  card-companion csca list --json")

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let lists = try await Installation.run(options) { try await $0.store.trustListSummaries() }
            let rows = lists.map {
                [
                    $0.scope?.text ?? "all banks", $0.signedAt.text, $0.importedAt.text, "\($0.revocationListCount)",
                    $0.oldestRevocationList?.text ?? "-",
                ]
            }
            try Terminal.show(
                TextTable.text(["TRUSTED BY", "SIGNED", "IMPORTED", "CRLS", "OLDEST CRL"], rows),
                json: lists.map(Report.init), asJSON: output.json)
        }

        private struct Report: Encodable {
            /// Nil: all banks.
            let bank: String?
            let signedAt: String
            let importedAt: String
            let revocationLists: Int
            let oldestRevocationList: String?

            init(_ list: TrustListSummary) {
                bank = list.scope?.text
                signedAt = list.signedAt.text
                importedAt = list.importedAt.text
                revocationLists = list.revocationListCount
                oldestRevocationList = list.oldestRevocationList?.text
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract:
                "Removes a trust list and its CRLs. A bank without a list of its own trusts the list of all banks.",
            discussion: """
                EXAMPLE
                  card-companion csca remove --bank MYBANK
                """)

        @Option(help: "The bank whose own trust list is removed. Default: the list of all banks.")
        var bank: Identifier?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await RemoveTrustList(bank: bank).run(options, signer, output)
        }
    }
}
