internal import CardCompanionAPI
internal import CardCompanionModel
package import Logging
package import StrictJSON

/// What the audit trail says about one operation, in one line. It contains no secret, and nothing that helps to guess one.
package struct AuditRecord: Sendable {
    private static let detailLimit = 200

    private let operation: String
    private let requestId: String
    /// What the request names as its bank.
    package private(set) var bankId: String?
    private var uniqueId: String?

    package init(operation: String, requestId: String) {
        self.operation = operation
        self.requestId = requestId
    }

    /// Records whom the request names. Until the request is authenticated, this is only its claim.
    mutating func name(bankId: Identifier, uniqueId: Identifier) {
        self.bankId = bankId.text
        self.uniqueId = uniqueId.text
    }

    /// Records whom a body names, before it is read any further.
    package mutating func name(claimedIn body: borrowing JSONText) {
        bankId = body.string(MemberName.bankId)
        uniqueId = body.string(MemberName.uniqueId)
    }

    /// Writes the record of a request that was answered with an HTTP status instead of a code.
    package func write(status: Int, to logger: Logger) {
        var metadata = metadata
        metadata["status"] = "\(status)"
        logger.info("audit", metadata: metadata)
    }

    /// Writes the record with the code of the answer, the true code if that is another one, and what the answer adds to it.
    package func write(answered: Int, truly: Int, detail: String? = nil, to logger: Logger) {
        var metadata = metadata
        metadata["code"] = "\(answered)"
        metadata["detail"] = detail.map { "\(ClientText.quoted($0, limit: Self.detailLimit))" }
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
