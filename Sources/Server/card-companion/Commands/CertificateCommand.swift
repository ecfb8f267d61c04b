import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Imports and lists the certificates of banks.",
        subcommands: [
            Import.self, Default.self, ListItems<Certificates>.self, DisableItem<Certificates>.self,
            EnableItem<Certificates>.self, ImportRevocationList.self, ListRevocationLists.self,
            RemoveRevocationList.self,
        ])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Validates and imports a bank's certificate.",
            discussion: """
                The certificate must have a chain to a CA that you trust, be within its validity, have a key usage \
                that allows its use, and have an RSA key of at least 2048 bits (any kind of key for mutual TLS). \
                Intermediate certificates can follow it in the file. PINs that cardholders define are sealed to the \
                encryption certificate that was imported last. With --crl, a certificate that its CA has revoked is \
                refused; later revocations need 'certificate import-crl'. Results of document verifications are sealed \
                to the identity certificate that was imported last.

                EXAMPLES
                  card-companion certificate import --bank MYBANK --alias 2027 --default \\
                      --ca bank-ca.pem signing.pem
                  card-companion certificate import --bank MYBANK --alias e27 \\
                      --use encryption --ca bank-ca.pem e.pem
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "The certificate's name in tokens: SignatureCertAlias.")
        var alias: String
        @Flag(
            help: """
                Use it for tokens that name no alias. It replaces the present default. The newest encryption \
                certificate is always the default.
                """)
        var `default` = false
        @Option(
            help: """
                The use of its key: signature (default), encryption (of defined PINs in events), client (mutual TLS), \
                identity (encryption of the results of document verifications).
                """)
        var use = CertificatePurpose.signature
        @Option(help: "PEM file of the CAs that you trust for this bank.")
        var ca: String
        @Option(help: "The CRL of the CA that issued it, in PEM or DER. The CA must be in --ca.")
        var crl: String?
        @Argument(help: "PEM file of the certificate.")
        var file: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let pem = try InputFile.read(file, byteLimit: InputFile.certificateByteLimit)
            let trusted = try InputFile.read(ca, byteLimit: InputFile.certificateByteLimit)
            let list = try crl.map { try InputFile.read($0, byteLimit: InputFile.revocationListByteLimit) }
            let change = ImportCertificate(
                bank: bank, alias: alias, use: use, isDefault: `default` || [.encryption, .identity].contains(use),
                pem: pem,
                trustedCAs: trusted, revocationList: list)
            _ = try change.certificate(at: WallClock.system.now())
            try await change.run(options, signer, output)
        }
    }

    struct Default: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "default",
            abstract: "Makes a certificate the default for its use.",
            discussion: """
                Tokens that name no alias are verified with the default signature certificate, and defined PINs are \
                sealed to the default encryption certificate. It replaces the present default.

                EXAMPLE
                  card-companion certificate default --bank MYBANK --alias 2027
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "The certificate's alias.")
        var alias: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await SetDefaultCertificate(bank: bank, alias: alias).run(options, signer, output)
        }
    }
}

/// A bank's certificates, for `list`, `enable` and `disable`.
extension Certificates: ListedItems {
    static let afterDisabling = "tokens signed with its key are refused from now on."
    static let columns = ["ALIAS", "USE", "", "STATUS", "FROM", "TO", "REVOCATION", "SUBJECT"]

    static func list(
        _ bankId: Identifier, in store: Store
    ) async throws -> [(row: [String], report: CertificateReport)] {
        try await store.certificates(bankId: bankId).map {
            (
                [
                    $0.alias, $0.purpose.rawValue, $0.isDefault ? "default" : "", $0.status.rawValue,
                    $0.notBefore.text, $0.notAfter.text, $0.revocation.text, $0.subject,
                ],
                CertificateReport($0)
            )
        }
    }
}
