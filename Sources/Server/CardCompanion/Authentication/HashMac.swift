/// What answers say about a hashMac, besides its code (protocol, section 2.1).
enum HashMac {
    /// It is right, but has already led to a delivered or defined PIN.
    static let spent = "it was already used"
    /// It matches no active key of the bank.
    static let wrong = "it does not match"
}
