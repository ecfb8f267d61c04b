internal import CardCompanion
internal import CardCompanionModel
internal import HTTPTypes
internal import Hummingbird
internal import SecureMemory

extension IssuerRoutes {
    /// Makes a check: the cardholder must show a document.
    func makeIdentityCheck(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let caller = try await caller(request, context, body)
        guard RequestBodyReader.isMediaType("application/json", request.headers[.contentType]) else {
            throw Problem(.unsupportedMediaType, "Content-Type must be application/json.")
        }
        do {
            let requested = try parts.identityChecks.read(try RequestBodyReader.object(body.bytes.copy()))
            let made = try await parts.identityChecks.make(
                requested, bankId: caller.bank.id, uniqueId: try context.pathSegment("uniqueId"), by: caller.keyId)
            guard let made else { throw Problem.noCardholder }
            let answer = CheckAnswer(
                validationId: made.validationId, clientId: requested.clientId, expiresAt: made.expiresAt.seconds)
            return Response(
                status: .created, headers: [.contentType: "application/json"], body: try .json(answer))
        } catch let refusal as ProvisioningRefusal {
            throw Problem(refusal)
        }
    }

    private struct CheckAnswer: Encodable {
        let validationId: String
        let clientId: String
        /// In seconds since 1970.
        let expiresAt: Int64
    }
}
