package enum ServerKeyStatus: String, Codable, Sendable {
    /// New values must be sealed to it.
    case active = "ACTIVE"
    /// It is still published, and still opens values.
    case retiring = "RETIRING"
    /// It is not published. It opens what banks provision, until it is erased.
    case retired = "RETIRED"
}
