import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import Foundation

/// An entry of the audit trail as JSON.
struct AuditLine: Encodable {
    let time: String
    /// Since 1970.
    let microseconds: Int64
    let chain: Int32
    let sequence: Int64
    let operation: String
    let outcome: String
    let bankId: String?
    /// A pseudonym of the cardholder, in hex.
    let subject: String?
    let actor: String
    let detail: String?
    /// The rows that were changed, in hex.
    let rows: String?
    let hash: String

    init(_ entry: AuditEntryRecord) {
        time = entry.occurredAt.text
        microseconds = entry.occurredAt.microseconds
        chain = entry.chainId
        sequence = entry.sequence
        operation = entry.operation
        outcome = entry.outcome
        bankId = entry.bankId
        subject = entry.subject.map { Hex.encode($0) }
        actor = entry.actor
        detail = entry.detail
        rows = entry.rows.map { Hex.encode($0) }
        hash = Hex.encode(entry.hash)
    }
}

/// A seal of the audit trail as JSON.
private struct SealLine: Encodable {
    struct Head: Encodable {
        let chain: Int32
        let sequence: Int64
        let hash: String
    }

    struct Late: Encodable {
        let chain: Int32
        let first: Int64
        let last: Int64
    }

    struct Mark: Encodable {
        let seal: Int64
        let hash: String
    }

    let seal: Int64
    let time: String
    /// Since 1970.
    let microseconds: Int64
    let epoch: Int32
    let kind: String
    let note: String
    let heads: [Head]
    let late: [Late]
    /// Of a closing: the last seal that it closes. Of an epoch: the seal that it gives up.
    let named: Mark?
    let previousHash: String
    let hash: String
    let keyId: String
    let signature: String

    init(_ record: AuditSealRecord) {
        seal = record.number
        time = record.sealedAt.text
        microseconds = record.sealedAt.microseconds
        epoch = record.epoch
        kind = record.kind.rawValue
        note = record.note
        heads = (record.coveredHeads ?? []).map {
            Head(chain: $0.chainId, sequence: $0.sequence, hash: Hex.encode($0.hash))
        }
        late = (record.lateEntries ?? []).map { Late(chain: $0.chainId, first: $0.first, last: $0.last) }
        named = record.named.map { Mark(seal: $0.number, hash: Hex.encode($0.hash)) }
        previousHash = Hex.encode(record.previousHash)
        hash = Hex.encode(record.hash)
        keyId = record.keyId
        signature = Base64URL.encode(record.signature)
    }
}

/// How far an export has come.
struct AuditCursor: Codable {
    /// What was written last: its number and its hash in hex.
    struct Place: Codable, Equatable {
        var number: Int64 = 0
        var hash = ""

        /// Whether the trail goes on with `known` from here: it is this place, or one after it.
        func isFollowed(by known: Place) -> Bool { known == self || known.number > number }
    }

    /// The last entry of each chain.
    var chains: [String: Place] = [:]
    var seal = Place()

    /// - Parameter path: nil, or a file that does not exist: from the beginning.
    static func read(_ path: String?) throws -> AuditCursor {
        guard let path, FileManager.default.fileExists(atPath: path) else { return AuditCursor() }
        do {
            return try JSONDecoder().decode(AuditCursor.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CommandError.badInput("--cursor-file: \(path) is not a cursor of this command")
        }
    }

    func save(_ path: String?) throws {
        guard let path else { return }
        do {
            try JSONEncoder().encode(self).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw CommandError.unavailable("--cursor-file: \(path) cannot be written")
        }
    }
}

/// Writes what is new in the audit trail to standard output.
struct AuditExport {
    private let store: Store
    private(set) var cursor: AuditCursor

    private static let pageLength = 1_000

    init(_ store: Store, cursor: AuditCursor) {
        self.store = store
        self.cursor = cursor
    }

    mutating func writeNew() async throws {
        for chain in try await store.auditChains() { try await writeChain(chain) }
        let known = try await store.auditSeals(after: cursor.seal.number - 1, limit: 1).first.map(place)
        if !(known.map(cursor.seal.isFollowed) ?? false) { cursor.seal = AuditCursor.Place() }
        while true {
            let seals = try await store.auditSeals(after: cursor.seal.number, limit: Self.pageLength)
            for seal in seals { try Terminal.show(Terminal.encode(SealLine(seal))) }
            guard let last = seals.last else { return }
            cursor.seal = place(last)
        }
    }

    /// If the chain has another entry at the cursor's place, the database was restored, and the chain is written anew. If it begins
    /// later, the part with that place was closed.
    private mutating func writeChain(_ chain: AuditHead) async throws {
        let name = "\(chain.chainId)"
        var last = cursor.chains[name] ?? AuditCursor.Place()
        if last.number > 0 {
            let known = try await entries(chain, after: last.number - 1, limit: 1).first.map(place)
            if !(known.map(last.isFollowed) ?? false) { last = AuditCursor.Place() }
        }
        while last.number < chain.sequence {
            let entries = try await entries(chain, after: last.number, limit: Self.pageLength)
            for entry in entries { try Terminal.show(Terminal.encode(AuditLine(entry))) }
            guard let newest = entries.last else { break }
            last = place(newest)
        }
        cursor.chains[name] = last
    }

    private func entries(_ chain: AuditHead, after sequence: Int64, limit: Int) async throws -> [AuditEntryRecord] {
        try await store.auditEntries(afterChain: chain.chainId, sequence: sequence, limit: limit)
            .filter { $0.chainId == chain.chainId }
    }

    private func place(_ entry: AuditEntryRecord) -> AuditCursor.Place {
        AuditCursor.Place(number: entry.sequence, hash: Hex.encode(entry.hash))
    }

    private func place(_ seal: AuditSealRecord) -> AuditCursor.Place {
        AuditCursor.Place(number: seal.number, hash: Hex.encode(seal.hash))
    }
}
