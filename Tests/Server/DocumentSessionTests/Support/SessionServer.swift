import Administration
import CardCompanion
import DocumentValidation
import DocumentValidationClient
import DocumentValidationSimulation
import EMRTD
import EMRTDSimulation
import Foundation
import Hummingbird
import Logging
import NIOSSL
import PythonOracle
import SecureMemory
import ServerHarness
import ServiceLifecycle
import StrictJSON

@testable import CardCompanionHTTP

/// A server in this process, with the real connections and the end point of sessions.
struct SessionServer: Sendable {
    let port: Int
    let service: TestService
    let issuer: SimulatedIssuer
    let draining: Draining
    let logs: TestLog
    /// Stops the server, as a service group does.
    let stop: @Sendable () async -> Void

    /// Runs a server while `body` runs.
    static func run(
        certificate: TestCertificate? = nil, _ change: (inout HTTPSettings) -> Void = { _ in },
        _ body: @escaping @Sendable (SessionServer) async throws -> Void
    ) async throws {
        let issuer = try SimulatedIssuer(at: TestService.now)
        let service = TestService(TrustAnchors([try SigningCertificate(Octets(copying: issuer.certificate))]))
        let (draining, logs) = (Draining(), TestLog())
        let logger = Logger(label: "test") { _ in logs.handler }
        let files = certificate.map { TLSFiles(certificateChainPath: $0.certificate, privateKeyPath: $0.key) }
        var settings = HTTPSettings(host: "127.0.0.1", port: 0, tls: files)
        // A busy machine takes its time to start a client.
        settings.documentSessions.times.start = .seconds(120)
        settings.documentSessions.times.admission = .seconds(120)
        settings.documentSessions.times.answer = .seconds(120)
        settings.documentSessions.times.session = .seconds(900)
        // A client that is still sending reads the close frame only afterwards. If the server did not wait for it, that frame would be lost.
        settings.documentSessions.closeLimit = .seconds(120)
        change(&settings)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router(service, settings, draining, logger),
            server: .connections(
                settings, try files.map { try TLSCertificates($0, clock: .system, logger: logger) }, draining,
                Admission(least: Admission.usualLeast, bankRate: nil, logger: logger), logger),
            configuration: .init(address: .hostname(settings.host, port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let group = ServiceGroup(configuration: .init(services: [.init(service: application)], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var failure: (any Error)?
            for await number in ports {
                let server = SessionServer(
                    port: number, service: service, issuer: issuer, draining: draining, logs: logs,
                    stop: { await group.triggerGracefulShutdown() })
                do { try await body(server) } catch { failure = error }
                break
            }
            service.gate.open()
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            if let failure { throw failure }
        }
    }

    private static func router(
        _ service: TestService, _ settings: HTTPSettings, _ draining: Draining, _ logger: Logger
    ) -> Router<ServiceContext> {
        let callers = CallerLimits(settings.addressRate, proxies: settings.proxies, logger: logger)
        let documents = DocumentSessionRoutes(
            sessions: DocumentSessions(
                service, settings.documentSessions, callers, proxies: settings.proxies, draining, logger))
        func addRoutes(to router: Router<ServiceContext>) {
            documents.add(to: router)
            router.get("/health/live") { _, _ in try PublicRoutes.healthy }
            router.post("/echo") { request, _ in
                Response(status: .ok, body: ResponseBody(byteBuffer: try await request.body.collect(upTo: 1024)))
            }
        }
        let routes = Router(context: ServiceContext.self)
        addRoutes(to: routes)
        let router = Router(context: ServiceContext.self, options: [.autoGenerateHeadEndpoints])
        router.add(middleware: ServiceMiddleware(routes.routes, settings))
        addRoutes(to: router)
        return router
    }

    /// Speaks with a simulated app.
    func speak(
        _ connector: SimulatedConnector, roots: String? = nil, fields: [(String, String)] = []
    ) async throws -> ValidationClient.Outcome {
        let address = ServerAddress(isSecure: roots != nil, host: "127.0.0.1", port: port)
        return try await ValidationClient(address, roots: roots.map { .file($0) } ?? .default, fields: fields)
            .run(connector)
    }

    /// An app of ours that asks for a check.
    func connector(
        _ document: SimulatedDocument? = nil, validationId: String = "check", plan: SimulatedConnector.Plan = .init()
    ) throws -> SimulatedConnector {
        try SimulatedConnector(
            validationId: validationId, clientId: "client", document: document ?? issuer.issue(), plan: plan)
    }

    /// Asks Python. It blocks a thread of its own.
    func python(_ question: String, _ arguments: [String: String] = [:]) async throws -> [String: String] {
        let arguments = arguments.merging(["port": "\(port)"]) { $1 }
        return try await PythonOracle(script: "../Oracles/websocket_client.py").ask(question, arguments)
    }

    /// Lets Python's websockets do steps, and says how it went.
    func steps(_ steps: [Step], _ arguments: [String: String] = [:]) async throws -> Transcript {
        let texts = steps.map(\.json).joined(separator: ",")
        return try Transcript(await python("speak", arguments.merging(["steps": "[\(texts)]"]) { $1 }))
    }

    /// Every admission has been released exactly once, and none too early.
    func expectReleased(_ count: Int) async throws {
        try await eventually("the service is told that the session is over") {
            service.record.admitted == count && service.record.isReleased
        }
    }
}

/// What a client does.
enum Step {
    case text(String)
    case start(validationId: String = "check", clientId: String = "client", diagnostics: Bool = false)
    case finish(sendResult: Bool = false)
    case file(String, [UInt8])
    case binary([UInt8])
    case textFragments([String])
    case binaryFragments([[UInt8]])
    case ping(String)
    case receive(Int)
    case close(Int)
    case closeWith(Int, String)
    case drop

    static func start(as id: String) -> String {
        #"{"type":"START","validationId":"\#(id)","clientId":"client","platform":"android","#
            + #""nfcAdapterSupportsExtendedLength":true,"enableDiagnostics":false}"#
    }

    static func monitoring(_ text: String) -> Step {
        .text(#"{"type":"MONITORING","message":"\#(text)"}"#)
    }

    /// A client that hands over a channel with keys of AES.
    static func handOver(key: String = "AAECAwQFBgcICQoLDA0ODw==", block: Int = 224) -> Step {
        .text(
            #"{"type":"CA_HANDOVER","maxTransceiveLengthForSecureMessaging":256,"maxBlockSize":\#(block),"#
                + #""secureMessagingInfo":{"algorithm":"AES","encKey":"\#(key)","macKey":"\#(key)","ssc":0}}"#)
    }

    static func fileBytes(_ name: String, _ content: [UInt8]) -> [UInt8] {
        [1, UInt8(name.utf8.count)] + Array(name.utf8) + content
    }

    fileprivate var json: String {
        switch self {
        case .text(let text): #"{"text":\#(Self.quoted(text))}"#
        case .start(let validationId, let clientId, let diagnostics):
            Step.text(
                #"{"type":"START","validationId":"\#(validationId)","clientId":"\#(clientId)","platform":"iOS","#
                    + #""nfcAdapterSupportsExtendedLength":false,"enableDiagnostics":\#(diagnostics),"more":1}"#
            ).json
        case .finish(let sendResult): Step.text(#"{"type":"FINISH","sendResult":\#(sendResult)}"#).json
        case .file(let name, let content): Step.binary(Self.fileBytes(name, content)).json
        case .binary(let bytes): #"{"binary":"\#(hex(bytes))"}"#
        case .textFragments(let parts): #"{"textFragments":[\#(parts.map(Self.quoted).joined(separator: ","))]}"#
        case .binaryFragments(let parts):
            #"{"binaryFragments":[\#(parts.map { "\"\(hex($0))\"" }.joined(separator: ","))]}"#
        case .ping(let text): #"{"ping":\#(Self.quoted(text))}"#
        case .receive(let count): #"{"receive":\#(count)}"#
        case .close(let code): #"{"close":\#(code)}"#
        case .closeWith(let code, let reason): #"{"closeWith":[\#(code),\#(Self.quoted(reason))]}"#
        case .drop: #"{"drop":true}"#
        }
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }
}

/// What a client of Python's has got.
struct Transcript {
    /// The HTTP status of the opening.
    let status: String
    let retryAfter: String
    let extensions: String
    /// Texts, parsed.
    let texts: [JSONValue]
    let binaries: [String]
    /// The close frame's.
    let code: String
    let reason: String

    init(_ answer: [String: String]) throws {
        status = answer["status"] ?? ""
        retryAfter = answer["retryAfter"] ?? ""
        extensions = answer["extensions"] ?? ""
        let messages = try JSONDecoder().decode([[String: String]].self, from: Data((answer["messages"] ?? "[]").utf8))
        texts = try messages.compactMap { $0["text"] }.map { try JSONValue(parsing: Array($0.utf8)) }
        binaries = messages.compactMap { $0["binary"] }
        code = answer["code"] ?? ""
        reason = answer["reason"] ?? ""
    }

    /// Whether the session ended so, by the text CLOSE as the last message, and then by the close frame.
    func isClosed(_ code: Int, _ reason: String) -> Bool {
        guard let close = texts.last, close["type"] == .string("CLOSE") else { return false }
        return self.code == "\(code)" && self.reason == reason && close["reason"] == .string(reason)
            && close["code"] == .number("\(code)")
    }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
}
