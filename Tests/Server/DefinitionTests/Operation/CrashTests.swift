import ServerHarness
import Testing

/// Kills the server repeatedly at random times while cardholders define PINs.
@Suite("Server crash during definitions", .serialized)
struct CrashTests {
    private static let holderCount = 12
    private static let roundCount = 5
    /// Per cardholder and round, so that all rounds together stay below the daily limit.
    private static let definitionLimit = 18

    /// What the app knows about the cardholder's PIN.
    private struct Known {
        let holder: TestCardholder
        var attempted = 0
        var answered = 0
        /// The possible lengths of the PIN: those of the last answered definition and of all later attempts.
        var lengths: Set<Int> = [4]
    }

    @Test("After a crash each PIN is complete, and no definition that was answered 0 is lost")
    func kills() async throws {
        let service = try await Service()
        var known: [Known] = []
        for _ in 0..<Self.holderCount { known.append(Known(holder: try await service.holder())) }
        try await service.server.stop()
        for number in 0..<Self.roundCount { known = try await round(service, known, waits: number % 2 == 0) }
        #expect(known.reduce(0) { $0 + $1.answered } > 0)

        let server = try await service.installation.startServer()
        for known in known {
            let serial = try #require(Int(try await service.row("pin_serial", of: known.holder)))
            #expect(known.answered...known.attempted ~= serial - 1)
            let length = try #require(try await service.fetch(known.holder, through: server).length)
            #expect(known.lengths.contains(length), "\(length) of \(known.lengths)")
        }
        try await server.stop()
    }

    /// All cardholders define PINs at the same time until the server is killed.
    private func round(_ service: Service, _ known: [Known], waits: Bool) async throws -> [Known] {
        let server = try await service.installation.startServer()
        let (answered, notice) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        async let defined = defineAll(service, known, through: server) {
            notice.yield()
        } onEnd: {
            notice.finish()
        }
        // On a loaded machine the first one takes long. Every other server can be killed before it.
        if waits { for await _ in answered.prefix(1) {} }
        try await Task.sleep(for: .milliseconds(.random(in: 50...900)))
        try await server.kill9()
        return await defined
    }

    private func defineAll(
        _ service: Service, _ known: [Known], through server: TestServer,
        onAnswered: @escaping @Sendable () -> Void, onEnd: () -> Void
    ) async -> [Known] {
        defer { onEnd() }
        return await withTaskGroup(of: Known.self) { group in
            for known in known {
                group.addTask { await define(service, known, through: server, onAnswered: onAnswered) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Defines PINs one after the other, each with another length than the one before, until the server is gone.
    private func define(
        _ service: Service, _ known: Known, through server: TestServer, onAnswered: () -> Void
    ) async -> Known {
        var known = known
        for place in 0..<Self.definitionLimit {
            let length = 4 + place % 3
            let pin = String((0..<length).map { _ in "0123456789".randomElement() ?? "0" })
            let call = DefinitionCall.definitions[place % 3]
            do {
                let attempt = try await service.defining(pin, call, known.holder, through: server)
                known.attempted += 1
                known.lengths.insert(length)
                #expect(try await service.code(attempt, through: server) == 0)
                known.answered += 1
                onAnswered()
                known.lengths = [length]
            } catch {
                return known
            }
        }
        return known
    }
}
