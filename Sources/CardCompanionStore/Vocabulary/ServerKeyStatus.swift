package enum ServerKeyStatus: String, StoredEnumeration {
    /// New values must be sealed to it.
    case active = "ACTIVE"
    /// It is still published, and still opens values.
    case retiring = "RETIRING"
    /// Only its name is left.
    case retired = "RETIRED"
}
