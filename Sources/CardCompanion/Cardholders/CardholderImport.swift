public import CardCompanionStore
internal import Cryptography
public import SecureMemory

/// An import of many cardholders. Good lines are laid aside in batches, so that memory stays the same for any number of
/// them; when the whole stands they are written, each for itself, so that a bad line stops no other.
public struct CardholderImport: Sendable {
    /// How many cardholders one statement takes.
    public static let batchSize = 500
    /// The longest line, in bytes.
    public static let lineByteLimit = 65_536

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

    private let importId = Base64URL.encode(SecureRandom.bytes(count: 18))
    private let bankId: String
    private let provisioning: Provisioning
    private let store: Store
    private let clock: WallClock
    private var batch: [ImportLine] = []
    private var lineNumber = 0

    /// An import into a bank.
    public init(bankId: String, provisioning: Provisioning, store: Store, clock: WallClock) {
        self.bankId = bankId
        self.provisioning = provisioning
        self.store = store
        self.clock = clock
    }

    /// Takes the next line; a blank one is passed over.
    ///
    /// - Returns: the line's refusal; nil where it was laid aside.
    public mutating func add(line: consuming SecretBytes) async throws -> Result? {
        lineNumber += 1
        guard line.withBytes({ !$0.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }) else { return nil }
        do {
            let cardholder = try await provisioning.cardholder(line: line)
            batch.append(ImportLine(line: lineNumber, cardholder: cardholder))
        } catch let error as ProvisioningRefusal {
            return Result(line: lineNumber, uniqueId: error.uniqueId, outcome: .refused(error))
        }
        if batch.count >= Self.batchSize { try await stage() }
        return nil
    }

    /// Notes a line that was too long to be read.
    public mutating func refuseOverlongLine() -> Result {
        lineNumber += 1
        let error = ProvisioningError(nil, "longer than \(Self.lineByteLimit) bytes")
        return Result(
            line: lineNumber, uniqueId: nil, outcome: .refused(ProvisioningRefusal(uniqueId: nil, problems: [error])))
    }

    /// Writes the next of the lines that were laid aside, once no more are to come.
    ///
    /// - Returns: what became of them; none where none are left.
    public mutating func merge() async throws -> [Result] {
        try await stage()
        let merged = try await store.reaching { [importId, clock] in
            try await $0.mergeStaged(importId: importId, limit: Self.batchSize, now: clock.now())
        }
        return merged.map {
            Result(line: $0.line, uniqueId: $0.uniqueId, outcome: $0.isNew ? .created : .replaced)
        }
    }

    /// Throws away what was laid aside.
    public func discard() async throws {
        try await store.reaching { try await $0.discardStaged(importId: importId) }
    }

    private mutating func stage() async throws {
        guard !batch.isEmpty else { return }
        try await store.reaching { [batch, importId, bankId, clock] in
            try await $0.stage(batch, importId: importId, bankId: bankId, now: clock.now())
        }
        batch = []
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
