internal import CardCompanion
internal import CardCompanionModel
internal import HTTPSignatures
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics
internal import NIOCore
internal import SecureMemory

// The import of many cardholders: lines in, result lines out, both streamed, in constant memory.

extension IssuerRoutes {
    private static let importRetryAfterSeconds = 30

    func importCardholders(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard RequestBodyReader.isMediaType("application/x-ndjson", request.headers[.contentType]) else {
            await RequestBodyReader.discard(request)
            throw Problem(.unsupportedMediaType, "Content-Type must be application/x-ndjson.")
        }
        let caller = try await admitted(request, context)
        guard request.headers[.idempotencyKey] == nil else {
            await RequestBodyReader.discard(request)
            throw Problem(
                .badRequest, "An import does not take an Idempotency-Key. It is safe to send the same lines again.",
                kind: "idempotency-key")
        }
        guard let digest = caller.contentDigest else {
            throw Problem(.badRequest, "The Content-Digest field is missing: add it.", kind: "signature")
        }
        guard let place = parts.imports.place(for: caller.bank.id) else {
            await RequestBodyReader.discard(request)
            throw Problem(
                .tooManyRequests, "Too many imports are under way. Try again later.", kind: "too-many-imports",
                headers: [.retryAfter: String(Self.importRetryAfterSeconds)])
        }
        context.channel.triggerUserOutboundEvent(ConnectionGuard.ImportAdmitted(), promise: nil)
        let parallelism = System.coreCount / (2 * IssuingParts.usualImports)
        let answer = ImportAnswer(
            cardholders: parts.service.makeImport(bank: caller.bank, by: caller.keyId, parallelism: parallelism),
            digest: digest,
            place: place, lines: importLines)
        let audit = audit
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                let record = IssuerAuditRecord(operation: "end of import", context: context)
                do {
                    let summary = try await answer.write(importing: request.body, to: &writer)
                    record.write(200, summary.committed ? nil : "not-committed", counts: summary.counts, to: audit)
                } catch {
                    // If the body breaks off, the answer does too. Without its last line, the outcome is unknown.
                    context.logger.warning("An import was interrupted", metadata: ["error": "\(error)"])
                    record.write(200, "broken-off", to: audit)
                    throw error
                }
                try await writer.finish(nil)
            })
    }
}

extension IssuerRoutes {
    /// Authenticates an import if there is room. Its lines take no place: they leave room by themselves (`ImportPace`).
    private func admitted(
        _ request: Request, _ context: ServiceContext
    ) async throws -> IssuerAuthentication.Caller {
        do {
            return try await admission.serve(.importing) { try await authenticate(request, context, hasBody: true) }
        } catch let error as Overloaded {
            await RequestBodyReader.discard(request)
            throw error
        }
    }
}

/// The answer to one import: a line per result, and the summary as the last line.
private struct ImportAnswer: Sendable {
    let cardholders: CardholderImport
    let digest: ContentDigest
    /// It is free again when the import has ended, even with an error.
    let place: BankQuota.Place
    let lines: ImportMetrics

    func write(importing body: RequestBody, to writer: inout any ResponseBodyWriter) async throws -> ImportSummary {
        var cardholders = cardholders
        var chunks = body.makeAsyncIterator()
        let check = digest.makeCheck()
        var failure: String?
        do {
            try await cardholders.run {
                guard let chunk = try await chunks.next() else { return nil }
                let bytes = chunk.withUnsafeReadableBytes { SharedSecret(SecretBytes(copying: $0, in: .ordinary)) }
                RequestBodyReader.wipe(chunk)
                check.update(bytes.bytes)
                return bytes
            } whenComplete: {
                try check.finish()
            } report: { results, _ in
                guard !results.isEmpty else { return }
                lines.count(results)
                var lines = ByteBuffer()
                for result in results { lines.writeBytes(try encodeJSON(result) + [UInt8(ascii: "\n")]) }
                try await writer.write(lines)
            }
        } catch let error as SignatureError {
            failure = "\(error) Nothing was written."
        } catch let error as ImportFailure {
            failure = "\(error)"
        }
        var summary = cardholders.summary
        summary.error = failure
        try await writer.write(ByteBuffer(bytes: try encodeJSON(summary) + [UInt8(ascii: "\n")]))
        return summary
    }
}

/// Counts the lines of imports.
struct ImportMetrics: Sendable {
    private let written: [WrittenCardholder.Effect: Counter]
    private let refused: Counter

    init() {
        func counter(_ outcome: String) -> Counter {
            Counter(label: "card_companion_import_lines_total", dimensions: [("outcome", outcome)])
        }
        written = Dictionary(uniqueKeysWithValues: WrittenCardholder.Effect.allCases.map { ($0, counter($0.rawValue)) })
        refused = counter("refused")
    }

    fileprivate func count(_ results: [ImportResult]) {
        for result in results {
            switch result.outcome {
            case .written(let result): written[result.effect]?.increment()
            case .refused: refused.increment()
            // Only commands make dry runs.
            case .good: break
            }
        }
    }
}

extension ImportSummary {
    /// For the audit trail.
    fileprivate var counts: [String: Int] {
        [
            "created": created, "replaced": replaced, "unchanged": unchanged, "deleted": deleted, "refused": refused,
        ]
    }
}
