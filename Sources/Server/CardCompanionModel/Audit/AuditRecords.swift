package struct AuditEntryRecord: Sendable, Equatable {
    package var chainId: Int32
    package var sequence: Int64
    package var occurredAt: Timestamp
    package var operation: String
    package var outcome: String
    package var bankId: String?
    package var subject: [UInt8]?
    package var actor: String
    package var detail: String?
    /// The rows of cardholders and passes that were changed (``RowChange``); nil if there are none.
    package var rows: [UInt8]?
    package var hash: [UInt8]

    package init(
        chainId: Int32, sequence: Int64, occurredAt: Timestamp, operation: String, outcome: String, bankId: String?,
        subject: [UInt8]?, actor: String, detail: String?, rows: [UInt8]? = nil, hash: [UInt8]
    ) {
        self.chainId = chainId
        self.sequence = sequence
        self.occurredAt = occurredAt
        self.operation = operation
        self.outcome = outcome
        self.bankId = bankId
        self.subject = subject
        self.actor = actor
        self.detail = detail
        self.rows = rows
        self.hash = hash
    }
}

/// Entries of a chain that came late: a seal that was made long after their time lacks them.
package struct LateEntries: Sendable, Equatable {
    package let chainId: Int32
    package let first: Int64
    package let last: Int64

    package init(chainId: Int32, first: Int64, last: Int64) {
        self.chainId = chainId
        self.first = first
        self.last = last
    }
}

/// The end of a chain.
package struct AuditHead: Sendable, Equatable {
    package let chainId: Int32
    package let sequence: Int64
    package let hash: [UInt8]

    package init(chainId: Int32, sequence: Int64, hash: [UInt8]) {
        self.chainId = chainId
        self.sequence = sequence
        self.hash = hash
    }
}
