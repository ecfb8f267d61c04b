import Administration
import CardCompanionServer
import Foundation

extension ServerCommand {
    /// Looks at everything that a server with these settings needs.
    func findings() async throws -> [Finding] {
        let environment = ProcessInfo.processInfo.environment
        var reader = await SettingsReader(self, environment: environment)
        let settings = ServerSettings(&reader, environment: environment)
        guard reader.problems.isEmpty else { return reader.problems.map { .error("configuration", $0) } }
        let here: [Finding] =
            [.ok("configuration", "all settings can be read")] + settings.machineFindings()
            + (await settings.portFindings())
        guard !settings.isNew else {
            let first =
                settings.vault.token == nil
                ? "'card-companion serve' makes one"
                : "run 'card-companion migrate' and 'card-companion vault init'"
            return here + [.ok("database", "no installation yet: \(first)")]
        }
        return here + (await installationFindings())
    }

    private func installationFindings() async -> [Finding] {
        do {
            return try await Installation.examined(self) { try await $0.findings($1) }
        } catch {
            return [.error("database", error)]
        }
    }
}

extension Installation {
    /// Looks at the database and what is in it. The vault is not opened if the database is of no use.
    func findings(_ settings: ServerSettings) async throws -> [Finding] {
        let database = await databaseFindings(settings)
        guard !database.contains(where: { $0.level == .error }) else { return database }
        return database + (await vaultFindings()) + (try await bankFindings())
    }
}
