import ServerHarness

/// What the verification of a document costs, from the app's first message to the cardholder's pass, next to its cryptography
/// alone.
struct VerificationFigures: Codable {
    let sessionsPerSecond: Double
    /// Of the server, per verification.
    let serverMicroseconds: Double
    /// Of the primitives of one verification.
    let cryptographyMicroseconds: Double
    let postgresMicroseconds: Double
    /// Of the rules alone, in a loop, without chip authentication; and of their primitives.
    let loopMicroseconds: Double
    let loopCryptographyMicroseconds: Double

    var ratio: Double { serverMicroseconds / cryptographyMicroseconds }
    var loopRatio: Double { loopMicroseconds / loopCryptographyMicroseconds }

    /// How many are verified at most: some before, and then those that are measured.
    private static let (warmUpLimit, countLimit) = (100, 2_000)
    private static let sessionsAtOnce = 30

    static func measure(
        _ service: BenchService, primitives: [String: Double]
    ) async throws -> VerificationFigures {
        let warmUpCount = min(warmUpLimit, service.cardholderCount / 2)
        let count = min(countLimit, service.cardholderCount - warmUpCount)
        let sessions = try await DocumentSessions(of: service)
        try await sessions.play(try await sessions.requestChecks(0..<warmUpCount), atOnce: sessionsAtOnce)
        let checks = try await sessions.requestChecks(warmUpCount..<warmUpCount + count)
        func used() -> (server: Double, postgres: Double) {
            (
                ProcessTimes.seconds(of: service.server.processID),
                ProcessTimes.secondsWithChildren(of: service.postmaster)
            )
        }
        let (before, start) = (used(), Nanoseconds.now())
        try await sessions.play(checks, atOnce: sessionsAtOnce)
        let (seconds, after) = (Double(Nanoseconds.now() - start) / 1e9, used())
        let scale = 1e6 / Double(count)
        func sum(_ list: [Primitive]) -> Double { list.map { primitives[$0.rawValue] ?? 0 }.reduce(0, +) }
        return VerificationFigures(
            sessionsPerSecond: Double(count) / seconds, serverMicroseconds: (after.server - before.server) * scale,
            cryptographyMicroseconds: sum(Primitive.ofVerification + [.agreeP256]),
            postgresMicroseconds: (after.postgres - before.postgres) * scale,
            loopMicroseconds: try sessions.loop.microseconds(),
            loopCryptographyMicroseconds: sum(Primitive.ofVerification))
    }
}

extension Primitive {
    /// The document signer's signature and its certificate's, the chip's answer to the challenge, and the hashes of the files.
    static let ofVerification: [Primitive] = [.verifyBrainpool256, .verifyBrainpool384, .verifyP256, .hashDocument]
}
