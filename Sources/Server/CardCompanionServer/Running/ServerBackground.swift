internal import Administration
internal import CardCompanion
internal import CardCompanionWebhooks
internal import KeyVault
internal import ServiceLifecycle

extension ServerCore {
    /// What runs beside the requests: watches, housekeeping, webhooks, and seals of the audit trail.
    ///
    /// - Throws: an error if the webhooks' roots cannot be read.
    func background(_ operations: ServerOperations) throws -> [any Service] {
        let (store, clock, logger) = (installation.store, installation.clock, installation.logger)
        var services: [any Service] = [
            vaultWatch, operations.refusals,
            Housekeeping(
                store: store, clock: clock, clockWatch: clockWatch,
                intervalSeconds: settings.housekeepingIntervalSeconds, logger: logger),
            KeyRefresh(dataKeys: dataKeys, keyring: keyring, vault: vaultWatch, clock: clock, logger: logger),
            Resealing(
                store: store, keyring: keyring, clock: clock, intervalSeconds: settings.housekeepingIntervalSeconds,
                logger: logger),
            clockWatch, SecureHeapWatch(logger: logger),
            try WebhookDispatcher(
                store: store, countedObjects: countedObjects, keys: keys, clock: clock, clockWatch: clockWatch,
                caPath: settings.webhooksCAPath, logger: logger),
            operations.results,
        ]
        if let token = vault as? TokenVault {
            services.append(
                UnsealSocket(path: settings.vault.socket, vault: token, watch: vaultWatch, logger: logger))
        }
        services.append(
            AuditSealing(seals: seals, store: store, clock: clock, logger: logger) { [vaultWatch] in vaultWatch.isOpen }
        )
        return services
    }
}
