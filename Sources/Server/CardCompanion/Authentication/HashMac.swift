internal import CardCompanionModel

/// The texts that a request's hashMac can authenticate (protocol, sections 2.1 and 2.2.1). The bound one ends with a dot and the
/// other one with a digit, so neither can be taken for the other.
struct HashMac {
    let unbound: String
    let bound: String

    /// - Parameters: the request's members as they were sent, and what the hashMac can be bound to.
    init(bankId: Identifier, uniqueId: String, timestamp: RequestTimestamp, binding: ProofBinding) {
        unbound = bankId.text + uniqueId + timestamp.text
        bound = unbound + "." + binding.text + "."
    }

    /// Why a hashMac is refused; nil if it was made with one of the keys.
    func fault(of sent: [UInt8], keys: HMACKeys, _ rule: ProofBindingRule) -> String? {
        if keys.authenticate(sent, over: bound) { return nil }
        guard keys.authenticate(sent, over: unbound) else { return Self.wrong }
        return rule == .require ? ProofBinding.missing : nil
    }

    // What answers say about a hashMac, besides its code.

    /// It is right, but has already led to a delivered or defined PIN.
    static let spent = "it was already used"
    /// It matches no active key of the bank.
    static let wrong = "it does not match"
}
