internal import CardCompanionStore

/// What became of something that a client has sent, told step by step to whoever integrates it.
public struct Explanation: Sendable, Equatable {
    /// One thing that was looked at.
    public struct Finding: Sendable, Equatable {
        /// How it is.
        public enum Verdict: String, Sendable {
            /// As it is to be.
            case good
            /// The reason of a refusal.
            case bad
            /// Neither: what was read, or what could not be looked at.
            case note
        }

        /// How it is.
        public let verdict: Verdict
        /// What was looked at.
        public let subject: String
        /// What was found. It never holds a PIN, a code or a key.
        public let text: String
    }

    /// What was looked at, in the order in which the server does.
    public private(set) var findings: [Finding] = []

    /// Whether nothing was found that is refused.
    public var isGood: Bool { !findings.contains { $0.verdict == .bad } }

    mutating func good(_ subject: String, _ text: String) {
        findings.append(Finding(verdict: .good, subject: subject, text: text))
    }

    mutating func bad(_ subject: String, _ text: String) {
        findings.append(Finding(verdict: .bad, subject: subject, text: text))
    }

    mutating func note(_ subject: String, _ text: String) {
        findings.append(Finding(verdict: .note, subject: subject, text: text))
    }
}

extension Explanation {
    /// The time skew of a timestamp.
    mutating func judge(_ timestamp: RequestTimestamp?, sent: String, now: Int64, toleranceSeconds: Int) {
        guard let timestamp else {
            let hint = sent.utf8.count == 13 ? ": milliseconds?" : ""
            return bad("timestamp", "'\(sent)' is \(RequestTimestamp.form)\(hint) (200, 121)")
        }
        let skew = timestamp.skew(at: .init(seconds: now))
        if timestamp.isWithin(toleranceSeconds: toleranceSeconds, of: .init(seconds: now)) {
            good("timestamp", "\(skew), within \(toleranceSeconds)")
        } else {
            bad("timestamp", "\(skew); \(toleranceSeconds) to either side are taken (200, 121)")
        }
    }

    mutating func judgeIdentifier(_ name: String, _ value: String?) {
        guard let value, Identifier.isValid(value) else {
            return bad(name, "not a string of 1 to \(Identifier.maximumLength) printable characters (312)")
        }
        note(name, value)
    }
}
