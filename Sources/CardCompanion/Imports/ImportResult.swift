/// The result of one line of an import.
package struct ImportResult: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case created
        case replaced
        case refused(ProvisioningRefusal)
    }

    /// The first line is 1.
    package let line: Int
    /// Nil if the line has none.
    package let uniqueId: String?
    package let outcome: Outcome
}

extension ImportResult: Encodable {
    private enum CodingKeys: CodingKey {
        case line, uniqueId, result, error
    }

    /// `line`, `uniqueId`, `result`, and for a refused line `error`, a list of what is wrong.
    package func encode(to encoder: any Encoder) throws {
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

/// The result of a whole import: the last line of its answer.
package struct ImportSummary: Sendable, Encodable {
    package var lines = 0
    package var created = 0
    package var replaced = 0
    package var refused = 0
    /// Whether every good line was written.
    package var committed = false
    package var error: String?

    /// For people.
    package var text: String { "\(created) created, \(replaced) replaced, \(refused) refused" }
}
