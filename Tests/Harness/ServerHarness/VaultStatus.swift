internal import Foundation

/// What `vault status --json` shows.
package struct VaultStatus: Decodable {
    package struct MasterKey: Decodable {
        package let id: String
        package let kind: String
        package let name: String
        package let status: String
        package let wrapped: Int
        package let servers: Int
    }

    package struct DataKey: Decodable {
        package let id: Int
        package let status: String
        package let masterKeys: [String]
    }

    /// How far the servers have come in a column that they seal with a new data key.
    package struct Column: Decodable {
        package let column: String
        package let status: String
        package let afterRow: String?
    }

    package let masterKeys: [MasterKey]
    package let keys: [DataKey]
    package let columns: [Column]
    package let warnings: [String]

    package static func of(_ installation: TestInstallation) async throws -> VaultStatus {
        let json = try await installation.run(["vault", "status", "--json"]).succeeded().stdout
        return try JSONDecoder().decode(VaultStatus.self, from: Data(json.utf8))
    }
}

extension TestInstallation {
    /// Waits until the servers have sealed all values anew, after a rotation whose data keys are in use.
    package func untilResealed() async throws {
        // Servers load new keys each 10 seconds.
        try await eventually("all values are sealed anew", within: 180) {
            let columns = try await VaultStatus.of(self).columns
            return !columns.isEmpty && columns.allSatisfy { $0.status == "finished" }
        }
    }
}
