internal import CardCompanion
internal import Hummingbird
internal import Logging

/// What the audit trail says about one call of a bank's back-end. Until it is authenticated, this is only its claim.
struct IssuerAuditRecord {
    private var metadata: Logger.Metadata

    init(operation: String, context: ServiceContext) {
        metadata = ["operation": "\(operation)", "request_id": "\(context.requestId)"]
        for (key, name) in [("bank_id", "bankId"), ("unique_id", "uniqueId")] {
            metadata[key] = (try? context.pathSegment(name)).map { "\(ClientText.quoted($0))" }
        }
    }

    /// Records the key that signed the call.
    mutating func name(keyId: String) {
        metadata["key_id"] = "\(ClientText.quoted(keyId))"
    }

    /// Writes the record with the HTTP status, and the kind of problem if there is one.
    func write(_ status: Int, _ problem: String? = nil, counts: [String: Int] = [:], to logger: Logger) {
        var metadata = metadata
        metadata["status"] = "\(status)"
        metadata["problem"] = problem.map { "\($0)" }
        for (name, count) in counts { metadata[name] = "\(count)" }
        logger.info("audit", metadata: metadata)
    }
}
