package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
internal import HTTPSignatures

/// What is wrong with an audit trail.
package enum AuditFault: Equatable, Sendable, CustomStringConvertible {
    /// An entry was altered, or put in another place.
    case wrongHash(chainId: Int32, sequence: Int64)
    /// Entries are missing before this one.
    case missingEntries(chainId: Int32, before: Int64)
    /// No seal covers an entry that is old enough to need one.
    case neverSealed(chainId: Int32, sequence: Int64)
    /// A seal covers an entry that is missing or different.
    case unsealed(chainId: Int32, sequence: Int64, seal: Int64)
    case missingSeals(before: Int64)
    case wrongSealHash(number: Int64)
    case wrongSignature(seal: Int64)
    case unknownSealKey(seal: Int64, keyId: String)
    /// A server's seal follows a token's. Anyone who can read a server's memory can make it.
    case weakerKey(seal: Int64)
    /// The seal that the operator knows is missing or different: the end was cut off, or the trail was replaced.
    case lastSealDiffers(number: Int64)
    /// The seal that the operator knows is in a part of the trail that was closed.
    case lastSealClosed(number: Int64, closedUpTo: Int64)
    /// An epoch has given up the seal that the operator knows.
    case lastSealLost(number: Int64, epochSeal: Int64)

    package var description: String {
        switch self {
        case .wrongHash(let chain, let sequence):
            "entry \(sequence) of chain \(chain) was altered or moved"
        case .missingEntries(let chain, let sequence): "entries of chain \(chain) are missing before \(sequence)"
        case .neverSealed(let chain, let sequence):
            "entry \(sequence) of chain \(chain) is old, but no seal covers it"
        case .unsealed(let chain, let sequence, let seal):
            "seal \(seal) covers entry \(sequence) of chain \(chain), which is missing or is another one"
        case .missingSeals(let number): "seals are missing before seal \(number)"
        case .wrongSealHash(let number): "seal \(number) was altered or moved"
        case .wrongSignature(let number): "seal \(number) has a wrong signature"
        case .unknownSealKey(let number, let keyId): "seal \(number) is signed with key \(keyId), which is not known"
        case .weakerKey(let number):
            """
            seal \(number) is signed by a server, but the one before it by a token: that is right only at the start of a new \
            epoch
            """
        case .lastSealDiffers(let number):
            "seal \(number) is missing or is another one: the end of the trail was cut off, or the trail was replaced"
        case .lastSealClosed(let number, let closed):
            "seal \(number) is in the part of the trail that was closed up to seal \(closed): compare it with your export, and "
                + "verify with a newer one"
        case .lastSealLost(let number, let epochSeal):
            "seal \(number) was given up by an operator, with the epoch that begins with seal \(epochSeal)"
        }
    }
}

/// Checks an audit trail: first its seals, then its entries, each in their order. It keeps the ends of chains that the seals
/// cover, 32 bytes each. An entry must have the hash that a seal gives its place; hashes bind the earlier entries to it.
///
/// If a part of the trail was closed, the rest starts from the ends in the closing seal. That seal belongs to the rest, and
/// is checked like every seal. Entries that are closed but not removed yet are skipped.
package struct AuditVerifier {
    /// Verifies signatures of seals.
    package typealias KeyLookUp = (_ keyId: String) -> SealKeys.Verifier?

    package private(set) var faults: [AuditFault] = []
    package private(set) var entryCount = 0
    package private(set) var sealCount: Int64 = 0
    /// How many entries are newer than the last seal. Nothing proves that there were no more of them.
    package private(set) var unsealedCount = 0

    /// An entry that is this much older than the last seal must be sealed. Seals look at all chains each hour.
    static let sealedAfterSeconds: Int64 = 2 * 3600

    /// Where the trail starts again. A person must know why.
    package struct Epoch: Sendable, Equatable {
        package let number: Int32
        /// Its first seal.
        package let seal: Int64
        package let sealedAt: Timestamp
        package let reason: String
        /// Whether a server's key signed it, although a token had signed before.
        package let leavesToken: Bool
        /// The newest seal that was known, if an operator has accepted another trail.
        package let lost: Mark?
        /// The number of the seal before it; 0 if there is none.
        package let before: Int64
    }

    package private(set) var epochs: [Epoch] = []

    /// A key that has signed seals.
    package struct Signer: Sendable, Equatable {
        package let keyId: String
        package let holder: SealKeys.Holder
        package let firstSeal: Int64
        package internal(set) var seals = 0
    }

    /// By name.
    package private(set) var signers: [String: Signer] = [:]

    /// Entries that came late, and the seals that say so.
    package private(set) var late: [(entries: LateEntries, seal: Int64)] = []

    private let key: KeyLookUp
    private let closed: Mark?
    /// The last closed entry of each chain.
    private let closedEnds: [Int32: AuditHead]
    /// Seals that must be in the trail, and were not found yet.
    private var known: Set<Mark>
    /// The same, for the one that the vault keeps.
    private var kept: Mark?
    /// Seals with an unknown key, for example an erased one. A later seal with a valid signature covers them, because a
    /// server adds a seal only if it knows the key of the one before. A new epoch covers no closing, because an operator can
    /// begin an epoch after any seal.
    private var unknownKeys: [(fault: AuditFault, isClosing: Bool)] = []
    private var lastSeal: AuditSealRecord?
    /// Who signs the seals of this epoch.
    private var holder = SealKeys.Holder.server
    /// Whether there is or was a token. Then a server's seal covers no seal with an unknown key.
    private let hasToken: Bool
    /// The sealed ends of the chains that come.
    private var ends: [Int32: [SealedEnd]] = [:]
    /// Those of the chain that is being read, in the order of the chain, and how many of them have come.
    private var open: (ends: [SealedEnd], count: Int) = ([], 0)
    private var last: AuditEntryRecord?
    /// What the entries say about rows, if somebody asks for it.
    package private(set) var rows: RowHistory?

    /// What a seal says of an entry.
    private struct SealedEnd {
        let sequence: Int64
        let seal: Int64
        /// The first half of the hash. No one can find another entry with it.
        let hash: UInt128

        init(_ head: AuditHead, _ seal: Int64) {
            sequence = head.sequence
            self.seal = seal
            hash = Self.half(head.hash)
        }

        static func half(_ hash: [UInt8]) -> UInt128 { UInt128(bigEndianBytes: hash.prefix(16)) }
    }

    /// - Parameters:
    ///   - known: seals that must be in the trail.
    ///   - kept: the newest seal according to the vault.
    ///   - closing: the newest closing; nil if nothing was closed.
    ///   - hasToken: whether there is or was a token that signs.
    ///   - rows: collects what entries say about rows.
    package init(
        known: Set<Mark> = [], kept: Mark? = nil, closing: AuditSealRecord? = nil, hasToken: Bool,
        rows: RowHistory? = nil,
        key: @escaping KeyLookUp
    ) {
        self.known = known
        self.kept = kept
        self.key = key
        self.hasToken = hasToken
        self.rows = rows
        closed = closing?.closed
        closedEnds = Dictionary((closing?.coveredHeads ?? []).map { ($0.chainId, $0) }) { $1 }
        // Otherwise it would close itself, and never be read.
        if let closing, closing.number <= closing.closed?.number ?? 0 {
            faults.append(.wrongSealHash(number: closing.number))
        }
        if let closed { found(closed) }
    }

    private mutating func found(_ seal: Mark) {
        known.remove(seal)
        if kept == seal { kept = nil }
    }

    package mutating func read(_ seal: AuditSealRecord) {
        guard seal.number > closed?.number ?? 0 else { return }
        sealCount += 1
        let isNext = isNext(seal)
        if !isNext { faults.append(.missingSeals(before: seal.number)) }
        if seal.hash != seal.expectedHash || (isNext && seal.previousHash != lastSeal?.hash ?? closed?.hash ?? []) {
            faults.append(.wrongSealHash(number: seal.number))
        }
        if let verifier = key(seal.keyId) {
            if verifier.key.isValid(seal.signature, over: seal.signedText) {
                follow(seal, verifier.holder)
                if seal.kind == .epoch { faults += unknownKeys.filter(\.isClosing).map(\.fault) }
                if seal.kind == .epoch || verifier.holder > .server || !hasToken { unknownKeys = [] }
            } else {
                faults.append(.wrongSignature(seal: seal.number))
            }
        } else {
            let fault = AuditFault.unknownSealKey(seal: seal.number, keyId: seal.keyId)
            unknownKeys.append((fault, isClosing: seal.kind == .closing))
        }
        found(seal.mark)
        late += (seal.lateEntries ?? []).map { ($0, seal.number) }
        if seal.kind != .closing {
            for head in seal.coveredHeads ?? [] { ends[head.chainId, default: []].append(SealedEnd(head, seal.number)) }
        }
        lastSeal = seal
    }

    /// Whether no seal is missing before it, but those that an operator has given up.
    private func isNext(_ seal: AuditSealRecord) -> Bool {
        let previous = lastSeal?.number ?? closed?.number ?? 0
        return seal.number == previous + 1 || (seal.number > previous && seal.lost?.number == seal.number - 1)
    }

    /// Takes note of an epoch, and of a change from a token's key to a server's, which only an epoch can make.
    private mutating func follow(_ seal: AuditSealRecord, _ newHolder: SealKeys.Holder) {
        signers[seal.keyId, default: Signer(keyId: seal.keyId, holder: newHolder, firstSeal: seal.number)].seals += 1
        let leavesToken = holder > .server && newHolder == .server
        guard seal.kind == .epoch || !leavesToken else { return faults.append(.weakerKey(seal: seal.number)) }
        holder = newHolder
        guard seal.kind == .epoch else { return }
        epochs.append(
            Epoch(
                number: seal.epoch, seal: seal.number, sealedAt: seal.sealedAt, reason: seal.note,
                leavesToken: leavesToken, lost: seal.lost, before: lastSeal?.number ?? closed?.number ?? 0))
    }

    /// Reads the next entry. Chains come one after the other, each from its first entry.
    package mutating func read(_ entry: AuditEntryRecord) {
        let closedEnd = closedEnds[entry.chainId]
        guard entry.sequence > closedEnd?.sequence ?? 0 else { return }
        entryCount += 1
        let previous = last?.chainId == entry.chainId ? last : nil
        if previous == nil { beginChain(entry.chainId) }
        if entry.sequence != (previous?.sequence ?? closedEnd?.sequence ?? 0) + 1 {
            faults.append(.missingEntries(chainId: entry.chainId, before: entry.sequence))
        } else if entry.hash != entry.expectedHash(after: previous?.hash ?? closedEnd?.hash ?? []) {
            faults.append(.wrongHash(chainId: entry.chainId, sequence: entry.sequence))
        }
        compareWithSeals(entry)
        if entry.sequence > open.ends.last?.sequence ?? 0 {
            unsealedCount += 1
            if let lastSeal, lastSeal.sealedAt.seconds - entry.occurredAt.seconds > Self.sealedAfterSeconds {
                faults.append(.neverSealed(chainId: entry.chainId, sequence: entry.sequence))
            }
        }
        last = entry
        rows?.read(entry)
    }

    private mutating func beginChain(_ chainId: Int32) {
        endChain()
        open = (openEnds(of: chainId, ends.removeValue(forKey: chainId) ?? []), 0)
    }

    /// The ends in the order of the chain, without those of closed entries.
    private func openEnds(of chainId: Int32, _ ends: [SealedEnd]) -> [SealedEnd] {
        let sorted = ends.sorted { ($0.sequence, $0.seal) < ($1.sequence, $1.seal) }
        guard let closed = closedEnds[chainId] else { return sorted }
        return sorted.filter {
            $0.sequence > closed.sequence
                || $0.sequence == closed.sequence && $0.hash != SealedEnd.half(closed.hash)
        }
    }

    private mutating func compareWithSeals(_ entry: AuditEntryRecord) {
        while open.count < open.ends.count, open.ends[open.count].sequence <= entry.sequence {
            let end = open.ends[open.count]
            guard end.sequence == entry.sequence, end.hash == SealedEnd.half(entry.hash) else {
                return report(end, of: entry.chainId)
            }
            open.count += 1
        }
    }

    /// The first difference of a chain says enough: all later ones follow from it.
    private mutating func report(_ end: SealedEnd, of chainId: Int32) {
        faults.append(.unsealed(chainId: chainId, sequence: end.sequence, seal: end.seal))
        open.count = open.ends.count
    }

    private mutating func endChain() {
        guard let last, open.count < open.ends.count else { return }
        report(open.ends[open.count], of: last.chainId)
    }

    /// Call it after the last entry.
    package mutating func finish() {
        faults += unknownKeys.map(\.fault)
        endChain()
        for (chainId, missing) in ends.sorted(by: { $0.key < $1.key }) {
            guard let end = openEnds(of: chainId, missing).first else { continue }
            faults.append(.unsealed(chainId: chainId, sequence: end.sequence, seal: end.seal))
        }
        ends = [:]
        for seal in known.sorted(by: { $0.number < $1.number }) { faults.append(fault(ofMissing: seal)) }
        // What was closed or given up is gone rightly. Servers raise the mark later.
        if let kept, !known.contains(kept), case .lastSealDiffers = fault(ofMissing: kept) {
            faults.append(.lastSealDiffers(number: kept.number))
        }
    }

    private func fault(ofMissing seal: Mark) -> AuditFault {
        if let closed, seal.number < closed.number {
            return .lastSealClosed(number: seal.number, closedUpTo: closed.number)
        }
        let epoch = epochs.first { epoch in
            guard let lost = epoch.lost else { return false }
            return lost == seal || (epoch.before < seal.number && seal.number < epoch.seal)
        }
        if let epoch { return .lastSealLost(number: seal.number, epochSeal: epoch.seal) }
        return .lastSealDiffers(number: seal.number)
    }
}

extension AuditVerifier {
    private static let pageLength = 5_000

    /// What is collected about rows of cardholders and passes.
    package enum RowPart {
        case none, all
        /// Only what is to be closed with that part of the trail.
        case closed(AuditClosing.Part)
    }

    /// Checks the whole trail of a database.
    package static func verified(
        _ store: Store, known: Set<Mark>, kept: Mark?, keys: [String: SealKeys.Verifier],
        rows: RowPart = .none
    ) async throws(StoreError) -> AuditVerifier {
        let closing = try await store.newestAuditClosing()
        let history: RowHistory? =
            switch rows {
            case .none: nil
            case .all: RowHistory(closing: closing, part: nil)
            case .closed(let part): RowHistory(closing: closing, part: part.ends)
            }
        var verifier = AuditVerifier(
            known: known, kept: kept, closing: closing, hasToken: keys.values.contains { $0.holder > .server },
            rows: history
        ) { keys[$0] }
        var number: Int64 = 0
        while true {
            let seals = try await store.auditSeals(after: number, limit: pageLength)
            for seal in seals { verifier.read(seal) }
            guard let last = seals.last else { break }
            number = last.number
        }
        var (chainId, sequence) = (Int32.min, Int64(0))
        while true {
            let entries = try await store.auditEntries(afterChain: chainId, sequence: sequence, limit: pageLength)
            for entry in entries { verifier.read(entry) }
            guard let last = entries.last else { break }
            (chainId, sequence) = (last.chainId, last.sequence)
        }
        verifier.finish()
        return verifier
    }
}
