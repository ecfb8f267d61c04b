/// The levels of the interface. Level 1 is document 000; a higher one is only used if the AusweisApp has it.
public enum APILevel: Int, Sendable, CaseIterable, Comparable {
    /// Document 000.
    case one = 1
    /// From 1.24 on: STATUS and SET_CARD.
    case two = 2
    /// From 2.2 on: PAUSE and unknown cards. Document 002 needs it for everything that it describes.
    case three = 3

    /// The lower level is less.
    public static func < (one: APILevel, other: APILevel) -> Bool { one.rawValue < other.rawValue }
}
