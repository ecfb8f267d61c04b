import Crypto
import CryptoExtras
import Foundation
import ServerHarness
import Synchronization

/// The server that is measured, its bank and its cardholders.
struct BenchService: Sendable {
    let installation: TestInstallation
    private(set) var server: TestServer
    /// Whether clients must use TLS.
    private(set) var usesTLS = false
    /// Nil: the server connects to PostgreSQL itself.
    let pooler: Pgbouncer?
    private(set) var bank: TestBank
    private(set) var issuer: TestIssuer
    let ecKey: SealingKey
    let rsaKeyId: String
    let rsaKey: RSAKeyText
    /// The bank's key that defined PINs are sealed to.
    let cardholderCount: Int
    /// The process that is the parent of all of PostgreSQL's.
    let postmaster: Int32
    /// The number of cardholders that were imported per second.
    let importRate: Double
    /// Makes requests and opens deliveries.
    let app: TestApp
    let timestamps = UnusedTimestamps()

    /// A public RSA key as text, because the key's type is not `Sendable`.
    struct RSAKeyText: Sendable {
        let modulus: [UInt8]
        let exponent: [UInt8]

        var key: _RSA.Encryption.PublicKey { get throws { try .init(n: modulus, e: exponent) } }
    }

    static let code = "Code4711"

    /// Requests are prepared before they are sent, so the bank takes timestamps of the last hour.
    private static let bankSettings = [
        "--timestamp-tolerance", "3600", "--fetch-limit", "100", "--definitions-per-day", "100", "--weak-pin-rules",
        "none", "--retention", "keep-repeat", "--reminders", "true", "--defined-pins", "deliver",
    ]
    private static let environment = [
        "LOG_LEVEL": "notice", "HTTP_NAMES": RequestBatch.host, "CARDHOLDER_REQUESTS": "1000",
        "HTTP_ADDRESS_RATE": "1000000", "HTTP_ADDRESS_BURST": "1000000", "HTTP_ADDRESS_CONNECTIONS": "2000",
    ]

    /// Starts PostgreSQL and the server, and imports the cardholders.
    ///
    /// - Parameters:
    ///   - pooling: the mode of a pgbouncer in between; nil for none.
    ///   - environment: further settings of the server.
    init(
        cardholderCount: Int, pooling: Pgbouncer.Mode? = nil, environment: [String: String] = [:], log: (String) -> Void
    ) async throws {
        self.cardholderCount = cardholderCount
        app = try TestApp()
        log("starting PostgreSQL and the server")
        installation = try await TestInstallation()
        pooler = try await Self.startPooler(pooling, installation)
        server = try await Self.startServer(installation, pooler, environment)
        bank = try await installation.makeBank(Self.bankSettings)
        issuer = try await installation.makeIssuer(for: bank)
        _ = try await installation.importEncryptionCertificate(into: bank, alias: "encryption")
        ecKey = try await server.sealingKey()
        let keys = try await server.request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        let rsa = keys.compactMap(\.object).first { $0["kty"] == "RSA" } ?? [:]
        rsaKeyId = rsa["kid"]?.string ?? ""
        rsaKey = RSAKeyText(
            modulus: rsa["n"]?.string.flatMap(Base64URL.decode) ?? [],
            exponent: rsa["e"]?.string.flatMap(Base64URL.decode) ?? [])
        guard let postmaster = ProcessTimes.process(named: "postgres", whoseCommandContains: TestFolder.shared.path)
        else {
            throw LoadFailed(description: "PostgreSQL's first process was not found")
        }
        self.postmaster = postmaster
        try Self.delayCheckpoints(of: postmaster)
        log("preparing \(cardholderCount) cardholders")
        let file = try await Self.importFile(cardholderCount, bank.id, ecKey)
        log("importing them")
        let start = Nanoseconds.now()
        try await Self.importCardholders(file, of: bank, into: installation)
        importRate = Double(cardholderCount) * 1e9 / Double(Nanoseconds.now() - start)
    }

    private static func importCardholders(
        _ file: String, of bank: TestBank, into installation: TestInstallation
    ) async throws {
        try await installation.run(["cardholder", "import", "--bank", bank.id, file]).succeeded()
        try await installation.sql("ANALYZE cardholder")
    }

    /// Another bank of the same installation, with as many cardholders.
    func neighbour() async throws -> BenchService {
        var other = self
        other.bank = try await installation.makeBank(Self.bankSettings)
        other.issuer = try await installation.makeIssuer(for: other.bank)
        _ = try await installation.importEncryptionCertificate(into: other.bank, alias: "encryption")
        let file = try await Self.importFile(cardholderCount, other.bank.id, ecKey)
        try await Self.importCardholders(file, of: other.bank, into: installation)
        return other
    }

    /// The same, with a server that wants TLS.
    func withTLS(environment: [String: String]) async throws -> BenchService {
        let certificate = try await TLSConnections.makeCertificate()
        try await server.stop()
        var other = served(by: try await startServer(environment: environment.merging(certificate.environment) { $1 }))
        other.usesTLS = true
        return other
    }

    /// What sends requests to the server.
    func generator(_ connectionCount: Int) -> LoadGenerator {
        LoadGenerator(port: server.port, connectionCount: connectionCount, usesTLS: usesTLS)
    }

    /// The same bank, at another server of the installation.
    func served(by server: TestServer) -> BenchService {
        var other = self
        other.server = server
        return other
    }

    /// Another server of the same installation.
    func startServer(environment: [String: String] = [:]) async throws -> TestServer {
        try await Self.startServer(installation, pooler, environment)
    }

    private static func startServer(
        _ installation: TestInstallation, _ pooler: Pgbouncer?, _ more: [String: String] = [:]
    ) async throws -> TestServer {
        let environment = environment.merging(pooler?.environment ?? [:]) { $1 }.merging(more) { $1 }
        return try await installation.startServer(environment: environment)
    }

    /// After a checkpoint, the first change of each page writes the whole page. How many requests pay for that depends on when
    /// the checkpoint is, so none comes while something is measured.
    private static func delayCheckpoints(of postmaster: Int32) throws {
        let folder = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(postmaster)/cwd")
        let file = try FileHandle(forWritingTo: URL(filePath: "\(folder)/postgresql.auto.conf"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("max_wal_size = '32GB'\ncheckpoint_timeout = '1h'\n".utf8))
        try file.close()
        guard kill(postmaster, SIGHUP) == 0 else { throw LoadFailed(description: "PostgreSQL got no SIGHUP") }
    }

    private static func startPooler(
        _ mode: Pgbouncer.Mode?, _ installation: TestInstallation
    ) async throws -> Pgbouncer? {
        guard let mode else { return nil }
        try await Pgbouncer.prepare(installation)
        // In session mode each connection of each server has one; in transaction mode the servers share them.
        return try await Pgbouncer(mode, inFrontOf: installation, sessions: mode == .session ? 64 : 8)
    }

    static func uniqueId(_ number: Int) -> String { "h\(1_000_000 + number)" }

    func cardholder(_ number: Int) -> TestCardholder {
        TestCardholder(Self.uniqueId(number % cardholderCount), code: Self.code)
    }

    static func importFile(_ count: Int, _ bankId: String, _ key: SealingKey) async throws -> String {
        let path = TestFolder.shared.unused("cardholders.ndjson")
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try await inParallel(count) { range in
            try range.map { number in
                try TestCardholder(uniqueId(number), code: code).line(sealedTo: key, of: bankId) + "\n"
            }.joined()
        } then: { text in
            try file.write(contentsOf: Data(text.utf8))
        }
        try file.close()
        return path
    }
}

/// Gives a cardholder each second at most once, because a hashMac can be used once.
final class UnusedTimestamps: Sendable {
    private let start = TestBank.timestamp()
    private let used = Mutex<[String: Int]>([:])

    /// In Unix seconds; before the start.
    func next(of uniqueId: String) -> Int {
        used.withLock { used in
            used[uniqueId, default: 0] += 1
            return start - used[uniqueId, default: 0]
        }
    }
}

/// Makes parts of a whole on all processors, and handles them in their order.
func inParallel<Part: Sendable>(
    _ count: Int, _ make: @escaping @Sendable (Range<Int>) throws -> Part, then handle: (Part) throws -> Void
) async throws {
    let width = ProcessInfo.processInfo.activeProcessorCount
    let step = max(1, min(2000, (count + width - 1) / width))
    for start in stride(from: 0, to: count, by: step * width) {
        let ranges = (0..<width).map { place in
            min(count, start + place * step)..<min(count, start + (place + 1) * step)
        }
        let parts = try await withThrowingTaskGroup(of: (Int, Part).self) { group in
            for (place, range) in ranges.enumerated() { group.addTask { (place, try make(range)) } }
            return try await group.reduce(into: [(Int, Part)]()) { $0.append($1) }.sorted { $0.0 < $1.0 }
        }
        for (_, part) in parts { try handle(part) }
    }
}
