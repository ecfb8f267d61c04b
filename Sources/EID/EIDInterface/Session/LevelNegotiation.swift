/// Chooses the highest level that the app and the AusweisApp both have (document 000, sections 5.2, 5.3 and 6.2).
///
/// GET_API_LEVEL → API_LEVEL → SET_API_LEVEL → API_LEVEL. Without a common level it fails: the AusweisApp is too old.
public struct LevelNegotiation: Sendable {
    /// What comes next.
    public enum Step: Sendable {
        /// Send this.
        case send(Command)
        /// The level is chosen.
        case agreed(APILevel)
        /// There is no common level, or the AusweisApp refused it.
        case failed
    }

    private enum State: Sendable {
        case asking
        case choosing(APILevel)
        case finished
    }

    private let supported: Set<APILevel>
    private var state = State.asking

    /// - Parameter supported: the levels that the app can use.
    public init(supported: Set<APILevel> = Set(APILevel.allCases)) {
        self.supported = supported
    }

    /// The first command.
    public var first: Command { .getAPILevel }

    /// Takes the AusweisApp's answer.
    ///
    /// - Returns: nil if the message is late and means nothing.
    public mutating func receive(_ message: APILevelMessage) -> Step? {
        switch state {
        case .asking:
            let available = Set((message.available ?? [message.current]).compactMap(APILevel.init))
            guard message.error == nil, let level = supported.intersection(available).max() else { return fail() }
            state = .choosing(level)
            return .send(.setAPILevel(level.rawValue))
        case .choosing(let level):
            guard message.error == nil, message.current == level.rawValue else { return fail() }
            state = .finished
            return .agreed(level)
        case .finished: return nil
        }
    }

    private mutating func fail() -> Step {
        state = .finished
        return .failed
    }
}
