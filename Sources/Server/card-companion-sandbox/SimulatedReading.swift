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
    let errors: [String]
    let hasPassed: Bool

    init(_ app: SimulatedConnector, end: SimulatedConnector.End) {
        messages = app.story
        closeCode = end.code
        closeReason = end.reason
        let result = app.result
        passiveAuthentication = result?["passiveAuthentication"]?.bool
        chipAuthentication = result?["chipAuthenticationResult"]?.text
        activeAuthentication = result?["activeAuthenticationResult"]?.text
        errors = result?["errors"]?.elements.compactMap(\.text) ?? []
        hasPassed = result != nil && !errors.contains { $0.hasPrefix(ResultJSON.refusalPrefix) }
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
        return (messages + ["", TextTable.text(["RESULT", ""], rows + errors.map { ["error", $0] })])
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
