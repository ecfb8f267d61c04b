package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import SecureMemory

/// An import of many cardholders, from its first byte to its last result: the one driver for HTTP, the command line and the
/// sandbox.
///
/// Lines are checked in batches, and the good ones are staged in the database, so that memory use does not depend on their
/// number. When the body is complete, the staged lines are written. A bad line does not stop the others.
package struct CardholderImport: Sendable {
    /// How many lines are checked, staged or written at once at most, and how many bytes they can have together.
    package static let batchLineLimit = 500
    static let batchByteLimit = 1 << 20
    /// The longest line, in bytes.
    package static let lineByteLimit = 65_536
    /// How often one batch is written again because another transaction was in the way.
    static let mergeAttemptLimit = 5
    /// The most lines of one import.
    package static let lineLimit = 2_000_000

    package enum Progress: Sendable {
        /// How many lines were read.
        case reading(lines: Int)
        /// How many lines there are to write.
        case writing(staged: Int)
    }

    private struct NumberedLine: Sendable {
        let number: Int
        let line: LineSplitter.Line
    }

    private enum Check: Sendable {
        case good(ImportLine)
        case refused(ImportResult)
    }

    /// It is complete when ``run(nextChunk:whenComplete:report:)`` has returned.
    package private(set) var summary = ImportSummary()

    private let importId = Base64URL.encode(SecureRandom.bytes(count: 18))
    private let bankId: Identifier
    private let settings: BankSettings
    private let provisioning: Provisioning
    private let actor: String
    private let store: Store
    private let clock: WallClock
    private let parallelism: Int
    private let isDryRun: Bool
    private var splitter = LineSplitter(byteLimit: lineByteLimit)
    private var batch: [NumberedLine] = []
    private var batchByteCount = 0
    private var stagedCount = 0
    private var mergedCount = 0

    /// - Parameters:
    ///   - actor: who imports, for the audit trail.
    ///   - parallelism: how many lines are opened at once.
    ///   - isDryRun: whether lines are only checked, and nothing is written.
    package init(
        bank: IssuerBank, provisioning: Provisioning, actor: String, store: Store, clock: WallClock, parallelism: Int,
        isDryRun: Bool = false
    ) {
        bankId = bank.id
        settings = bank.settings
        self.actor = actor
        self.provisioning = provisioning
        self.store = store
        self.clock = clock
        self.parallelism = max(1, parallelism)
        self.isDryRun = isDryRun
        summary.good = isDryRun ? 0 : nil
    }

    /// Reads all lines, then writes the good ones. If anything fails before the writing, nothing is written.
    ///
    /// - Parameters:
    ///   - nextChunk: the next bytes of the body; nil at its end.
    ///   - whenComplete: checks the body as a whole, after its end and before anything is written.
    ///   - report: gets results as they come, and the progress. If it waits, the import waits too (back-pressure).
    /// - Throws: ``ImportFailure``, `StoreError`, and the errors of the closures.
    package mutating func run(
        nextChunk: () async throws -> SharedSecret?, whenComplete: () throws -> Void = {},
        report: ([ImportResult], Progress) async throws -> Void
    ) async throws {
        do {
            try await read(nextChunk, report)
            try whenComplete()
            guard !isDryRun else { return }
            try await write(report)
            summary.committed = true
        } catch {
            // Also if its client has gone. If this fails too, housekeeping does it later.
            await uncancelled { [store, importId, bankId] in
                try? await store.discardStaged(importId: importId, bankId: bankId)
            }
            throw error
        }
    }

    private mutating func read(
        _ nextChunk: () async throws -> SharedSecret?, _ report: ([ImportResult], Progress) async throws -> Void
    ) async throws {
        while let chunk = try await nextChunk() {
            for line in splitter.split(chunk) {
                try await report(count(try await add(line)), .reading(lines: summary.lines))
            }
        }
        if let last = splitter.finish() {
            try await report(count(try await add(last)), .reading(lines: summary.lines))
        }
        try await report(count(try await stage()), .reading(lines: summary.lines))
    }

    private mutating func write(_ report: ([ImportResult], Progress) async throws -> Void) async throws {
        var pace = ImportPace()
        while true {
            let begin = ContinuousClock.now
            let results = try await merge(limit: pace.lines)
            guard !results.isEmpty else { return }
            let rest = pace.wrote(in: begin.duration(to: .now))
            try await report(count(results), .writing(staged: stagedCount))
            if rest > .zero { try await Task.sleep(for: rest) }
        }
    }

    private mutating func count(_ results: [ImportResult]) -> [ImportResult] {
        for result in results {
            switch result.outcome {
            case .good: summary.good = (summary.good ?? 0) + 1
            case .written(let written): summary.count(written.effect)
            case .refused: summary.refused += 1
            }
        }
        return results
    }

    /// Takes the next line. A blank one is ignored.
    ///
    /// - Returns: if this line fills a batch, the refusals in it.
    private mutating func add(_ line: LineSplitter.Line) async throws -> [ImportResult] {
        summary.lines += 1
        guard summary.lines <= Self.lineLimit else { throw ImportFailure.tooManyLines }
        guard !line.isBlank else { return [] }
        batch.append(NumberedLine(number: summary.lines, line: line))
        batchByteCount += line.byteCount
        let isFull = batch.count >= Self.batchLineLimit || batchByteCount >= Self.batchByteLimit
        return isFull ? try await stage() : []
    }

    private mutating func stage() async throws -> [ImportResult] {
        let checks = try await check(batch)
        (batch, batchByteCount) = ([], 0)
        let good = checks.compactMap { if case .good(let line) = $0 { line } else { nil } }
        let refused = checks.compactMap { if case .refused(let result) = $0 { result } else { nil } }
        if isDryRun { return refused + good.map(ImportResult.init(good:)) }
        if !good.isEmpty {
            // The clean-up would miss lines that are written after it.
            try await uncancelled { [store, importId, bankId, now = clock.now()] in
                try await store.stage(good, importId: importId, bankId: bankId, now: now)
            }
            stagedCount += good.count
        }
        return refused
    }

    private mutating func merge(limit: Int) async throws -> [ImportResult] {
        let merged = try await mergeBatch(limit: limit)
        mergedCount += merged.count
        guard !merged.isEmpty || mergedCount == stagedCount else { throw ImportFailure.linesLost }
        return merged.map(ImportResult.init)
    }

    /// Writes one batch in one transaction. If another transaction is in the way, it is tried again.
    private func mergeBatch(limit: Int) async throws -> [ImportedLine] {
        for _ in 1..<Self.mergeAttemptLimit {
            do {
                return try await mergeOnce(limit: limit)
            } catch StoreError.conflict {
                continue
            }
        }
        return try await mergeOnce(limit: limit)
    }

    private func mergeOnce(limit: Int) async throws(StoreError) -> [ImportedLine] {
        try await store.mergeStaged(
            importId: importId, bankId: bankId, settings: settings, limit: limit, actor: actor,
            now: clock.now())
    }

    /// Checks lines in parallel, because opening the sealed values takes time. The answers are in the order of the lines.
    private func check(_ lines: [NumberedLine]) async throws -> [Check] {
        let share = max(1, (lines.count + parallelism - 1) / parallelism)
        let provisioning = provisioning.renewed()
        return try await withThrowingTaskGroup(of: (start: Int, checks: [Check]).self) { group in
            for start in stride(from: 0, to: lines.count, by: share) {
                let part = lines[start..<min(start + share, lines.count)]
                // Not on the event loop of the import's connection: it serves other connections too.
                group.addTask(executorPreference: globalConcurrentExecutor) {
                    var checks: [Check] = []
                    for line in part {
                        checks.append(try await Self.check(line, provisioning))
                        // Requests of cardholders go first.
                        await Task.yield()
                    }
                    return (start, checks)
                }
            }
            let parts = try await group.reduce(into: []) { $0.append($1) }
            return parts.sorted { $0.start < $1.start }.flatMap(\.checks)
        }
    }

    private static func check(_ numbered: NumberedLine, _ provisioning: Provisioning) async throws -> Check {
        do {
            guard case .whole(let line) = numbered.line else { throw tooLong }
            return .good(try await provisioning.line(line.bytes.copy(), number: numbered.number))
        } catch let refusal as ProvisioningRefusal {
            return .refused(
                ImportResult(line: numbered.number, uniqueId: refusal.uniqueId?.text, outcome: .refused(refusal)))
        }
    }

    private static let tooLong = ProvisioningRefusal(
        uniqueId: nil, problems: [ProvisioningError(nil, "the line must have at most \(lineByteLimit) bytes")])
}

/// Why an import was not written, or not completely.
package enum ImportFailure: Error, CustomStringConvertible {
    /// Staged lines are missing, for example after a crash of the database.
    case linesLost
    case tooManyLines

    /// For the bank.
    package var description: String {
        switch self {
        case .linesLost:
            "The database has lost lines of this import, and some lines may be written. Send the body again."
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
