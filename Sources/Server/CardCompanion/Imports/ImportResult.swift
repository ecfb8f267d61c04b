internal import CardCompanionAPI
package import CardCompanionModel

/// The result of one line of an import.
package struct ImportResult: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// Of a dry run: the line has nothing wrong in it.
        case good
        case written(WrittenCardholder)
        case refused(ProvisioningRefusal)
    }

    /// The first line is 1.
    package let line: Int
    /// Nil if the line has none.
    package let uniqueId: String?
    package let outcome: Outcome
    /// Members that were ignored.
    package var unknownMembers: [String] = []
}

extension ImportResult {
    init(_ line: ImportedLine) {
        self.line = line.line
        uniqueId = line.uniqueId.text
        unknownMembers = line.unknownMembers
        outcome = Self.outcome(of: line)
    }

    /// The result of a dry run.
    init(good line: ImportLine) {
        self.line = line.line
        uniqueId = line.uniqueId.text
        unknownMembers = line.unknownMembers
        outcome = .good
    }

    private static func outcome(of line: ImportedLine) -> Outcome {
        do throws(ProvisioningRefusal) {
            if case .done(let written) = try line.outcome.orRefusal(of: line.uniqueId) { return .written(written) }
            throw ProvisioningRefusal(
                uniqueId: line.uniqueId,
                problems: [ProvisioningError(MemberName.uniqueId, "the bank has no such cardholder")])
        } catch {
            return .refused(error)
        }
    }
}

extension ImportResult: Encodable {
    private enum CodingKeys: CodingKey {
        case line, uniqueId, result, pin, error, warnings
    }

    /// `line`, `uniqueId` and `result`; `pin` if the line has a PIN; `error`, a list of what is wrong, if it was refused;
    /// `warnings` if members were ignored.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(line, forKey: .line)
        try container.encodeIfPresent(uniqueId, forKey: .uniqueId)
        switch outcome {
        case .good:
            try container.encode("good", forKey: .result)
        case .written(let written):
            try container.encode(written.effect.rawValue, forKey: .result)
            try container.encodeIfPresent(written.pin?.rawValue, forKey: .pin)
        case .refused(let refusal):
            try container.encode("refused", forKey: .result)
            try container.encode(refusal.problems, forKey: .error)
        }
        if let warnings = ProvisioningError.warnings(unknownMembers) {
            try container.encode(warnings, forKey: .warnings)
        }
    }
}

extension ProvisioningError {
    /// How many ignored members are reported, and how many characters of their names.
    private static let warningLimit = 10
    private static let nameLimit = 64

    /// The warnings about ignored members; nil if there are none.
    package static func warnings(_ unknownMembers: [String]) -> [ProvisioningError]? {
        guard !unknownMembers.isEmpty else { return nil }
        return unknownMembers.prefix(warningLimit).map {
            ProvisioningError(String($0.prefix(nameLimit)), "is not known: it was ignored")
        }
    }
}

/// The result of a whole import: the last line of its answer.
package struct ImportSummary: Sendable, Encodable {
    package var lines = 0
    package var created = 0
    package var replaced = 0
    package var unchanged = 0
    package var deleted = 0
    package var refused = 0
    /// Good lines of a dry run; nil if it is none.
    package var good: Int?
    /// Whether every good line was written.
    package var committed = false
    package var error: String?

    /// For people.
    package var text: String {
        if let good { return "\(good) good, \(refused) refused; nothing was written" }
        return
            "\(created) created, \(replaced) replaced, \(unchanged) unchanged, \(deleted) deleted, \(refused) refused"
    }

    mutating func count(_ effect: WrittenCardholder.Effect) {
        switch effect {
        case .created: created += 1
        case .replaced: replaced += 1
        case .unchanged: unchanged += 1
        case .deleted: deleted += 1
        }
    }
}
