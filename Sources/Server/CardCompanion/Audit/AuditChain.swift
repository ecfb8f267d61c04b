package import CardCompanionModel
internal import Cryptography

// The hashes of the audit trail, as docs/audit.md defines them. migrations/functions/append_audit.sql computes the same for
// entries.

extension AuditEntryRecord {
    /// The hash that the entry must have.
    ///
    /// - Parameter previous: the hash of the entry before it in its chain; empty for the first one.
    package func expectedHash(after previous: [UInt8]) -> [UInt8] {
        var bytes = previous
        bytes += chainId.bigEndianBytes + sequence.bigEndianBytes + occurredAt.postgresMicroseconds.bigEndianBytes
        bytes += Array(operation.utf8).withLength + Array(outcome.utf8).withLength
        bytes += (bankId.map { Array($0.utf8) }).withLength + subject.withLength
        bytes += Array(actor.utf8).withLength + (detail.map { Array($0.utf8) }).withLength
        return SHA256.hash(bytes + rows.withLength)
    }
}

extension AuditSealRecord {
    /// The hash that the seal must have.
    package var expectedHash: [UInt8] {
        var bytes = number.bigEndianBytes + epoch.bigEndianBytes + sealedAt.postgresMicroseconds.bigEndianBytes
        bytes += Array(kind.rawValue.utf8).withLength + Array(note.utf8).withLength
        bytes += heads.withLength + late.withLength + previousHash.withLength + Array(keyId.utf8).withLength
        return SHA256.hash(bytes + (named.map { $0.number.bigEndianBytes + $0.hash }).withLength)
    }

    package var signedText: String { "card-companion audit seal \(Hex.encode(hash))" }

    /// The ends of chains that it covers; nil if they cannot be read.
    package var coveredHeads: [AuditHead]? {
        guard heads.count % AuditHead.byteCount == 0 else { return nil }
        return stride(from: 0, to: heads.count, by: AuditHead.byteCount).map { start in
            let bytes = heads[start..<start + AuditHead.byteCount]
            return AuditHead(
                chainId: Int32(bigEndianBytes: bytes.prefix(4)),
                sequence: Int64(bigEndianBytes: bytes.dropFirst(4).prefix(8)), hash: Array(bytes.suffix(32)))
        }
    }
}

extension AuditSealRecord {
    /// The entries that it calls late; nil if they cannot be read.
    package var lateEntries: [LateEntries]? {
        guard late.count % LateEntries.byteCount == 0 else { return nil }
        return stride(from: 0, to: late.count, by: LateEntries.byteCount).map { start in
            let bytes = late[start..<start + LateEntries.byteCount]
            return LateEntries(
                chainId: Int32(bigEndianBytes: bytes.prefix(4)),
                first: Int64(bigEndianBytes: bytes.dropFirst(4).prefix(8)),
                last: Int64(bigEndianBytes: bytes.suffix(8)))
        }
    }
}

extension LateEntries {
    static let byteCount = 4 + 8 + 8

    var bytes: [UInt8] { chainId.bigEndianBytes + first.bigEndianBytes + last.bigEndianBytes }
}

extension AuditHead {
    static let byteCount = 4 + 8 + 32

    var bytes: [UInt8] { chainId.bigEndianBytes + sequence.bigEndianBytes + hash }
}

extension Timestamp {
    /// As PostgreSQL sends it: microseconds since 2000.
    fileprivate var postgresMicroseconds: Int64 { microseconds - 946_684_800_000_000 }
}

extension [UInt8] {
    fileprivate var withLength: [UInt8] { Int32(count).bigEndianBytes + self }
}

extension [UInt8]? {
    fileprivate var withLength: [UInt8] { map(\.withLength) ?? Int32(-1).bigEndianBytes }
}
