package import CardCompanionModel
internal import Retries

/// What the connector waits for: the defined PINs that the bank's program was given, and has not answered yet.
package struct Conversation: Sendable {
    /// When a PIN is handed out again that the program has put off without saying until when.
    static let backOff = BackOff(first: .seconds(5), longest: .seconds(3600), jitter: 0.8...1.2)

    /// When the program is asked again about a PIN that the host has, but does not use yet, and no time was said.
    static let sentAgainSeconds = 3600
    /// How many answers in a row can be neither asked for nor of use.
    static let idleLimit = 100

    private struct Question {
        let pin: ForwardedPIN
        let deadline: ContinuousClock.Instant
    }

    private let limit: Int
    private let answerLimit: Duration
    private var questions: [String: Question] = [:]
    private var idle = 0

    /// - Parameters:
    ///   - limit: how many PINs the program has at once.
    ///   - answerLimit: how long it can take for each.
    package init(limit: Int, answerLimit: Duration) {
        self.limit = limit
        self.answerLimit = answerLimit
    }

    /// How many more PINs the program can get now.
    package var room: Int { limit - questions.count }

    package var isWaiting: Bool { !questions.isEmpty }

    /// The program is given a PIN.
    package mutating func begin(_ pin: ForwardedPIN, at now: ContinuousClock.Instant) {
        questions[pin.event] = Question(pin: pin, deadline: now + answerLimit)
    }

    /// The program has answered. It can answer again later, for example `effective` after `sent`.
    ///
    /// - Returns: what is reported to the database, and whether the program was asked.
    package mutating func end(
        with answer: ProgramAnswer, using random: inout some RandomNumberGenerator
    ) -> (report: ForwardedPINReport, wasAsked: Bool) {
        let (question, said) = (questions.removeValue(forKey: answer.report.event), answer.report)
        let report =
            switch (said.stage, said.afterSeconds) {
            case (.pending, nil):
                Self.putOff(said.uniqueId, said.event, attempts: question?.pin.attempt ?? 1, using: &random)
            case (.sent, nil):
                ForwardedPINReport(
                    uniqueId: said.uniqueId, event: said.event, stage: .sent, afterSeconds: Self.sentAgainSeconds)
            default: said
            }
        return (report, question != nil)
    }

    /// An answer was reported. A program that goes on saying what nobody asked, and what is known, is stopped.
    ///
    /// - Throws: ``ProgramProblem/tooManyAnswers``.
    package mutating func note(_ outcome: ForwardedPINOutcome?, wasAsked: Bool) throws(ProgramProblem) {
        idle = wasAsked || outcome == .reported ? 0 : idle + 1
        guard idle <= Self.idleLimit else { throw .tooManyAnswers }
    }

    /// The event that the program should have answered by now; nil if there is none.
    package func overdue(at now: ContinuousClock.Instant) -> String? {
        questions.values.filter { $0.deadline <= now }.min { $0.deadline < $1.deadline }?.pin.event
    }

    /// The program has ended: what it has not answered is put off.
    package mutating func abandon(using random: inout some RandomNumberGenerator) -> [ForwardedPINReport] {
        defer { questions = [:] }
        return questions.values.map {
            Self.putOff($0.pin.uniqueId, $0.pin.event, attempts: $0.pin.attempt, using: &random)
        }
    }

    private static func putOff(
        _ uniqueId: Identifier, _ event: String, attempts: Int, using random: inout some RandomNumberGenerator
    ) -> ForwardedPINReport {
        let delay = backOff.delay(afterFailures: attempts, using: &random)
        return ForwardedPINReport(
            uniqueId: uniqueId, event: event, stage: .pending, afterSeconds: max(1, Int(delay.components.seconds)))
    }
}
