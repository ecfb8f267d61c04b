internal import Administration
package import CardCompanion
internal import CardCompanionHTTP
internal import CardCompanionWebhooks
internal import PINImages

/// What requests ask for.
package struct ServerOperations {
    package let identityChecks: IdentityChecks
    package let documents: DocumentService
    let distribution: DistributionService
    let definition: DefinitionService
    let issuing: IssuingParts
    let results: ResultPoster
    let refusals: RefusalCounts
    let admission: Admission
    let drawingThreads: DrawingThreads

    /// - Throws: an error if the images' font or the webhooks' roots cannot be read.
    init(_ core: ServerCore) throws {
        let settings = core.settings
        let (store, clock, logger) = (core.installation.store, core.installation.clock, core.installation.logger)
        let (keyring, keys, countedObjects, banks) = (core.keyring, core.keys, core.countedObjects, core.banks)
        let gate = CardholderGate(limit: settings.cardholderRequests)
        refusals = RefusalCounts(store: store, clock: clock, logger: logger)
        admission = Admission(least: settings.requests, bankRate: settings.bankRate, logger: logger)
        drawingThreads = DrawingThreads(count: settings.drawingThreads)
        distribution = DistributionService(
            store: store, keyring: keyring, banks: banks, renderer: try PINImageRenderer(),
            drawing: DrawingPool(drawingThreads, threadCount: settings.drawingThreads), gate: gate)
        definition = DefinitionService(store: store, keyring: keyring, serverKeys: keys, banks: banks, gate: gate)
        identityChecks = IdentityChecks(store: store, keyring: keyring, clock: clock)
        issuing = IssuingParts(
            authentication: IssuerAuthentication(
                store: store, keyring: keyring, countedObjects: countedObjects, clock: clock, lookUps: core.lookUps),
            service: IssuerService(
                store: store, keyring: keyring, serverKeys: keys, countedObjects: countedObjects, clock: clock),
            idempotentCalls: IdempotentCalls(store: store, keyring: keyring, clock: clock),
            events: EventFeed(store: store, keys: keys, clock: clock), identityChecks: identityChecks,
            exports: PINExports(
                store: store, keyring: keyring, serverKeys: keys, countedObjects: countedObjects, clock: clock),
            definedPINReports: DefinedPINReports(store: store, keyring: keyring, clock: clock))
        results = try ResultPoster(
            keys: keys, clock: clock, timeoutSeconds: settings.resultsTimeoutSeconds, caPath: settings.webhooksCAPath)
        documents = DocumentService(
            store: store, keyring: keyring, banks: banks, countedObjects: countedObjects, results: results,
            databaseLimit: settings.http.databaseLimit, lookUps: core.lookUps, clock: clock,
            clockWatch: core.clockWatch, logger: logger)
    }
}
