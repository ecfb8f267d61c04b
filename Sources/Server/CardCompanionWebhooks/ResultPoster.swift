package import CardCompanion
internal import CardCompanionModel
internal import NIOPosix
internal import NIOSSL
internal import SecureMemory
internal import ServiceLifecycle

/// Posts results of document verifications to banks' result servers (document 003, "Result").
///
/// A result is posted once, and up to three times again if there was no answer, or one of 408, 429 and 5xx.
package final class ResultPoster: ResultPosting, Service, CustomStringConvertible {
    static let retryLimit = 3
    /// How long a result server can take for an answer (document 003, "Result").
    package static let usualTimeoutSeconds = 3
    static let pause = Duration.milliseconds(500)
    /// How many name servers are queried at once.
    static let lookupLimit = 8

    /// Its name in the log.
    package let description = "result poster"

    private let keys: ServerKeys
    private let clock: WallClock
    private let timeoutSeconds: Int
    private let trustedCAs: [NIOSSLCertificate]?
    private let lookups = NIOThreadPool(numberOfThreads: lookupLimit)

    /// - Parameter caPath: PEM file of the roots for banks' certificates; nil for the system's.
    /// - Throws: if the file cannot be read.
    package init(
        keys: ServerKeys, clock: WallClock, timeoutSeconds: Int = usualTimeoutSeconds, caPath: String? = nil
    ) throws {
        trustedCAs = try caPath.map { try NIOSSLCertificate.fromPEMFile($0) }
        self.keys = keys
        self.clock = clock
        self.timeoutSeconds = timeoutSeconds
    }

    /// Has its threads while the server runs.
    package func run() async throws {
        lookups.start()
        try? await gracefulShutdown()
        try await lookups.shutdownGracefully()
    }

    package func post(
        _ message: ResultMessage, to server: ResultServer, while isWanted: @Sendable () async throws -> Bool
    ) async throws(ResultNotPosted) {
        let body = message.body.bytes.withBytes { Array($0) }
        var problem = ""
        for attempt in 0...Self.retryLimit {
            if attempt > 0 {
                try? await Task.sleep(for: Self.pause)
                guard let isWanted = try? await isWanted() else {
                    problem = "the database does not say whether its client is still active"
                    continue
                }
                guard isWanted else { throw .notWanted }
            }
            switch await self.attempt(body, message.contentType, server) {
            case .status(200...299): return
            case .status(let code):
                problem = "HTTP status \(code)"
                guard code == 408 || code == 429 || code >= 500 else { throw .failed(problem) }
            case .problem(let text): problem = text
            }
        }
        throw .failed(problem)
    }

    /// Looks up the host each time: if one of its addresses is dead, another attempt finds another.
    private func attempt(_ body: [UInt8], _ contentType: String, _ server: ResultServer) async -> BankServer.Answer {
        do {
            let client = try await BankServer(
                server.url, isPrivate: server.isPrivate, timeoutSeconds: Int64(timeoutSeconds), keys: keys,
                clock: clock, lookups: lookups,
                trustedCAs: trustedCAs)
            let answer = await client.post(body, contentType: contentType)
            try? await client.close()
            return answer
        } catch {
            return .problem("\(error)")
        }
    }
}
