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
        }
    }
}

/// Checks an audit trail: first its seals, then its entries, each in their order. It keeps only the end of each chain, as the
/// seals give it. Hashes bind the earlier entries to that end.
///
/// If a part of the trail was closed, the rest starts from the ends in the closing seal. That seal belongs to the rest, and
/// is checked like every seal. Entries that are closed but not removed yet are skipped.
package struct AuditVerifier {
    /// Verifies signatures of seals.
    package typealias KeyLookUp = (_ keyId: String) -> SealKeys.Verifier?

    /// A seal that the operator knows from elsewhere.
    package struct KnownSeal: Sendable, Equatable {
        package let number: Int64
        package let hash: [UInt8]

        /// Reads `NUMBER:HASH`, with the hash in hex.
        package init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let number = Int64(parts[0]), number > 0, let hash = Hex.decode(parts[1]),
                hash.count == SHA256.byteCount
            else { return nil }
            self.number = number
            self.hash = hash
        }
    }

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

    private let key: KeyLookUp
    private let closed: AuditSealRecord.Closed?
    /// The last closed entry of each chain.
    private let closedEnds: [Int32: AuditHead]
    private var known: KnownSeal?
    /// Seals with an unknown key, for example an erased one. A later seal with a valid signature covers them, because a
    /// server adds a seal only if it knows the key of the one before. A new epoch covers no closing, because an operator can
    /// begin an epoch after any seal.
    private var unknownKeys: [(fault: AuditFault, isClosing: Bool)] = []
    private var lastSeal: AuditSealRecord?
    /// Who signs the seals of this epoch.
    private var holder = SealKeys.Holder.server
    /// Whether there is or was a token. Then a server's seal covers no seal with an unknown key.
    private let hasToken: Bool
    /// The newest sealed end of each chain, and the number of its seal.
    private var ends: [Int32: (head: AuditHead, seal: Int64)] = [:]
    private var last: AuditEntryRecord?

    /// - Parameters:
    ///   - known: a seal that must be in the trail.
    ///   - closing: the newest closing; nil if nothing was closed.
    ///   - hasToken: whether there is or was a token that signs.
    package init(
        known: KnownSeal?, closing: AuditSealRecord? = nil, hasToken: Bool, key: @escaping KeyLookUp
    ) {
        self.known = known
        self.key = key
        self.hasToken = hasToken
        closed = closing?.closed
        closedEnds = Dictionary((closing?.coveredHeads ?? []).map { ($0.chainId, $0) }) { $1 }
        // Otherwise it would close itself, and never be read.
        if let closing, closing.number <= closing.closed?.number ?? 0 {
            faults.append(.wrongSealHash(number: closing.number))
        }
        if let known, let closed, known.number == closed.number, known.hash == closed.hash { self.known = nil }
    }

    package mutating func read(_ seal: AuditSealRecord) {
        guard seal.number > closed?.number ?? 0 else { return }
        sealCount += 1
        let isNext = seal.number == (lastSeal?.number ?? closed?.number ?? 0) + 1
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
        if known?.number == seal.number, known?.hash == seal.hash { known = nil }
        if seal.kind != .closing {
            for head in seal.coveredHeads ?? [] { ends[head.chainId] = (head, seal.number) }
        }
        lastSeal = seal
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
                leavesToken: leavesToken))
    }

    /// Reads the next entry. Chains come one after the other, each from its first entry.
    package mutating func read(_ entry: AuditEntryRecord) {
        let closedEnd = closedEnds[entry.chainId]
        guard entry.sequence > closedEnd?.sequence ?? 0 else { return }
        entryCount += 1
        let previous = last?.chainId == entry.chainId ? last : nil
        if entry.sequence != (previous?.sequence ?? closedEnd?.sequence ?? 0) + 1 {
            faults.append(.missingEntries(chainId: entry.chainId, before: entry.sequence))
        } else if entry.hash != entry.expectedHash(after: previous?.hash ?? closedEnd?.hash ?? []) {
            faults.append(.wrongHash(chainId: entry.chainId, sequence: entry.sequence))
        }
        if let end = ends[entry.chainId] {
            if end.head.sequence == entry.sequence, end.head.hash == entry.hash { ends[entry.chainId] = nil }
        } else {
            unsealedCount += 1
            if let lastSeal, lastSeal.sealedAt.seconds - entry.occurredAt.seconds > Self.sealedAfterSeconds {
                faults.append(.neverSealed(chainId: entry.chainId, sequence: entry.sequence))
            }
        }
        last = entry
    }

    /// Call it after the last entry.
    package mutating func finish() {
        faults += unknownKeys.map(\.fault)
        for (_, end) in ends.sorted(by: { $0.key < $1.key }) {
            faults.append(
                .unsealed(chainId: end.head.chainId, sequence: end.head.sequence, seal: end.seal))
        }
        if let known {
            let isClosed = known.number < closed?.number ?? 0
            faults.append(
                isClosed
                    ? .lastSealClosed(number: known.number, closedUpTo: closed?.number ?? 0)
                    : .lastSealDiffers(number: known.number))
        }
    }
}

extension AuditVerifier {
    private static let pageLength = 5_000

    /// Checks the whole trail of a database.
    package static func verified(
        _ store: Store, known: KnownSeal?, keys: [String: SealKeys.Verifier]
    ) async throws(StoreError) -> AuditVerifier {
        var verifier = AuditVerifier(
            known: known, closing: try await store.newestAuditClosing(),
            hasToken: keys.values.contains { $0.holder > .server }
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
