public import CardCompanion
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// What the routes for banks' back-ends serve.
public struct IssuingParts: Sendable {
    let authentication: IssuerAuthentication
    let service: IssuerService
    let idempotentCalls: IdempotentCalls
    let events: EventFeed
    let imports = ImportSlots()

    /// See the members.
    public init(
        authentication: IssuerAuthentication, service: IssuerService, idempotentCalls: IdempotentCalls,
        events: EventFeed
    ) {
        self.authentication = authentication
        self.service = service
        self.idempotentCalls = idempotentCalls
        self.events = events
    }
}

/// REST for a bank's back-end under `/v1/banks/{bankId}/` (protocol, section 3).
struct IssuerRoutes {
    /// The longest Idempotency-Key.
    static let idempotencyKeyByteLimit = 128

    let parts: IssuingParts
    let asksClientCertificate: Bool
    let audit: Logger

    func add(to router: Router<ServiceContext>) {
        let bank = router.group("/v1/banks/{bankId}")
        let cardholder: RouterPath = "cardholders/{uniqueId}"
        bank.get(cardholder, use: audited("read cardholder", getCardholder))
        bank.put(cardholder, use: audited("put cardholder", putCardholder))
        bank.patch(cardholder, use: audited("patch cardholder", patchCardholder))
        bank.delete(cardholder, use: audited("delete cardholder", deleteCardholder))
        bank.post("cardholders:import", use: audited("import cardholders", importCardholders))
        bank.get("events", use: audited("read events", getEvents))
    }

    /// The methods of a path; nil where it is none of these.
    static func methods(path: String) -> [HTTPRequest.Method]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 5, parts[1] == "v1", parts[2] == "banks" else { return nil }
        switch (parts.count, parts[4]) {
        case (6, "cardholders"): return [.get, .head, .put, .patch, .delete]
        case (5, "cardholders:import"): return [.post]
        case (5, "events"): return [.get, .head]
        default: return nil
        }
    }

    private typealias Handler = @Sendable (Request, ServiceContext) async throws -> Response

    /// A handler whose calls are in the audit trail, with those that are refused.
    private func audited(_ operation: String, _ handler: @escaping Handler) -> Handler {
        { request, context in
            let record = IssuerAuditRecord(operation: operation, context: context)
            do {
                let response = try await handler(request, context)
                record.write(response.status.code, to: audit)
                return response
            } catch let problem as Problem {
                record.write(problem.status.code, problem.kind, to: audit)
                throw problem
            } catch {
                let status: HTTPResponse.Status =
                    error is ServiceUnavailable ? .serviceUnavailable : .internalServerError
                record.write(status.code, to: audit)
                throw error
            }
        }
    }
}
