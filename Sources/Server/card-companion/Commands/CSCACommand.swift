import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import EMRTD

struct CSCACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csca",
        abstract: "Imports and lists the authorities (CSCAs) behind the signatures of passports and identity cards.",
        subcommands: [Import.self, ImportRevocationList.self, List.self, Remove.self])

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports a master list: the authorities that a state or ICAO has checked.",
            discussion: """
                The root must have issued the certificate of the list's signer. Get the root from a different source than the
                list, for example from the state's web site, and compare its fingerprint over another channel. A list that is
                older than the present one is refused. Import each new list: 'card-companion doctor' warns after 120 days.

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
                One of the authorities of the list must have signed it. A CRL that is older than the present one is refused. If
                there is no CRL, or it is out of date, the 'errors' of a result say so.

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
                guard try await installation.store.putTrustRevocationList(found.record) else {
                    throw CommandError.refused("there is a newer CRL of \(found.issuer)")
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
                Terminal.table(["TRUSTED BY", "SIGNED", "IMPORTED", "CRLS", "OLDEST CRL"], rows),
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

/// `csca remove`.
struct RemoveTrustList: Change {
    static let command = "csca remove"

    let bank: Identifier?

    var bankId: Identifier? { bank }
    var subject: String? { nil }

    func details(in installation: Installation) async throws -> [String] {
        [
            bank.map { "bank '\($0)' trusts the list of all banks, and no longer its own" }
                ?? "banks without a list of their own trust no state"
        ]
    }

    func replacedObjects(in installation: Installation) async throws -> [ApprovedObject] {
        try await installation.store.trustList(scope: bank).map {
            [ApprovedObject(trustRoot: $0.root, scope: bank)]
        } ?? []
    }

    func requirePossible(in installation: Installation) async throws {
        _ = try await installation.trustList(scope: bank)
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        _ = try await installation.trustList(scope: bank)
        _ = try await installation.store.removeTrustList(scope: bank)
        return Shown(
            text: "removed the trust list \(bank.map { "of bank '\($0)'" } ?? "of all banks")",
            json: ["bank": bank?.text])
    }
}

/// The root of trust lists, for `csca import` under dual control.
struct TrustRoot: Change {
    static let command = "csca import"

    let bank: Identifier?
    /// DER.
    let root: [UInt8]

    var bankId: Identifier? { bank }
    var subject: String? { "SHA-256 \(Hex.encode(SHA256.hash(root)))" }

    private var object: ApprovedObject { ApprovedObject(trustRoot: root, scope: bank) }

    func details(in installation: Installation) async throws -> [String] {
        [
            "\(bank.map { "bank '\($0)'" } ?? "each bank") trusts the authorities of lists under this root",
            "root with SHA-256 \(Hex.encode(SHA256.hash(root)))",
        ]
    }

    func objects(in installation: Installation) async throws -> [ApprovedObject] { [object] }

    /// Whether a list under this root can be imported.
    func isTrusted(in installation: Installation) async throws -> Bool {
        guard let roster = try await installation.operators(), roster.isDual else { return true }
        var verified: [String: Set<[UInt8]>] = [:]
        return try await !roster.approvedDigests(of: [object.digest], in: installation.store, verified: &verified)
            .isEmpty
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        Shown(
            text:
                "the root is approved: run the same 'card-companion csca import' again; one operator is enough for that",
            json: ["root": Hex.encode(SHA256.hash(root))])
    }
}

extension Installation {
    /// The trust list of a scope.
    ///
    /// - Throws: ``CommandError`` if there is none.
    fileprivate func trustList(scope: Identifier?) async throws -> TrustListRecord {
        guard let list = try await store.trustList(scope: scope) else {
            throw CommandError.notFound(
                scope.map { "bank '\($0)' has no trust list of its own: see 'card-companion csca list'" }
                    ?? "there is no trust list of all banks: see 'card-companion csca import --help'")
        }
        return list
    }

    /// Imports a list under a root that is trusted.
    func importTrustList(_ found: TrustListImport, scope: Identifier?) async throws -> Shown {
        let root = "SHA-256 \(Hex.encode(found.rootFingerprint))"
        try await AdminAction(command: TrustRoot.command, bankId: scope, subject: "root \(root)").recorded(in: logger) {
            let present = try await store.trustList(scope: scope)
            let record = try await withKeyring { try found.record(scope: scope, keyring: $0, now: clock.now()) }
            guard try await store.putTrustList(record) else {
                let present = try await trustList(scope: scope)
                throw CommandError.refused(
                    "the list was signed at \(found.signedAt.text): it is older than the present one, signed at \(present.signedAt.text)"
                )
            }
            if let old = present?.root, old != found.root, try await operators() != nil {
                try await withdraw([ApprovedObject(trustRoot: old, scope: scope)])
            }
        }
        let unusable = found.unusableCount == 0 ? "" : ", \(found.unusableCount) more cannot be used"
        return Shown(
            text: """
                imported the trust list signed at \(found.signedAt.text) for \(scope.map { "bank '\($0)'" } ?? "all banks"): \
                \(found.authorityCount) authorities\(unusable), under the root with \(root)
                """,
            json: [
                "bank": scope?.text, "signedAt": found.signedAt.text, "authorities": "\(found.authorityCount)",
                "unusable": "\(found.unusableCount)", "root": Hex.encode(found.rootFingerprint),
            ])
    }
}
