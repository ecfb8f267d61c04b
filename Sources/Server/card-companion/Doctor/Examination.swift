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
            return here + [.ok("database", "no installation yet: 'card-companion serve' creates one")]
        }
        return here + (await installationFindings())
    }

    /// What needs the database. The vault is not opened if the database is of no use.
    private func installationFindings() async -> [Finding] {
        do {
            return try await Installation.examined(self) { installation, settings in
                let database = await installation.databaseFindings(settings)
                guard !database.contains(where: { $0.level == .error }) else { return database }
                return database + (await installation.vaultFindings()) + (try await installation.bankFindings())
            }
        } catch {
            return [.error("database", error)]
        }
    }
}
