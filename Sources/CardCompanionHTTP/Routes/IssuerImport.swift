internal import CardCompanion
internal import CardCompanionStore
internal import HTTPSignatures
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import SecureMemory

// The import of many cardholders: lines in, result lines out, both streamed, in constant memory.

extension IssuerRoutes {
    func importCardholders(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard RequestBodyReader.isMediaType("application/x-ndjson", request.headers[.contentType]) else {
            await RequestBodyReader.discard(request)
            throw Problem(.unsupportedMediaType, "The body is to be application/x-ndjson.")
        }
        let caller = try await authenticate(request, context, hasBody: true)
        guard let digest = caller.contentDigest else {
            throw Problem(.badRequest, "The call's Content-Digest is missing.", kind: "signature")
        }
        guard let slot = parts.imports.slot(for: caller.bank.id) else {
            await RequestBodyReader.discard(request)
            throw Problem(
                .tooManyRequests, "Too many imports are under way.", kind: "too-many-imports",
                headers: [.retryAfter: String(ImportSlots.retryAfterSeconds)])
        }
        let lines = ImportLines(
            cardholders: parts.service.makeImport(bank: caller.bank), digest: digest, slot: slot)
        let audit = audit
        return Response(
            status: .ok, headers: [.contentType: "application/x-ndjson"],
            body: ResponseBody { writer in
                let record = IssuerAuditRecord(operation: "end of import", context: context)
                var lines = lines
                do {
                    try await lines.run(request.body, &writer)
                } catch {
                    // Where the body breaks off the answer does too: without its last line nothing is sure.
                    context.logger.warning("An import breaks off", metadata: ["error": "\(error)"])
                    record.write(200, "broken-off", to: audit)
                    throw error
                }
                record.write(200, lines.stands ? nil : "does-not-stand", counts: lines.counts, to: audit)
                try await writer.finish(nil)
            })
    }
}

/// One import from its first line to its last.
private struct ImportLines: Sendable {
    private var cardholders: CardholderImport
    private let digest: ContentDigest
    /// Free again when nobody holds the import any more, whatever ended it.
    private let slot: ImportSlots.Slot
    private var splitter = LineSplitter(byteLimit: CardholderImport.lineByteLimit)
    private var summary = Summary()

    init(cardholders: CardholderImport, digest: ContentDigest, slot: ImportSlots.Slot) {
        self.slot = slot
        self.cardholders = cardholders
        self.digest = digest
    }

    var stands: Bool { summary.stands }

    /// For the audit trail.
    var counts: [String: Int] {
        ["created": summary.created, "replaced": summary.replaced, "refused": summary.refused]
    }

    mutating func run(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        do {
            try await read(body, &writer)
            while case let results = try await cardholders.merge(), !results.isEmpty {
                try await report(results, &writer)
            }
            summary.stands = true
        } catch let error as SignatureError {
            try await cardholders.discard()
            summary.error = "\(error) Nothing was written."
        } catch let failure as ImportFailure {
            try await cardholders.discard()
            summary.error = "\(failure)"
        } catch {
            // Where this fails as well, housekeeping does it.
            try? await cardholders.discard()
            throw error
        }
        try await write(summary, &writer)
    }

    private mutating func read(_ body: RequestBody, _ writer: inout any ResponseBodyWriter) async throws {
        let check = digest.makeCheck()
        for try await chunk in body {
            let bytes = chunk.withUnsafeReadableBytes { SharedSecret(SecretBytes(copying: $0)) }
            RequestBodyReader.wipe(chunk)
            check.update(bytes.bytes)
            for line in splitter.split(bytes) { try await report(cardholders.add(line), &writer) }
        }
        if let last = splitter.finish() { try await report(cardholders.add(last), &writer) }
        try await report(cardholders.finish(), &writer)
        summary.lines = cardholders.lineCount
        try check.finish()
    }

    private mutating func report(
        _ results: [CardholderImport.Result], _ writer: inout any ResponseBodyWriter
    ) async throws {
        guard !results.isEmpty else { return }
        var text = ByteBuffer()
        for result in results {
            switch result.outcome {
            case .created: summary.created += 1
            case .replaced: summary.replaced += 1
            case .refused: summary.refused += 1
            }
            text.writeBytes(try encodeJSON(result))
            text.writeString("\n")
        }
        try await writer.write(text)
    }

    private func write(_ summary: Summary, _ writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(ByteBuffer(bytes: try encodeJSON(summary) + [UInt8(ascii: "\n")]))
    }

    /// The last line: whether all that the lines before it say stands.
    private struct Summary: Encodable {
        var lines = 0
        var created = 0
        var replaced = 0
        var refused = 0
        var stands = false
        var error: String?
    }
}
