package import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import SecureMemory

/// The services that the routes for back-ends use.
package struct IssuingParts: Sendable {
    let authentication: IssuerAuthentication
    let service: IssuerService
    let idempotentCalls: IdempotentCalls
    let events: EventFeed
    let identityChecks: IdentityChecks
    let exports: PINExports
    let definedPINReports: DefinedPINReports
    /// Imports leave room for cardholders.
    let imports = BankQuota(banks: importingBanks, shared: sharedImports, bankLimit: bankImportLimit)

    /// How many banks a server can take imports from at once, how many further imports, and how many of one bank.
    package static let importingBanks = 64
    package static let sharedImports = 2
    package static let bankImportLimit = 2
    /// So many imports at once leave half of the machine to cardholders.
    static let usualImports = 4

    package init(
        authentication: IssuerAuthentication, service: IssuerService, idempotentCalls: IdempotentCalls,
        events: EventFeed, identityChecks: IdentityChecks, exports: PINExports, definedPINReports: DefinedPINReports
    ) {
        self.authentication = authentication
        self.service = service
        self.idempotentCalls = idempotentCalls
        self.events = events
        self.identityChecks = identityChecks
        self.exports = exports
        self.definedPINReports = definedPINReports
    }
}

/// REST for a bank's back-end under `/v1/banks/{bankId}/` (protocol, section 3).
struct IssuerRoutes {
    /// The longest Idempotency-Key.
    static let idempotencyKeyByteLimit = 128

    let parts: IssuingParts
    let names: ServerNames
    let callers: CallerLimits
    let refusals: RefusalCounts
    let requiresClientCertificate: Bool
    /// `https` if the server itself speaks TLS. Behind a proxy nobody knows.
    let scheme: String?
    let draining: Draining
    let audit: Logger
    let admission: Admission
    let importLines = ImportMetrics()

    func add(to router: Router<ServiceContext>) {
        let bank = router.group("/v1/banks/{bankId}")
        let cardholder: RouterPath = "cardholders/{uniqueId}"
        bank.get("cardholders", use: audited("list cardholders", admitted(listCardholders)))
        bank.get(cardholder, use: audited("read cardholder", admitted(getCardholder)))
        bank.put(cardholder, use: audited("put cardholder", admitted(putCardholder)))
        bank.patch(cardholder, use: audited("patch cardholder", admitted(patchCardholder)))
        bank.delete(cardholder, use: audited("delete cardholder", admitted(deleteCardholder)))
        bank.post("cardholders:import", use: audited("import cardholders", importCardholders))
        bank.post(
            "cardholders/{uniqueId}/identity-checks", use: audited("make identity check", admitted(makeIdentityCheck)))
        bank.post("cardholders/{uniqueId}/pin:translate", use: audited("translate PIN", admitted(translatePIN)))
        bank.post(
            "cardholders/{uniqueId}/pin:verification-value",
            use: audited("make verification value", admitted(verificationValue)))
        bank.post(
            "cardholders/{uniqueId}/pin:effective", use: audited("report defined PIN", admitted(reportDefinedPIN)))
        bank.get("events", use: audited("read events", getEvents))
        bank.delete("events", use: audited("acknowledge events", admitted(acknowledgeEvents)))
    }

    private typealias Handler = @Sendable (Request, ServiceContext) async throws -> Response
    private typealias BodyHandler = @Sendable (Request, ServiceContext, SharedSecret) async throws -> Response

    /// Reads the body, and serves the call if the server can answer it in time.
    private func admitted(_ handler: @escaping BodyHandler) -> Handler {
        { request, context in
            let body = SharedSecret(try await RequestBodyReader.collect(request))
            return try await admission.serve(.backEnd) { try await handler(request, context, body) }
        }
    }

    /// Adds an audit record for each call, refused ones too.
    private func audited(_ operation: String, _ handler: @escaping Handler) -> Handler {
        { request, context in
            let record = IssuerAuditRecord(operation: operation, context: context)
            do {
                let response = try await charged(request, context, handler)
                record.write(response.status.code, to: audit)
                return response
            } catch let error as Overloaded {
                // Nothing has happened, and there can be very many.
                throw error
            } catch {
                let problem = Problem(error)
                record.write(problem.status.code, problem.kind, to: audit)
                throw error
            }
        }
    }

    /// Charges a call that is not authenticated to the address that sent it.
    private func charged(
        _ request: Request, _ context: ServiceContext, _ handler: Handler
    ) async throws -> Response {
        do {
            return try await handler(request, context)
        } catch let problem as Problem where problem.status == .unauthorized {
            refusals.count(
                "back-end's call", bankId: try? context.pathSegment("bankId"), outcome: problem.kind ?? "401")
            try callers.charge(request, context)
            throw problem
        } catch let refused as RefusedCaller {
            try callers.charge(request, context)
            throw refused.reason
        }
    }
}
