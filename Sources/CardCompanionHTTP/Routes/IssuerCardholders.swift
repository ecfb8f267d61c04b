internal import CardCompanion
internal import CardCompanionStore
internal import Cryptography
internal import HTTPTypes
internal import Hummingbird
internal import SecureMemory
internal import StrictJSON

// One cardholder: GET, PUT, PATCH, DELETE.

extension IssuerRoutes {
    func getCardholder(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let bank = try await authenticate(
            request, context, SharedSecret(try await RequestBodyReader.collect(request)))
        let uniqueId = try context.pathSegment("uniqueId")
        guard let record = try await parts.service.cardholder(bank: bank, uniqueId: uniqueId) else {
            throw Problem.noCardholder
        }
        return try IdempotentAnswer(record).response()
    }

    /// One call that changes a cardholder.
    private struct Call {
        let bank: IssuerBank
        let uniqueId: String
        let precondition: VersionPrecondition
        let request: Request
        let body: SharedSecret

        func object(_ mediaType: String) throws -> JSONText {
            guard RequestBodyReader.isMediaType(mediaType, request.headers[.contentType]) else {
                throw Problem(.unsupportedMediaType, "Content-Type must be \(mediaType).")
            }
            return try RequestBodyReader.object(body.bytes.copy())
        }
    }

    private typealias Change = @Sendable (Call) async throws -> IdempotentAnswer

    private func change(_ request: Request, _ context: ServiceContext, _ serve: Change) async throws -> Response {
        let body = SharedSecret(try await RequestBodyReader.collect(request))
        let bank = try await authenticate(request, context, body)
        let call = Call(
            bank: bank, uniqueId: try context.pathSegment("uniqueId"),
            precondition: try request.versionPrecondition(), request: request, body: body)
        let key = try request.idempotencyKey()
        let digest = SHA256.hash(
            Array("\(request.method.rawValue) \(request.uri.path)\n".utf8) + SHA256.hash(body.bytes))
        do {
            let answer = try await parts.idempotentCalls.serve(bankId: bank.id, key: key, call: digest) {
                try await serve(call)
            }
            return answer.response()
        } catch let refusal as IdempotentCalls.Refusal {
            throw Problem(refusal)
        } catch let refusal as ProvisioningRefusal {
            throw Problem(refusal)
        }
    }

    func putCardholder(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await change(request, context, put)
    }

    func patchCardholder(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await change(request, context, patch)
    }

    func deleteCardholder(_ request: Request, _ context: ServiceContext) async throws -> Response {
        try await change(request, context, delete)
    }

    private func put(_ call: Call) async throws -> IdempotentAnswer {
        let body = try call.object("application/json")
        switch try await parts.service.put(
            body, bank: call.bank, uniqueId: call.uniqueId, if: call.precondition)
        {
        case .created(let version): return .init(status: 201, etag: version.etag, contentType: nil, body: [])
        case .replaced(let version), .unchanged(let version):
            return .init(status: 200, etag: version.etag, contentType: nil, body: [])
        case .absent, .preconditionFailed: throw Problem.preconditionFailed
        }
    }

    private func patch(_ call: Call) async throws -> IdempotentAnswer {
        let body = try call.object("application/merge-patch+json")
        guard call.precondition != .isAbsent else {
            let record = try await parts.service.cardholder(bank: call.bank, uniqueId: call.uniqueId)
            throw record == nil ? Problem.noCardholder : Problem.preconditionFailed
        }
        switch try await parts.service.patch(
            body, bank: call.bank, uniqueId: call.uniqueId, if: call.precondition)
        {
        case (.preconditionFailed, _): throw Problem.preconditionFailed
        case (.absent, _), (_, nil): throw Problem.noCardholder
        case (_, let record?): return try .init(record)
        }
    }

    private func delete(_ call: Call) async throws -> IdempotentAnswer {
        switch try await parts.service.delete(
            bank: call.bank, uniqueId: call.uniqueId, if: call.precondition)
        {
        case .deleted: return .init(status: 204, etag: nil, contentType: nil, body: [])
        case .absent: throw Problem.noCardholder
        case .preconditionFailed: throw Problem.preconditionFailed
        }
    }
}

extension Problem {
    fileprivate static let noCardholder = Problem(.notFound, "The bank has no such cardholder.", kind: "no-cardholder")
    fileprivate static let preconditionFailed = Problem(
        .preconditionFailed, "The cardholder does not have the version that If-Match or If-None-Match requires.",
        kind: "version")

    fileprivate init(_ refusal: IdempotentCalls.Refusal) {
        switch refusal {
        case .underWay:
            self.init(
                .conflict, "The same call is still being served. Try again.", kind: "idempotency-under-way",
                headers: [.retryAfter: "1"])
        case .otherCall:
            self.init(
                .unprocessableContent, "The Idempotency-Key was used for a different call.",
                kind: "idempotency-key-reused")
        }
    }

    fileprivate init(_ refusal: ProvisioningRefusal) {
        self.init(
            .unprocessableContent, "Some members are invalid.", kind: "invalid-members",
            invalid: refusal.problems.map { InvalidMember(member: $0.member ?? "", reason: $0.reason) })
    }
}

extension IdempotentAnswer {
    fileprivate init(_ record: CardholderRecord) throws {
        self.init(
            status: 200, etag: record.version.etag, contentType: "application/json",
            body: try encodeJSON(CardholderRepresentation(record)))
    }

    fileprivate func response() -> Response {
        var headers: HTTPFields = [:]
        headers[.eTag] = etag
        headers[.contentType] = contentType
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: body.isEmpty ? .init() : ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
