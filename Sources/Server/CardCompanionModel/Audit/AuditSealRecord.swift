package struct AuditSealRecord: Sendable, Equatable {
    /// Why a seal was made.
    package enum Kind: String, CaseIterable, Codable, Sendable {
        case regular
        /// The database was restored, or an operator has accepted that the trail is not the one that was known.
        case epoch
        /// The trail is closed up to an earlier seal.
        case closing
    }

    package var number: Int64
    package var epoch: Int32
    package var kind: Kind
    package var sealedAt: Timestamp
    package var note: String
    package var heads: [UInt8]
    /// The entries that should have been in an earlier seal.
    package var late: [UInt8]
    /// ``closed`` or ``lost``.
    package var named: Mark?
    package var previousHash: [UInt8]
    package var hash: [UInt8]
    package var keyId: String
    package var signature: [UInt8]

    package init(
        number: Int64, epoch: Int32, kind: Kind, sealedAt: Timestamp, note: String, heads: [UInt8], late: [UInt8] = [],
        named: Mark? = nil, previousHash: [UInt8], hash: [UInt8], keyId: String, signature: [UInt8]
    ) {
        self.number = number
        self.epoch = epoch
        self.kind = kind
        self.sealedAt = sealedAt
        self.note = note
        self.heads = heads
        self.late = late
        self.named = named
        self.previousHash = previousHash
        self.hash = hash
        self.keyId = keyId
        self.signature = signature
    }

    package var mark: Mark { Mark(number: number, hash: hash) }

    /// The last seal of what a closing closes; nil if the seal is none.
    package var closed: Mark? { kind == .closing ? named : nil }

    /// The newest seal that was known when an operator accepted another trail; nil if the seal begins no such epoch.
    package var lost: Mark? { kind == .epoch ? named : nil }
}
