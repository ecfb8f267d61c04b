internal import CardCompanionModel

/// What the server checks in a client's message, step by step, for the client's developer.
package struct Explanation: Sendable, Equatable {
    package struct Finding: Sendable, Equatable {
        package enum Verdict: String, Sendable {
            case good
            /// The server refuses the message.
            case bad
            /// Information, or something that was not checked.
            case note
        }

        package let verdict: Verdict
        /// What was checked.
        package let subject: String
        /// The result. It never contains a PIN, a code or a key.
        package let text: String
    }

    /// In the order in which the server checks.
    package private(set) var findings: [Finding] = []

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
    mutating func check(_ timestamp: RequestTimestamp?, sent: String, now: Int64, toleranceSeconds: Int) {
        guard let timestamp else {
            let hint = sent.utf8.count == 13 ? ", not milliseconds" : ""
            return bad("timestamp", "'\(sent)' \(RequestTimestamp.form)\(hint) (200, 121)")
        }
        let skew = timestamp.skew(at: .init(seconds: now))
        if timestamp.isWithin(toleranceSeconds: toleranceSeconds, of: .init(seconds: now)) {
            good("timestamp", "\(skew), within the tolerance of \(toleranceSeconds) seconds")
        } else {
            bad("timestamp", "\(skew); the tolerance is \(toleranceSeconds) seconds (200, 121)")
        }
    }

    mutating func checkIdentifier(_ name: String, _ value: String?) {
        guard let identifier = value.flatMap({ Identifier($0) }) else {
            return bad(name, "must be a string of \(Identifier.rule) (312)")
        }
        note(name, identifier.text)
    }
}
