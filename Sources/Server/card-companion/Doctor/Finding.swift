import Administration
import CardCompanionServer
import Foundation

/// What 'card-companion doctor' has found.
struct Finding: Encodable, Sendable {
    enum Level: String, Encodable {
        case ok
        /// Something that an operator should change.
        case warning
        /// The server cannot serve, or loses something.
        case error
    }

    let level: Level
    /// What was looked at: `tls`, `database` and so on.
    let area: String
    let text: String
    /// What to do; nil if nothing.
    let remedy: String?

    static func ok(_ area: String, _ text: String) -> Finding {
        Finding(level: .ok, area: area, text: text, remedy: nil)
    }

    static func warning(_ area: String, _ text: String, do remedy: String? = nil) -> Finding {
        Finding(level: .warning, area: area, text: text, remedy: remedy)
    }

    static func error(_ area: String, _ text: String, do remedy: String? = nil) -> Finding {
        Finding(level: .error, area: area, text: text, remedy: remedy)
    }

    /// For an error of a part that was looked at.
    static func error(_ area: String, _ error: any Error, do remedy: String? = nil) -> Finding {
        let text = (CommandError.wrapping(error) as? CommandError)?.message ?? "\(error)"
        return .error(area, text, do: remedy)
    }
}

/// Findings as a command shows them.
struct FindingsReport: Encodable, Sendable {
    let findings: [Finding]
    let errors: Int
    let warnings: Int

    init(findings: [Finding]) {
        self.findings = findings
        errors = findings.count { $0.level == .error }
        warnings = findings.count { $0.level == .warning }
    }

    var text: String {
        let lines = findings.map { finding in
            let first = "\(Self.padded(finding.level.rawValue, 9))\(Self.padded(finding.area, 15))\(finding.text)"
            return finding.remedy.map { "\(first)\n\(Self.padded("", 24))do: \($0)" } ?? first
        }
        return
            (lines + [
                "",
                "\(errors) \(errors == 1 ? "error" : "errors"), \(warnings) \(warnings == 1 ? "warning" : "warnings")",
            ]).joined(separator: "\n")
    }

    private static func padded(_ text: String, _ count: Int) -> String {
        text.padding(toLength: max(count, text.count + 1), withPad: " ", startingAt: 0)
    }
}
