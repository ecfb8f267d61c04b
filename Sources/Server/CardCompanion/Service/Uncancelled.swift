/// Does something to its end, also if the caller's task is cancelled. The caller waits for it.
package func uncancelled<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
    await Task { await work() }.value
}

/// As above, for work that can fail.
///
/// - Throws: what `work` throws.
package func uncancelled<Result: Sendable>(
    _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await Task { try await work() }.value
}
