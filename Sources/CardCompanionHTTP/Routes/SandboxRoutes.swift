internal import CardCompanionWeb
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
package import SecureMemory
package import StrictJSON

/// The back-end of the sandbox's bank: what it does for its app.
package protocol SandboxBackEnd: Sendable {
    /// The bank's name, and its cardholders with their authentication codes, as a JSON object.
    func bank() throws -> SecretBytes
    /// Does what the app asks for.
    ///
    /// - Returns: a JSON object.
    /// - Throws: ``SandboxRefusal``.
    func answer(_ operation: SandboxOperation, _ body: borrowing JSONText) async throws -> SecretBytes
}

/// What the app asks the sandbox's bank for.
package enum SandboxOperation: String, CaseIterable, Sendable {
    /// An HMAC for a fetch or a definition.
    case hashMac = "/sandbox/bank/hash-mac"
    /// A signed token.
    case token = "/sandbox/bank/token"
    /// Forgets wrong codes and unconfirmed fetches.
    case unlock = "/sandbox/bank/unlock"
    /// Marks a cardholder who cannot read the usual images.
    case accessibility = "/sandbox/bank/accessibility"
    /// Makes a check: a cardholder must show their made-up document.
    case identityCheck = "/sandbox/bank/identity-check"
    /// Says or changes whether the bank wants to see a document before each PIN.
    case identityRequirement = "/sandbox/bank/identity-requirement"
    /// Plays a phone that a made-up document is held to.
    case document = "/sandbox/phone/document"
    /// Which checks the server makes of a request.
    case explain = "/sandbox/explain"
}

/// The sandbox's bank does not do what it is asked for.
package struct SandboxRefusal: Error {
    /// For people.
    let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

/// The pages of the sandbox, for browsers on the server's own machine only.
struct SandboxRoutes {
    let backEnd: any SandboxBackEnd

    func add(to router: Router<ServiceContext>) {
        let backEnd = backEnd
        for file in WebFile.sandbox + WebFile.documentation {
            router.get(RouterPath(file.path)) { request, context in
                try Self.requireOwnMachine(request, context)
                return Self.response(file.mediaType, ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
            }
        }
        router.get("/sandbox/bank") { request, context in
            try Self.requireOwnMachine(request, context)
            return Self.response(json: try backEnd.bank())
        }
        for operation in SandboxOperation.allCases {
            router.post(RouterPath(operation.rawValue)) { request, context in
                try Self.requireOwnMachine(request, context)
                let body = try await RequestBodyReader.object(request)
                do {
                    return Self.response(json: try await backEnd.answer(operation, body))
                } catch let refusal as SandboxRefusal {
                    throw Problem(.unprocessableContent, refusal.reason)
                }
            }
        }
    }

    /// The address proves where a request comes from. The name does so too for a page of another site, whose name may lead to
    /// this machine (DNS rebinding). A page of another site cannot send `application/json` without being asked for its origin.
    private static func requireOwnMachine(_ request: Request, _ context: ServiceContext) throws(Problem) {
        let isPeerLoopback = context.channel.remoteAddress.flatMap(IPAddress.init)?.isLoopback == true
        guard isPeerLoopback, ForwardedAddresses.areLoopback(request.headers), isLoopback(request.head.authority) else {
            throw Problem(
                .forbidden, "The sandbox is only for the machine that it runs on. Open it as http://localhost.")
        }
    }

    private static func isLoopback(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let name = authority.hasSuffix("]") ? authority : authority.replacing(/:[0-9]+$/, with: "")
        return ["localhost", "127.0.0.1", "[::1]"].contains(name)
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
