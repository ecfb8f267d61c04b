import Administration
import CardCompanionServer
import DocumentValidation
import DocumentValidationSimulation
import StrictJSON

/// How it went when a simulated app has read a chip.
struct SimulatedReading: Encodable {
    /// What the app has sent and received, without contents.
    let messages: [String]
    let closeCode: Int
    let closeReason: String
    /// Nil if there was no result, as the next two.
    let passiveAuthentication: Bool?
    let chipAuthentication: String?
    let activeAuthentication: String?
    /// Why the document did not pass.
    let errors: [String]
    /// What does not decide whether it passes, such as a missing revocation list.
    let notes: [String]
    let hasPassed: Bool

    init(_ app: SimulatedConnector, end: SimulatedConnector.End) {
        messages = app.story
        closeCode = end.code
        closeReason = end.reason
        let result = app.result
        passiveAuthentication = result?["passiveAuthentication"]?.bool
        chipAuthentication = result?["chipAuthenticationResult"]?.text
        activeAuthentication = result?["activeAuthenticationResult"]?.text
        // A result has both in one list.
        let remarks = result?["errors"]?.elements.compactMap(\.text) ?? []
        errors = remarks.filter { $0.hasPrefix(ResultJSON.refusalPrefix) }
        notes = remarks.filter { !$0.hasPrefix(ResultJSON.refusalPrefix) }
        hasPassed = result != nil && errors.isEmpty
    }

    /// For the terminal.
    var text: String {
        let rows = [
            ["document", hasPassed ? "passed" : "did not pass"],
            ["closed with", closeReason.isEmpty ? "\(closeCode)" : "\(closeCode) \(closeReason)"],
            ["passive authentication", passiveAuthentication.map { "\($0)" } ?? "-"],
            ["chip authentication", chipAuthentication ?? "-"],
            ["active authentication", activeAuthentication ?? "-"],
        ]
        let remarks = errors.map { ["error", $0] } + notes.map { ["note", $0] }
        return (messages + ["", TextTable.text(["RESULT", ""], rows + remarks)])
            .joined(separator: "\n")
    }
}

extension JSONValue {
    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    fileprivate var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    fileprivate var elements: [JSONValue] {
        if case .array(let elements) = self { elements } else { [] }
    }
}
