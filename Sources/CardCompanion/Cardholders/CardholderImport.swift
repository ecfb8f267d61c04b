public import CardCompanionStore
public import SecureMemory

/// An import of many cardholders: each line for itself, written in batches, so that a bad line stops no other.
public struct CardholderImport: Sendable {
    /// How many cardholders are written in one statement.
    public static let batchSize = 500
    /// The longest line, in bytes.
    public static let lineByteLimit = 65_536

    /// What became of one line.
    public struct Result: Sendable, Equatable {
        /// How a line may end.
        public enum Outcome: Sendable, Equatable {
            case created
            case replaced
            case refused(ProvisioningError)
        }

        /// The line's number; the first is 1.
        public let line: Int
        /// The cardholder, where the line told who it is.
        public let uniqueId: String?
        /// What became of it.
        public let outcome: Outcome
    }

    private let bankId: String
    private let provisioning: Provisioning
    private let store: Store
    private let clock: WallClock
    private var batch: [(line: Int, cardholder: SealedCardholder)] = []
    private var batchIds: Set<ExactText> = []
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
    /// - Returns: what became of this line and of those before it whose batch was written.
    public mutating func add(line: consuming SecretBytes) async throws -> [Result] {
        lineNumber += 1
        guard line.withBytes({ !$0.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }) else { return [] }
        let cardholder: SealedCardholder
        do {
            cardholder = try await provisioning.cardholder(line: line)
        } catch let error as ProvisioningError {
            return [Result(line: lineNumber, uniqueId: nil, outcome: .refused(error))]
        }
        // A cardholder whom the batch holds already is for the next one: a statement writes each row once.
        let isRepeated = batchIds.contains(ExactText(cardholder.uniqueId))
        let results = isRepeated || batch.count >= Self.batchSize ? try await finish() : []
        batch.append((lineNumber, cardholder))
        batchIds.insert(ExactText(cardholder.uniqueId))
        return results
    }

    /// Notes a line that was too long to be read.
    public mutating func refuseOverlongLine() -> Result {
        lineNumber += 1
        let error = ProvisioningError(nil, "longer than \(Self.lineByteLimit) bytes")
        return Result(line: lineNumber, uniqueId: nil, outcome: .refused(error))
    }

    /// Writes what is left.
    public mutating func finish() async throws -> [Result] {
        guard !batch.isEmpty else { return [] }
        let written = batch
        batch = []
        batchIds = []
        let created = try await store.reaching {
            try await $0.putCardholders(written.map(\.cardholder), bankId: bankId, now: clock.now())
        }
        return written.map { line, cardholder in
            let outcome: Result.Outcome = created.contains(cardholder.uniqueId) ? .created : .replaced
            return Result(line: line, uniqueId: cardholder.uniqueId, outcome: outcome)
        }
    }
}
