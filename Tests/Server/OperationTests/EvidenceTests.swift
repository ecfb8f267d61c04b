import Foundation
import ServerHarness
import Testing

@Suite("Evidence for a bank and its supervisor")
struct EvidenceTests {
    private struct Evidence: Decodable {
        struct Entry: Decodable {
            let kind: String
            let owner: String
            let name: String
            let use: String
            let algorithm: String
            let identifier: String?
            let place: String
            let status: String
            let to: String?
            let approvedBy: [String]
        }

        struct Bank: Decodable {
            struct Settings: Decodable {
                let id: String
                let retryLimit: Int
            }

            let settings: Settings
        }

        struct Audit: Decodable {
            let entries: Int
            let faultCount: Int
        }

        struct Doctor: Decodable {
            let errors: Int
        }

        let version: String
        let inventory: String?
        let register: [Entry]
        let banks: [Bank]
        let audit: Audit
        let doctor: Doctor

        func entry(_ owner: String, _ name: String) -> Entry? {
            register.first { $0.owner == owner && $0.name == name }
        }
    }

    @Test("It has every key and certificate, the settings, and what doctor and audit verify say, and no secret")
    func whole() async throws {
        let installation = try await TestInstallation()
        let id = Unique.name("<bank>")
        try await installation.run(["bank", "add", id, "--scheme", "PCI-CPP", "--retry-limit", "4"]).succeeded()
        // Each sign makes one Character with the scalar beside it.
        try await installation.run(["bank", "set", id, "--name", "Good\u{600}<!-- \u{600}\"&\u{301}"]).succeeded()
        let secret = "8f3c17a9d2e45b60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8"
        let file = try TestFolder.shared.write(secret, named: "hmac.hex")
        try await installation.run([
            "key", "import-hmac", "--bank", id, "--usage", "distribution", "--label", "hmac 1", "--hex-file", file,
        ]).succeeded()
        let tls = try await TestCertificate()
        let folder = TestFolder.shared.unused("evidence")
        let command = [
            "evidence", "--out", folder, "--http-tls-certificate", tls.certificate, "--http-tls-key", tls.key,
            "--http-port", "0",
        ]
        let result = try await installation.run(command)
        let text = try String(contentsOfFile: "\(folder)/evidence.json", encoding: .utf8)
        let evidence = try JSONDecoder().decode(Evidence.self, from: Data(text.utf8))
        #expect(result.status == (evidence.doctor.errors == 0 ? 0 : 1), "\(result)")
        #expect(evidence.version == "0.2.0" && evidence.inventory != nil)

        let key = try #require(evidence.entry(id, "hmac 1"))
        #expect(key.kind == "key" && key.use == "distribution" && key.algorithm == "hmac" && key.status == "ACTIVE")
        #expect(key.identifier?.isEmpty == false && key.approvedBy.isEmpty)
        let certificate = try #require(evidence.entry("server", tls.certificate))
        #expect(certificate.use == "TLS" && certificate.algorithm == "EC" && certificate.to?.contains("T") == true)
        #expect(evidence.register.count { $0.use.hasPrefix("data key: ") } == 7)
        #expect(evidence.register.count { $0.use.hasPrefix("master key") } == 1)
        #expect(evidence.register.count { $0.use.hasPrefix("opens what") } == 2)
        #expect(evidence.banks.map(\.settings).first { $0.id == id }?.retryLimit == 4)
        #expect(evidence.audit.entries > 0 && evidence.audit.faultCount == 0)

        let page = try String(contentsOfFile: "\(folder)/evidence.html", encoding: .utf8)
        #expect(page.contains("hmac 1") && page.contains(id.replacing("<", with: "&lt;").replacing(">", with: "&gt;")))
        #expect(!page.contains(id), "a name of a bank must not be HTML")
        #expect(page.contains("Good\\u{600}&lt;!-- \\u{600}&quot;&amp;\u{301}"), "\(page)")
        for written in [text, page, result.stdout, result.stderr] {
            #expect(!written.contains(secret) && !written.contains("PRIVATE KEY"))
        }
        let again = try await installation.run(command)
        #expect(again.status == 1 && again.stderr.contains("is there already: name another folder"))
    }

    @Test("Its status is 1 if the audit trail has a fault, and the files are there")
    func fault() async throws {
        let installation = try await TestInstallation()
        try await installation.run(["bank", "add", "BANK", "--scheme", "CB"]).succeeded()
        try await installation.startServer().stop()
        try await installation.attack("DELETE FROM audit_entry WHERE operation = 'bank add'")
        let folder = TestFolder.shared.unused("evidence")
        let result = try await installation.run(["evidence", "--out", folder, "--http-port", "0"])
        #expect(result.status == 1 && result.stderr.contains("of the audit trail: look at \(folder)"), "\(result)")
        let data = try Data(contentsOf: URL(filePath: "\(folder)/evidence.json"))
        let evidence = try JSONDecoder().decode(Evidence.self, from: data)
        #expect(evidence.audit.faultCount > 0)
    }
}
