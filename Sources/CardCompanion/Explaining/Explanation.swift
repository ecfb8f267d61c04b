internal import CardCompanionStore

/// What became of something that a client has sent, told step by step to whoever integrates it.
package struct Explanation: Sendable, Equatable {
    /// One thing that was looked at.
    package struct Finding: Sendable, Equatable {
        /// How it is.
        package enum Verdict: String, Sendable {
            /// As it is to be.
            case good
            /// The reason of a refusal.
            case bad
            /// Neither: what was read, or what could not be looked at.
            case note
        }

        /// How it is.
        package let verdict: Verdict
        /// What was looked at.
        package let subject: String
        /// What was found. It never holds a PIN, a code or a key.
        package let text: String
    }

    /// What was looked at, in the order in which the server does.
    package private(set) var findings: [Finding] = []

    /// Whether nothing was found that is refused.
    package var isGood: Bool { !findings.contains { $0.verdict == .bad } }

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
            return bad("timestamp", "'\(sent)' \(RequestTimestamp.form)\(hint) (200, 121)")
        }
        let skew = timestamp.skew(at: .init(seconds: now))
        if timestamp.isWithin(toleranceSeconds: toleranceSeconds, of: .init(seconds: now)) {
            good("timestamp", "\(skew), within \(toleranceSeconds)")
        } else {
            bad("timestamp", "\(skew); at most \(toleranceSeconds) are allowed (200, 121)")
        }
    }

    mutating func judgeIdentifier(_ name: String, _ value: String?) {
        guard let identifier = value.flatMap({ Identifier($0) }) else {
            return bad(name, "must be a string of \(Identifier.rule) (312)")
        }
        note(name, identifier.text)
    }
}
