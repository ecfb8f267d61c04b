internal import CardCompanion
package import CardCompanionModel
internal import SecureMemory
internal import StrictJSON

/// A line that the bank's program answers with: what has become of a defined PIN.
package struct ProgramAnswer: Sendable, Equatable {
    /// The longest line, in bytes.
    package static let byteLimit = 4096
    /// When a PIN can be handed out again: from a second to a week later.
    package static let afterSecondsRange = 1...604_800

    private static let names = ["event", "uniqueId", "state", "reason", "afterSeconds"]

    package let report: ForwardedPINReport

    /// Reads a line, without its end.
    ///
    /// - Throws: ``ProgramProblem/badAnswer(_:)``, which has nothing of the line but names of members.
    package init(_ line: String) throws(ProgramProblem) {
        let json: JSONText
        do throws(JSONError) {
            json = try JSONText(SecretBytes(copying: Array(line.utf8)))
        } catch {
            throw .badAnswer("the line is not one JSON object: \(error)")
        }
        guard json.names.allSatisfy(Self.names.contains) else {
            throw .badAnswer("the line has a member that is none of \(Self.names.joined(separator: ", "))")
        }
        guard let event = json.string("event"), DefinedPINEvent.isId(event) else {
            throw .badAnswer("event must be the id of an event")
        }
        guard let uniqueId = json.string("uniqueId").flatMap(Identifier.init) else {
            throw .badAnswer("uniqueId must be the cardholder's")
        }
        guard let stage = json.string("state").flatMap(DefinedPINStage.init(rawValue:)) else {
            let names = DefinedPINStage.allCases.map(\.rawValue).joined(separator: ", ")
            throw .badAnswer("state must be one of \(names)")
        }
        report = ForwardedPINReport(
            uniqueId: uniqueId, event: event, stage: stage, reason: try Self.reason(json, stage),
            afterSeconds: try Self.afterSeconds(json, stage))
    }

    private static func reason(
        _ json: borrowing JSONText, _ stage: DefinedPINStage
    ) throws(ProgramProblem) -> String? {
        guard json.kind(of: "reason") != nil else { return nil }
        let text = json.string("reason")
        if let problem = DefinedPINReason.problems(of: text, stage: stage).first {
            throw .badAnswer("reason \(problem)")
        }
        return text
    }

    private static func afterSeconds(
        _ json: borrowing JSONText, _ stage: DefinedPINStage
    ) throws(ProgramProblem) -> Int? {
        guard let kind = json.kind(of: "afterSeconds") else { return nil }
        guard kind == .number, let seconds = json.text(of: "afterSeconds").flatMap({ Int($0) }),
            afterSecondsRange.contains(seconds)
        else {
            let (least, most) = (afterSecondsRange.lowerBound, afterSecondsRange.upperBound)
            throw .badAnswer("afterSeconds must be a whole number from \(least) to \(most)")
        }
        guard stage == .pending || stage == .sent else {
            throw .badAnswer("afterSeconds is for the states pending and sent only")
        }
        return seconds
    }
}
