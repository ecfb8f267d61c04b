internal import CardCompanion
internal import CardCompanionModel
internal import HTTPSignatures
internal import HTTPTypes
internal import Hummingbird
internal import NIOSSL
internal import SecureMemory

// Authentication of calls: signatures, content digests, client certificates.

extension IssuerRoutes {
    /// Authenticates a call whose body is complete.
    func authenticate(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> IssuerBank {
        try await caller(request, context, body).bank
    }

    /// As ``authenticate(_:_:_:)``, with the key that has signed the call.
    func caller(
        _ request: Request, _ context: ServiceContext, _ body: SharedSecret
    ) async throws -> IssuerAuthentication.Caller {
        let caller = try await authenticate(request, context, hasBody: body.bytes.count > 0)
        do throws(SignatureError) {
            try caller.contentDigest?.verify(body.bytes)
        } catch {
            throw Problem.unauthenticated(error.description)
        }
        return caller
    }

    /// Authenticates a call whose body is still to come.
    func authenticate(
        _ request: Request, _ context: ServiceContext, hasBody: Bool
    ) async throws -> IssuerAuthentication.Caller {
        let authority = try names.expected(from: context.channel.remoteAddress, request.headers)
        do {
            let caller = try await parts.authentication.authenticate(
                SignedMessage(request.head, scheme: scheme), authority: authority,
                bankId: try context.pathSegment("bankId"),
                hasBody: hasBody, clientCertificate: try await clientCertificate(context))
            var record = IssuerAuditRecord(operation: "authenticate", context: context)
            record.name(keyId: caller.keyId)
            record.write(200, to: audit)
            return caller
        } catch let refusal as IssuerRefusal {
            throw Problem(refusal)
        }
    }

    private func clientCertificate(_ context: ServiceContext) async throws -> ClientCertificate {
        guard requiresClientCertificate else { return .notRequired }
        let certificate: NIOSSLCertificate?
        do {
            certificate = try await context.channel.connection.nioSSL_peerCertificate().get()
        } catch {
            guard !context.channel.connection.isActive else { throw error }
            // It has no certificate any more. Nobody gets this answer.
            throw Problem(.badRequest, "The connection is closed.")
        }
        return try certificate.map { .shown(try $0.toDERBytes()) } ?? .missing
    }
}

extension Problem {
    fileprivate static func unauthenticated(
        _ reason: String, kind: String = "signature", signatureBase: String? = nil
    ) -> Problem {
        Problem(
            .unauthorized, reason, kind: kind, signatureBase: signatureBase,
            headers: [.wwwAuthenticate: #"Signature realm="issuer""#])
    }

    fileprivate init(_ refusal: IssuerRefusal) {
        switch refusal {
        case .unauthenticated(let reason, let base): self = .unauthenticated(reason, signatureBase: base)
        case .nonceUsed: self = .unauthenticated("The nonce was used before. Sign the call again.", kind: "nonce")
        case .forbidden(let reason): self.init(.forbidden, reason, kind: "forbidden")
        }
    }
}
