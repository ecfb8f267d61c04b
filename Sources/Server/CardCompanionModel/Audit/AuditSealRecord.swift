package struct AuditSealRecord: Sendable, Equatable {
    /// Why a seal was made.
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case regular
        /// The database was restored.
        case epoch
        /// The trail is closed up to an earlier seal.
        case closing
    }

    /// The last seal of a closed part.
    package struct Closed: Sendable, Equatable {
        package let number: Int64
        package let hash: [UInt8]

        package init(number: Int64, hash: [UInt8]) {
            self.number = number
            self.hash = hash
        }
    }

    package var number: Int64
    package var epoch: Int32
    package var kind: Kind
    package var sealedAt: Timestamp
    package var note: String
    package var heads: [UInt8]
    /// Nil if the seal is not a closing.
    package var closed: Closed?
    package var previousHash: [UInt8]
    package var hash: [UInt8]
    package var keyId: String
    package var signature: [UInt8]

    package init(
        number: Int64, epoch: Int32, kind: Kind, sealedAt: Timestamp, note: String, heads: [UInt8],
        closed: Closed? = nil, previousHash: [UInt8], hash: [UInt8], keyId: String, signature: [UInt8]
    ) {
        self.number = number
        self.epoch = epoch
        self.kind = kind
        self.sealedAt = sealedAt
        self.note = note
        self.heads = heads
        self.closed = closed
        self.previousHash = previousHash
        self.hash = hash
        self.keyId = keyId
        self.signature = signature
    }
}
