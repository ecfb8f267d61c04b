/// What housekeeping removes or reports. Each kind is treated in small batches, each in a transaction of its own.
package enum ExpiredKind: CaseIterable, Sendable {
    /// PINs whose delivery was not confirmed within their bank's time.
    case pins
    case sessions
    /// Definition ids, hashMacs, keypads and nonces whose time windows have ended.
    case proofs
    /// Answers to calls with an Idempotency-Key.
    case answers
    /// Staged lines of imports that never ended.
    case importLines
    case events
    /// Components of keys whose import was not finished in time.
    case keyImports
    /// Changes that no second operator has approved in time.
    case proposedChanges
    /// Checks of documents that did not pass in time.
    case identityChecks
    /// Passes that were not used in time.
    case identityPasses
    /// Counts of exports on earlier days.
    case exportCounts
    /// Private keys of the server that were retired: they are erased.
    case serverKeys
    /// Certificates that expire soon: their banks get an event, 30, 7 and 1 days before.
    case certificates
    /// Revocation lists that expire soon, or have expired: their banks get an event 2 days before, 1 day before, and when
    /// they expire.
    case revocationLists
}
