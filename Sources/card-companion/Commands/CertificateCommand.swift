public import ArgumentParser
import CardCompanion
public import CardCompanionStore

/// `card-companion certificate`.
struct CertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "The certificates of banks.",
        subcommands: [Import.self, List.self, Disable.self, Enable.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a bank's certificate, once it is found fit.",
            discussion: """
                It needs a chain to a CA that you trust, to be within its validity, a key usage that allows its use, and
                an RSA key of 2048 bits or more (for mutual TLS any kind of key). Intermediate certificates may follow it
                in its file. PINs that cardholders define are sealed to the encryption certificate that came last.

                EXAMPLES
                  card-companion certificate import --bank MYBANK --alias 2027 --default --ca bank-ca.pem signing.pem
                  card-companion certificate import --bank MYBANK --alias e27 --use encryption --ca bank-ca.pem e.pem
                """)

        @Option(help: "The bank's id.")
        var bank: String
        @Option(help: "What tokens name it by: SignatureCertAlias.")
        var alias: String
        @Flag(help: "Let it verify tokens that name no alias, in the place of the one that did so far.")
        var `default` = false
        @Option(
            help: "What its key is for: signature (default), encryption (a defined PIN in events), client (mutual TLS)."
        )
        var use = CertificatePurpose.signature
        @Option(help: "PEM file of the CAs that you trust for this bank.")
        var ca: String
        @Argument(help: "PEM file of the certificate.")
        var file: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let pem = try InputFile.read(file, byteLimit: InputFile.certificateByteLimit)
            let trusted = try InputFile.read(ca, byteLimit: InputFile.certificateByteLimit)
            let certificate = try CertificateImport(
                pem: pem, trustedCAs: trusted, alias: alias, purpose: use, isDefault: `default` || use == .encryption,
                now: WallClock.system.now()
            ).record
            try await Installation.run(options) { [bank] installation in
                _ = try await installation.bank(bank)
                guard try await installation.store.insertCertificate(bankId: bank, certificate) else {
                    throw CommandError.refused("bank '\(bank)' has a certificate '\(certificate.alias)' already")
                }
            }
            try Terminal.show(
                "imported certificate '\(alias)' of bank '\(bank)': \(certificate.subject), valid to "
                    + certificate.notAfter.text,
                json: Report(certificate), asJSON: output.json)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists a bank's certificates.",
            discussion: "EXAMPLE\n  card-companion certificate list --bank MYBANK --json")

        @Option(help: "The bank's id.")
        var bank: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let certificates = try await Installation.run(options) { [bank] installation in
                _ = try await installation.bank(bank)
                return try await installation.store.certificates(bankId: bank)
            }
            let rows = certificates.map {
                [
                    $0.alias, $0.purpose.rawValue, $0.isDefault ? "default" : "", $0.status.rawValue, $0.notBefore.text,
                    $0.notAfter.text,
                    $0.subject,
                ]
            }
            try Terminal.show(
                Terminal.table(["ALIAS", "USE", "", "STATUS", "FROM", "TO", "SUBJECT"], rows),
                json: certificates.map(Report.init), asJSON: output.json)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches a certificate off: what is signed under it is refused from now on.",
            discussion: "EXAMPLE\n  card-companion certificate disable --bank MYBANK 2026")

        @OptionGroup var certificate: CertificateArguments

        func run() async throws { try await certificate.set(.disabled) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches a certificate on again.",
            discussion: "EXAMPLE\n  card-companion certificate enable --bank MYBANK 2026")

        @OptionGroup var certificate: CertificateArguments

        func run() async throws { try await certificate.set(.active) }
    }

    struct CertificateArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: String
        @Argument(help: "The certificate's alias.")
        var alias: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func set(_ status: Activity) async throws {
            try await Installation.run(options) { [bank, alias] installation in
                let isSet = try await installation.store.setCertificate(bankId: bank, alias: alias, status: status)
                guard isSet else { throw CommandError.notFound("bank '\(bank)' has no certificate '\(alias)'") }
            }
            try Terminal.show(
                "certificate '\(alias)' of bank '\(bank)' is \(status.rawValue)",
                json: ["alias": alias, "status": status.rawValue], asJSON: output.json)
        }
    }

    private struct Report: Encodable {
        let alias: String
        let use: String
        let isDefault: Bool
        let status: String
        let subject: String
        let notBefore: String
        let notAfter: String
        let fingerprintSHA256: String

        init(_ certificate: CertificateRecord) {
            alias = certificate.alias
            use = certificate.purpose.rawValue
            isDefault = certificate.isDefault
            status = certificate.status.rawValue
            subject = certificate.subject
            notBefore = certificate.notBefore.text
            notAfter = certificate.notAfter.text
            fingerprintSHA256 = certificate.fingerprintHex
        }
    }
}

extension CertificatePurpose: ExpressibleByArgument {}
