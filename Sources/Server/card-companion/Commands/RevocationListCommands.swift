import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

extension CertificateCommand {
    struct ImportRevocationList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import-crl", abstract: "Gives a bank the CRL of a CA that issued its certificates.",
            discussion: """
                Servers then refuse the bank's certificates that the CRL lists. When the CRL expires, they refuse all \
                certificates of that CA until you import the next CRL: import it in time, or remove the CRL. A CRL \
                that is older than the present one is refused.

                EXAMPLE
                  card-companion certificate import-crl --bank MYBANK \\
                      --ca bank-ca.pem bank-ca.crl
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "PEM file of the CAs that you trust for this bank. One of them must have signed the CRL.")
        var ca: String
        @Argument(help: "The CRL, in PEM or DER.")
        var file: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let list = try RevocationListImport(
                InputFile.read(file, byteLimit: InputFile.revocationListByteLimit),
                trustedCAs: InputFile.read(ca, byteLimit: InputFile.certificateByteLimit), now: WallClock.system.now())
            let issuer = list.record.issuer
            let action = AdminAction(command: "certificate import-crl", bankId: bank, subject: issuer)
            let certificates = try await Installation.run(options, action: action) { [bank] installation in
                _ = try await installation.bank(bank)
                let certificates = try await installation.store.certificates(bankId: bank).filter {
                    $0.issuer == issuer
                }
                guard certificates.contains(where: list.isByIssuer) else {
                    throw CommandError.refused(
                        "bank '\(bank)' has no certificate that \(issuer) issued with the key that signed the CRL")
                }
                try await installation.changingInventory {
                    var change = InventoryChange()
                    change.add(InventoryObject(list.contents, of: bank))
                    return change
                } _: {
                    let isNewest = try await installation.store.putRevocationList(
                        bankId: bank, list.record, serials: list.serials)
                    guard isNewest else { throw CommandError.refused("bank '\(bank)' has a newer CRL of \(issuer)") }
                }
                return try await installation.store.certificates(bankId: bank).filter { $0.issuer == issuer }
            }
            let revoked = certificates.filter { $0.revocation == .revoked }.map(\.alias)
            let consequence =
                revoked.isEmpty
                ? "none of the bank's certificates is revoked" : "revoked: \(revoked.joined(separator: ", "))"
            try Terminal.show(
                "imported the CRL of \(issuer), valid until \(list.record.nextUpdate.text); \(consequence)",
                json: Report(list.record, revoked: revoked), asJSON: output.json)
        }

        private struct Report: Encodable {
            let issuer: String
            let thisUpdate: String
            let nextUpdate: String
            /// Aliases of the bank's certificates that it lists.
            let revoked: [String]

            init(_ list: RevocationListRecord, revoked: [String]) {
                issuer = list.issuer
                thisUpdate = list.thisUpdate.text
                nextUpdate = list.nextUpdate.text
                self.revoked = revoked
            }
        }
    }

    struct ListRevocationLists: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list-crls", abstract: "Lists the CRLs that a bank's certificates are checked with.",
            discussion: """
                EXAMPLE
                  card-companion certificate list-crls --bank MYBANK --json
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let lists = try await Installation.run(options) { [bank] installation in
                _ = try await installation.bank(bank)
                return try await installation.store.revocationLists(bankId: bank)
            }
            let rows = lists.map { [$0.thisUpdate.text, $0.nextUpdate.text, $0.importedAt.text, $0.issuer] }
            try Terminal.show(
                TextTable.text(["MADE", "EXPIRES", "IMPORTED", "ISSUER"], rows), json: lists.map(Report.init),
                asJSON: output.json)
        }

        private struct Report: Encodable {
            let issuer: String
            let thisUpdate: String
            let nextUpdate: String
            let importedAt: String

            init(_ list: RevocationListRecord) {
                issuer = list.issuer
                thisUpdate = list.thisUpdate.text
                nextUpdate = list.nextUpdate.text
                importedAt = list.importedAt.text
            }
        }
    }

    struct RemoveRevocationList: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove-crl",
            abstract: "Removes a bank's CRL: certificates of that CA are no longer checked.",
            discussion: """
                EXAMPLE
                  card-companion certificate remove-crl --bank MYBANK \\
                      --issuer "CN=Bank CA,O=My Bank"
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "The name of the CA, as in 'certificate list-crls'.")
        var issuer: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await DualControl.RemoveRevocationList(bank: bank, issuer: issuer).run(options, signer, output)
        }
    }
}
