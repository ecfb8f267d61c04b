import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer
import Foundation

struct EvidenceCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Writes what a bank's auditor or supervisor asks for, as JSON and as a page.",
        discussion: """
            It has the certificates and keys of the server, of banks and of operators, with owner, use, algorithm, \
            expiry, place and approval (the register of Delegated Regulation (EU) 2024/1774, article 7(4)), the settings \
            of each bank, versions, and the results of 'doctor' and 'audit verify'. It has no secret and names no \
            cardholder. It needs the vault, as 'doctor' does. The exit status is 1 if 'doctor' finds an error, or the \
            audit trail has a fault; the files are written all the same.

            EXAMPLE
              card-companion evidence --out evidence-2026-12
            """)

    @Option(help: "The folder for evidence.json and evidence.html. It is created, and must not be there yet.")
    var out: String
    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let evidence = try await Installation.examined(self) { installation, settings in
            try await installation.checkSchema()
            let findings =
                settings.machineFindings() + (await settings.portFindings())
                + (try await installation.findings(settings))
            return try await Evidence(installation, settings, findings: findings)
        }
        let folder = try NewFolder.resolved(out)
        let files = [
            ("evidence.json", try Terminal.encode(evidence) + "\n"),
            ("evidence.html", EvidencePage(evidence: evidence).html),
        ]
        try await NewFolder.fill(folder) { draft in
            for (name, text) in files { try OutputFile.write(text, to: "\(draft)/\(name)") }
        }
        let paths = files.map { "\(folder)/\($0.0)" }
        try Terminal.show(
            "wrote \(paths.joined(separator: " and "))", json: ["json": paths[0], "page": paths[1]], asJSON: output.json
        )
        let (errors, faults) = (evidence.doctor.errors, evidence.audit.faultCount)
        guard errors == 0, faults == 0 else {
            throw CommandError.refused(
                "the evidence was written, and it has \(Self.count(errors, "error")) of 'doctor' and \(Self.count(faults, "fault")) of the "
                    + "audit trail: look at \(paths[1])")
        }
    }

    private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}
