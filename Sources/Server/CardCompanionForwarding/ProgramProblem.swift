/// Why the connector stops the bank's program and starts it again, or cannot start it.
package enum ProgramProblem: Error, Equatable, CustomStringConvertible {
    /// It has written something else than an answer.
    case badAnswer(String)
    /// It goes on saying what nobody has asked, and what is known.
    case tooManyAnswers
    /// It did not answer in time.
    case tooSlow(event: String)
    /// It has ended, although the connector goes on.
    case ended
    /// It could not be started, or its pipes have failed.
    case failed(String)

    package var description: String {
        switch self {
        case .badAnswer(let problem): "it has answered something that is not understood: \(problem)"
        case .tooManyAnswers: "it goes on saying what nobody has asked, and what is known"
        case .tooSlow(let event): "it has not answered in time about event \(event)"
        case .ended: "it has ended"
        case .failed(let problem): problem
        }
    }
}
