internal import CardCompanionAPI
public import Logging
public import StrictJSON

/// What the audit trail says of one operation. It is written as one line of the log under the label `audit`, and holds
/// no secret and nothing that one could be guessed from.
public struct AuditRecord: Sendable {
    private let operation: String
    private let requestId: String
    private var bankId: String?
    private var uniqueId: String?

    /// A record of the operation at `path`.
    public init(operation: String, requestId: String) {
        self.operation = operation
        self.requestId = requestId
    }

    /// Notes whom the request names: its claim, as long as it was not authenticated.
    mutating func name(bankId: String, uniqueId: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
    }

    /// Notes whom a body names that may be refused before it is read any further.
    public mutating func name(claimedIn body: borrowing JSONText) {
        bankId = body.string(MemberName.bankId)
        uniqueId = body.string(MemberName.uniqueId)
    }

    /// Writes the record of a request that was answered with an HTTP status and no code.
    public func write(status: Int, to logger: Logger) {
        var metadata = metadata
        metadata["status"] = "\(status)"
        logger.info("audit", metadata: metadata)
    }

    /// Writes the record with the code that the client was answered and the one that it was in truth.
    public func write(answered: Int, truly: Int, to logger: Logger) {
        var metadata = metadata
        metadata["code"] = "\(answered)"
        if truly != answered { metadata["true_code"] = "\(truly)" }
        logger.info("audit", metadata: metadata)
    }

    private var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["operation": "\(operation)", "request_id": "\(requestId)"]
        metadata["bank_id"] = bankId.map { "\(ClientText.quoted($0))" }
        metadata["unique_id"] = uniqueId.map { "\(ClientText.quoted($0))" }
        return metadata
    }
}
