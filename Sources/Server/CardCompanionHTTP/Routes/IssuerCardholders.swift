internal import CardCompanion
internal import CardCompanionModel
internal import Cryptography
internal import HTTPTypes
internal import Hummingbird
internal import SecureMemory
internal import StrictJSON

// One cardholder: GET, PUT, PATCH, DELETE.

extension IssuerRoutes {
    func getCardholder(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let bank = try await authenticate(request, context, body)
        let uniqueId = try context.pathSegment("uniqueId")
        guard let record = try await parts.service.cardholder(bank: bank, uniqueId: uniqueId) else {
            throw Problem.noCardholder
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/json", .eTag: CardholderETag(version: record.version, bank.settings).text,
            ],
            body: try .json(CardholderRepresentation(record, bank.settings)))
    }

    /// How many cardholders a list has at most, and if the call does not say.
    private static let listLimits = 1...500
    private static let defaultListLimit = 100

    func listCardholders(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let bank = try await authenticate(request, context, body)
        let query = request.uri.queryParameters
        let limit = try Self.number(query["limit"], "limit", Self.listLimits) ?? Self.defaultListLimit
        let after = query["after"].map { String($0) }
        guard after.map({ Identifier($0) != nil }) != false else {
            throw Problem(.badRequest, "'after' must be a uniqueId: the 'next' of an earlier answer.", kind: "query")
        }
        let records = try await parts.service.cardholders(bank: bank, after: after, limit: limit)
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: try .json(CardholderList(records, of: bank, limit: limit)))
    }

    /// One call that changes a cardholder.
    private struct Call {
        let bank: IssuerBank
        /// The key that has signed it.
        let keyId: String
        let uniqueId: String
        let precondition: VersionPrecondition
        let request: Request
        let body: SharedSecret
        /// Nil if it has no Idempotency-Key.
        let idempotent: IdempotentCall?

        func object(_ mediaType: String) throws -> JSONText {
            guard RequestBodyReader.isMediaType(mediaType, request.headers[.contentType]) else {
                throw Problem(.unsupportedMediaType, "Content-Type must be \(mediaType).")
            }
            return try RequestBodyReader.object(body.bytes.copy())
        }
    }

    private typealias Change = @Sendable (Call) async throws -> WriteOutcome

    private func change(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret, _ serve: Change
    ) async throws -> (written: WrittenCardholder, bank: IssuerBank) {
        let caller = try await caller(request, context, body)
        let bank = caller.bank
        let uniqueId = try context.pathSegment("uniqueId")
        let precondition = try request.versionPrecondition(bank.settings)
        do {
            let outcome = try await parts.idempotentCalls.serve(
                bankId: bank.id, key: try request.idempotencyKey(), digest: request.callDigest(body)
            ) { idempotent in
                try await serve(
                    Call(
                        bank: bank, keyId: caller.keyId, uniqueId: uniqueId, precondition: precondition,
                        request: request, body: body, idempotent: idempotent))
            }
            switch outcome {
            case .done(let written): return (written, bank)
            case .absent: throw Problem.noCardholder
            case .underWay, .answered: throw IdempotentCalls.Refusal.underWay
            case .preconditionFailed, .pinVersionMissing, .pinUnreadable: throw Problem.preconditionFailed
            }
        } catch let refusal as IdempotentCalls.Refusal {
            throw Problem(refusal)
        } catch let refusal as ProvisioningRefusal {
            throw Problem(refusal)
        }
    }

    func putCardholder(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let (written, bank) = try await change(request, context, body) { call in
            try await parts.service.put(
                try call.object("application/json"), bank: call.bank, uniqueId: call.uniqueId, if: call.precondition,
                call: call.idempotent, by: call.keyId)
        }
        let unknown = Provisioning.unknownMembers(of: try RequestBodyReader.object(body.bytes.copy()))
        return try Response(written, of: bank, unknownMembers: unknown)
    }

    func patchCardholder(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let (written, bank) = try await change(request, context, body) { call in
            try await parts.service.patch(
                try call.object("application/merge-patch+json"), bank: call.bank, uniqueId: call.uniqueId,
                if: call.precondition, call: call.idempotent, by: call.keyId)
        }
        return try Response(written, of: bank)
    }

    func deleteCardholder(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        _ = try await change(request, context, body) { call in
            try await parts.service.delete(
                bank: call.bank, uniqueId: call.uniqueId, if: call.precondition, call: call.idempotent,
                by: call.keyId)
        }
        return Response(status: .noContent)
    }
}

/// A page of the bank's cardholders.
private struct CardholderList: Encodable {
    let cardholders: [CardholderRepresentation]
    /// The `after` of the next page; nil if this is the last one.
    let next: String?

    init(_ records: [CardholderRecord], of bank: IssuerBank, limit: Int) {
        cardholders = records.map { CardholderRepresentation($0, bank.settings) }
        next = records.count == limit ? records.last?.uniqueId.text : nil
    }
}

/// The answer to a call that has written a cardholder.
private struct WrittenAnswer: Encodable {
    /// `taken` or `unchanged`; nil if the call has no PIN.
    let pin: String?
    let warnings: [ProvisioningError]?
}

extension Response {
    fileprivate init(
        _ written: WrittenCardholder, of bank: IssuerBank, unknownMembers: [String] = []
    ) throws {
        var headers: HTTPFields = [.contentType: "application/json"]
        headers[.eTag] = written.version.map { CardholderETag(version: $0, bank.settings).text }
        let answer = WrittenAnswer(
            pin: written.pin?.rawValue, warnings: ProvisioningError.warnings(unknownMembers))
        self.init(status: written.effect == .created ? .created : .ok, headers: headers, body: try .json(answer))
    }
}

extension Problem {
    static let noCardholder = Problem(.notFound, "The bank has no such cardholder.", kind: "no-cardholder")
    fileprivate static let preconditionFailed = Problem(
        .preconditionFailed, "The cardholder does not have the version that If-Match or If-None-Match requires.",
        kind: "version")

    init(_ refusal: IdempotentCalls.Refusal) {
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

    init(_ refusal: ProvisioningRefusal) {
        self.init(
            .unprocessableContent, "Some members are invalid.", kind: "invalid-members",
            invalid: refusal.problems.map { InvalidMember(member: $0.member ?? "", reason: $0.reason) })
    }
}
