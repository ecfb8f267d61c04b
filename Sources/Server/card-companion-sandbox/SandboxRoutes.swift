import CardCompanionHTTP
import HTTPTypes
import Hummingbird
import NIOCore
import SecureMemory

/// What the app asks the sandbox's bank for.
enum SandboxOperation: String, CaseIterable, Sendable {
    /// The timestamp and the IdTransaction of a proof to come, which the app needs to seal a PIN.
    case transaction = "/sandbox/bank/transaction"
    /// An HMAC for a fetch or a definition.
    case hashMac = "/sandbox/bank/hash-mac"
    /// A signed token.
    case token = "/sandbox/bank/token"
    /// Says whether wrong codes or unconfirmed fetches have locked a cardholder. A real bank gets an event.
    case lock = "/sandbox/bank/lock"
    /// Forgets wrong codes and unconfirmed fetches.
    case unlock = "/sandbox/bank/unlock"
    /// Marks a cardholder who cannot read the usual images.
    case accessibility = "/sandbox/bank/accessibility"
    /// Makes a check: a cardholder must show their made-up document.
    case identityCheck = "/sandbox/bank/identity-check"
    /// Says or changes whether the bank wants to see a document before each PIN.
    case identityRequirement = "/sandbox/bank/identity-requirement"
    /// Says whether terminals accept the PIN that a cardholder has defined last. A real app is told by its bank.
    case definedPIN = "/sandbox/bank/defined-pin"
    /// Plays a terminal at which a PIN is entered.
    case terminal = "/sandbox/terminal"
    /// Plays a phone that a made-up document is held to.
    case document = "/sandbox/phone/document"
    /// Which checks the server makes of a request.
    case explain = "/sandbox/explain"
}

/// The sandbox's bank does not do what it is asked for.
struct SandboxRefusal: Error {
    /// For people.
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// The pages of the sandbox, for browsers on the server's own machine only.
struct SandboxRoutes: AddedRoutes {
    let bank: SandboxBank

    func add(to router: Router<ServiceContext>) {
        let bank = bank
        for file in WebFile.sandbox + WebFile.documentation {
            router.get(RouterPath(file.path)) { request, context in
                try Self.requireOwnMachine(request, context)
                return Self.response(file.mediaType, ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
            }
        }
        router.get("/sandbox/bank") { request, context in
            try Self.requireOwnMachine(request, context)
            return Self.response(json: bank.bank())
        }
        for operation in SandboxOperation.allCases {
            router.post(RouterPath(operation.rawValue)) { request, context in
                try Self.requireOwnMachine(request, context)
                let body = try await RequestBodyReader.object(request)
                do {
                    return Self.response(json: try await bank.answer(operation, body))
                } catch let refusal as SandboxRefusal {
                    throw Problem(.unprocessableContent, refusal.reason)
                }
            }
        }
    }

    private static func requireOwnMachine(_ request: Request, _ context: ServiceContext) throws(Problem) {
        guard OwnMachine.isCaller(request, context) else {
            throw Problem(
                .forbidden, "The sandbox is only for the machine that it runs on. Open it as http://localhost.")
        }
    }

    private static func response(json: borrowing SecretBytes) -> Response {
        response("application/json", json.withBytes { ResponseBody(byteBuffer: ByteBuffer(bytes: $0)) })
    }

    private static func response(_ mediaType: String, _ body: ResponseBody) -> Response {
        var headers: HTTPFields = [
            .contentType: mediaType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """,
        ]
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ] {
            if let name = HTTPField.Name(name) { headers[name] = value }
        }
        return Response(status: .ok, headers: headers, body: body)
    }
}
