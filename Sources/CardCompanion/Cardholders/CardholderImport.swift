public import CardCompanionStore
internal import Cryptography
internal import SecureMemory

/// An import of many cardholders. Lines are judged in batches, and the good ones staged in the database, so that memory
/// stays the same for any number of them; when the whole stands they are written, each for itself, so that a bad line stops
/// no other.
public struct CardholderImport: Sendable {
    /// How many lines are judged, staged or written at once, and how many bytes they may have together.
    public static let batchLineLimit = 500
    static let batchByteLimit = 1 << 20
    /// The longest line, in bytes.
    public static let lineByteLimit = 65_536
    /// The most lines of one import.
    public static let lineLimit = 2_000_000

    /// What became of one line.
    public struct Result: Sendable, Equatable {
        /// How a line may end.
        public enum Outcome: Sendable, Equatable {
            case created
            case replaced
            case refused(ProvisioningRefusal)
        }

        /// The line's number; the first is 1.
        public let line: Int
        /// The cardholder, where the line told who it is.
        public let uniqueId: String?
        /// What became of it.
        public let outcome: Outcome
    }

    private struct NumberedLine: Sendable {
        let number: Int
        let line: LineSplitter.Line
    }

    private enum Judgement: Sendable {
        case good(ImportLine)
        case refused(Result)
    }

    private let importId = Base64URL.encode(SecureRandom.bytes(count: 18))
    private let bankId: String
    private let provisioning: Provisioning
    private let store: Store
    private let clock: WallClock
    private let parallelism: Int
    private var batch: [NumberedLine] = []
    private var batchByteCount = 0
    /// How many lines wait to be written, or are.
    public private(set) var stagedCount = 0
    private var mergedCount = 0
    /// How many lines there were so far, blank ones included.
    public private(set) var lineCount = 0

    /// An import into a bank.
    ///
    /// - Parameter parallelism: how many lines are opened at once.
    public init(bankId: String, provisioning: Provisioning, store: Store, clock: WallClock, parallelism: Int) {
        self.bankId = bankId
        self.provisioning = provisioning
        self.store = store
        self.clock = clock
        self.parallelism = max(1, parallelism)
    }

    /// Takes the next line; a blank one is passed over.
    ///
    /// - Returns: where this line fills a batch, the refusals in it.
    /// - Throws: ``ImportFailure/tooManyLines``, ``ServiceUnavailable``.
    public mutating func add(_ line: LineSplitter.Line) async throws -> [Result] {
        lineCount += 1
        guard lineCount <= Self.lineLimit else { throw ImportFailure.tooManyLines }
        guard !line.isBlank else { return [] }
        batch.append(NumberedLine(number: lineCount, line: line))
        batchByteCount += line.byteCount
        let isFull = batch.count >= Self.batchLineLimit || batchByteCount >= Self.batchByteLimit
        return isFull ? try await stage() : []
    }

    /// Takes it that no more lines are to come.
    ///
    /// - Returns: the refusals among the last lines.
    public mutating func finish() async throws -> [Result] {
        let refusals = try await stage()
        // It only makes writing faster: where it is not allowed, or has to wait too long, the import goes on without.
        if stagedCount > Self.batchLineLimit { try? await store.countStaged() }
        return refusals
    }

    /// Writes the next of the lines that were staged.
    ///
    /// - Returns: what became of them; none where none are left.
    /// - Throws: ``ImportFailure/linesLost``, ``ServiceUnavailable``.
    public mutating func merge() async throws -> [Result] {
        let merged = try await store.reaching { [importId, clock] in
            try await $0.mergeStaged(importId: importId, limit: Self.batchLineLimit, now: clock.now())
        }
        mergedCount += merged.count
        guard !merged.isEmpty || mergedCount == stagedCount else { throw ImportFailure.linesLost }
        return merged.map {
            Result(line: $0.line, uniqueId: $0.uniqueId, outcome: $0.isNew ? .created : .replaced)
        }
    }

    /// Throws away what was staged.
    public func discard() async throws {
        try await store.reaching { try await $0.discardStaged(importId: importId) }
    }

    private mutating func stage() async throws -> [Result] {
        let judgements = try await judge(batch)
        (batch, batchByteCount) = ([], 0)
        let good = judgements.compactMap { if case .good(let line) = $0 { line } else { nil } }
        if !good.isEmpty {
            try await store.reaching { [importId, bankId, clock] in
                try await $0.stage(good, importId: importId, bankId: bankId, now: clock.now())
            }
            stagedCount += good.count
        }
        return judgements.compactMap { if case .refused(let result) = $0 { result } else { nil } }
    }

    /// Judges lines side by side, for it is opening what is sealed that takes time; the answers are in the lines' order.
    private func judge(_ lines: [NumberedLine]) async throws -> [Judgement] {
        let share = max(1, (lines.count + parallelism - 1) / parallelism)
        return try await withThrowingTaskGroup(of: (start: Int, judgements: [Judgement]).self) { group in
            for start in stride(from: 0, to: lines.count, by: share) {
                let part = lines[start..<min(start + share, lines.count)]
                group.addTask {
                    var judgements: [Judgement] = []
                    for line in part {
                        judgements.append(try await judge(line))
                        // What cardholders ask for comes in between.
                        await Task.yield()
                    }
                    return (start, judgements)
                }
            }
            let parts = try await group.reduce(into: []) { $0.append($1) }
            return parts.sorted { $0.start < $1.start }.flatMap(\.judgements)
        }
    }

    private func judge(_ numbered: NumberedLine) async throws -> Judgement {
        do {
            guard case .whole(let line) = numbered.line else { throw Self.tooLong }
            let cardholder = try await provisioning.cardholder(line: line.bytes.copy())
            return .good(ImportLine(line: numbered.number, cardholder: cardholder))
        } catch let refusal as ProvisioningRefusal {
            return .refused(
                Result(line: numbered.number, uniqueId: refusal.uniqueId, outcome: .refused(refusal)))
        }
    }

    private static let tooLong = ProvisioningRefusal(
        uniqueId: nil, problems: [ProvisioningError(nil, "longer than \(lineByteLimit) bytes")])
}

/// Why an import as a whole is not, or not wholly, written.
public enum ImportFailure: Error, CustomStringConvertible {
    /// Lines that were staged are gone, as after a crash of the database.
    case linesLost
    /// There are more than ``CardholderImport/lineLimit``.
    case tooManyLines

    /// For the bank's people.
    public var description: String {
        switch self {
        case .linesLost: "The database has lost lines of this import; some may be written. Send the body again."
        case .tooManyLines: "The body has more than \(CardholderImport.lineLimit) lines. Nothing was written."
        }
    }
}

extension LineSplitter.Line {
    fileprivate var byteCount: Int {
        if case .whole(let line) = self { line.bytes.count } else { 0 }
    }

    fileprivate var isBlank: Bool {
        guard case .whole(let line) = self else { return false }
        return line.bytes.withBytes { $0.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
    }
}

extension CardholderImport.Result: Encodable {
    private enum CodingKeys: CodingKey {
        case line, uniqueId, result, error
    }

    /// As banks and scripts read it: `line`, `uniqueId`, `result`, and for a refused line `error`, a list of what is wrong.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(line, forKey: .line)
        try container.encodeIfPresent(uniqueId, forKey: .uniqueId)
        switch outcome {
        case .created: try container.encode("created", forKey: .result)
        case .replaced: try container.encode("replaced", forKey: .result)
        case .refused(let refusal):
            try container.encode("refused", forKey: .result)
            try container.encode(refusal.problems, forKey: .error)
        }
    }
}
