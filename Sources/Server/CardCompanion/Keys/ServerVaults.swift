package import CardCompanionModel
internal import CardCompanionStore
internal import Logging

/// The reports of running servers: which master key and which version of the inventory each of them uses.
package enum ServerVaults {
    /// How long after its last report a server counts as running.
    package static let lifetimeSeconds: Int64 = 60

    /// The time of the oldest report of a running server.
    package static func limit(_ now: Timestamp) -> Timestamp { now.advanced(bySeconds: -lifetimeSeconds) }
}

extension DataKeys {
    /// Reports a server, and removes the wrappings of replaced master keys that no running server needs.
    func reportServer(_ serverId: String, named serverName: String, uses masterKeyId: String, logger: Logger) async {
        let now = clock.now()
        do {
            try await store.reportServerVault(
                ServerVaultRecord(
                    serverId: serverId, serverName: serverName, masterKeyId: masterKeyId,
                    inventoryVersion: inventory.known?.version ?? 0, seenAt: now),
                forgettingBefore: ServerVaults.limit(now))
            let count = try await store.deleteReplacedWrappings(seenSince: ServerVaults.limit(now))
            if count > 0 {
                logger.notice(
                    "All servers use the new master key; the old wrappings are removed",
                    metadata: ["master_key": "\(masterKeyId)", "wrappings": "\(count)"])
            }
        } catch {
            logger.warning("The server could not report which master key it uses", metadata: ["error": "\(error)"])
        }
    }

    /// Reports that a server stops.
    func forgetServer(_ serverId: String, logger: Logger) async {
        do {
            try await store.deleteServerVault(serverId: serverId)
        } catch {
            logger.warning("The server could not be taken off the list", metadata: ["error": "\(error)"])
        }
    }
}
