internal import CardCompanion
internal import CardCompanionModel
internal import HTTPTypes
internal import Hummingbird
internal import SecureMemory
internal import StrictJSON

// Defined PINs for the issuer's host: exports, and reports of when they work.

extension IssuerRoutes {
    func translatePIN(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        try await export(.translate, request, context, body)
    }

    func verificationValue(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        try await export(.verificationValue, request, context, body)
    }

    private func export(
        _ operation: PINExports.Operation, _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let caller = try await caller(request, context, body)
        let uniqueId = try context.pathSegment("uniqueId")
        guard caller.bank.settings.pinExports else {
            try await parts.exports.noteNotAllowed(
                operation, bankId: caller.bank.id, uniqueId: uniqueId, by: caller.keyId)
            throw Problem(PINExportRefusal.notAllowed)
        }
        guard let key = try request.idempotencyKey() else {
            throw Problem(
                .badRequest, "This call needs an Idempotency-Key: the jti of the sealed value.", kind: "idempotency-key"
            )
        }
        do {
            let answer = try await parts.idempotentCalls.export(
                bankId: caller.bank.id, key: key, digest: request.callDigest(body)
            ) { call in
                try await parts.exports.export(
                    operation, try Self.object(body, of: request), bankId: caller.bank.id, uniqueId: uniqueId,
                    call: call, by: caller.keyId)
            }
            return Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: try .json([PINExports.member: answer]))
        } catch let refusal as IdempotentCalls.Refusal {
            throw Problem(refusal)
        } catch let refusal as ProvisioningRefusal {
            throw Problem(refusal)
        } catch let refusal as PINExportRefusal {
            throw Problem(refusal)
        }
    }

    private static func object(_ body: SharedSecret, of request: Request) throws -> JSONText {
        guard RequestBodyReader.isMediaType("application/json", request.headers[.contentType]) else {
            throw Problem(.unsupportedMediaType, "Content-Type must be application/json.")
        }
        return try RequestBodyReader.object(body.bytes.copy())
    }

    /// Takes the bank's report of whether its host has a defined PIN.
    func reportDefinedPIN(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> Response {
        let caller = try await caller(request, context, body)
        let uniqueId = try context.pathSegment("uniqueId")
        let object = try Self.object(body, of: request)
        do {
            let report = try await parts.definedPINReports.take(
                object, bankId: caller.bank.id, uniqueId: uniqueId, by: caller.keyId)
            switch report {
            case .noCardholder: throw Problem.noCardholder
            case .otherPIN: throw Problem.otherPIN
            case .taken(let version, let state):
                return Response(
                    status: .ok,
                    headers: [
                        .contentType: "application/json",
                        .eTag: CardholderETag(version: version, caller.bank.settings).text,
                    ],
                    body: try .json(["definedPin": DefinedPINRepresentation(state)]))
            }
        } catch let refusal as ProvisioningRefusal {
            throw Problem(refusal)
        }
    }
}

extension Problem {
    fileprivate static let otherPIN = Problem(
        .conflict,
        "The event is not that of the cardholder's present PIN: another PIN has been defined or provisioned since, or the "
            + "cardholder has no such event.",
        kind: "other-pin")

    fileprivate init(_ refusal: PINExportRefusal) {
        switch refusal {
        case .notAllowed:
            self.init(
                .forbidden, "The operator has not allowed exports of PINs for this bank.", kind: "pin-exports-off")
        case .noCertificate:
            self.init(
                .unprocessableContent,
                "The bank has no valid encryption certificate, to which the answer must be sealed.",
                kind: "no-encryption-certificate")
        case .noCardholder: self = .noCardholder
        case .noDefinedPIN:
            self.init(
                .unprocessableContent,
                "The cardholder has not defined their present PIN, or the server does not have it any more.",
                kind: "no-defined-pin")
        case .otherPINLength:
            self.init(
                .unprocessableContent, "The key's rules are for PINs of another length.", kind: "pin-length")
        case .boundOtherwise:
            self.init(
                .conflict,
                "The PAN was exported for another cardholder, or another PAN for this cardholder. Two operators can release "
                    + "the cardholder's PAN.",
                kind: "pan-bound")
        case .tooManyNow(let seconds):
            self.init(
                .tooManyRequests, "The bank can ask for \(PINExport.rateLimit) exports in a second.",
                kind: "export-rate",
                headers: [.retryAfter: "\(seconds)"])
        case .tooManyToday(let seconds):
            self.init(
                .tooManyRequests,
                "A cardholder and a PAN can have \(PINExport.dailyLimit) exports a day (UTC). Repeat a call with its "
                    + "Idempotency-Key, which does not count.",
                kind: "export-limit", headers: [.retryAfter: "\(seconds)"])
        }
    }
}
