/// Why a token did not do what was asked.
package enum PKCS11Error: Error, Equatable, CustomStringConvertible {
    /// The module cannot be loaded.
    case unusableModule(path: String, reason: String)
    /// No slot has the token.
    case noToken(label: String)
    /// Several slots have a token with that label.
    case severalTokens(label: String)
    /// The PIN is wrong. Only a person may decide to try it again, because a token counts wrong PINs.
    case pinRefused
    /// The token says that a wrong PIN was entered since the last right one, so a PIN must come from a person.
    case wrongPINBefore
    /// The token says that it locks its PIN at the next wrong one.
    case lastTry
    /// The token has locked its PIN.
    case pinLocked
    /// The token does not have the key.
    case noKey(id: String)
    /// Several keys have the same CKA_ID.
    case severalKeys(id: String)
    /// A key of the token can do more or less than it should.
    case wrongAttribute(name: String)
    /// A value does not open with the token's key.
    case damagedValue
    /// A call took too long. The token may still be working on it.
    case timeout(seconds: Int)
    /// Too many calls already wait for the token.
    case busy
    /// Another failure: the function and its return value (PKCS#11 2.40, section 5.1).
    case failed(function: String, returnValue: UInt)

    package var description: String {
        switch self {
        case .unusableModule(let path, let reason): "the PKCS#11 module \(path) cannot be used: \(reason)"
        case .noToken(let label): "no token has the label '\(label)'"
        case .severalTokens(let label): "several tokens have the label '\(label)'"
        case .pinRefused: "the token refuses the PIN"
        case .wrongPINBefore:
            "the token got a wrong PIN after the last right one, so a person must give it the PIN: run "
                + "'card-companion vault unseal'"
        case .lastTry: "the token locks its PIN if the next one is wrong too"
        case .pinLocked: "the token has locked its PIN: its security officer can unlock it"
        case .noKey(let id): "the token has no key with the CKA_ID \(id)"
        case .severalKeys(let id): "several keys on the token have the CKA_ID \(id)"
        case .wrongAttribute(let name): "the key on the token has a wrong attribute: \(name)"
        case .damagedValue: "a value does not open with the token's key"
        case .timeout(let seconds): "the token has not answered for \(seconds) seconds"
        case .busy: "too many calls wait for the token"
        case .failed(let function, let value): "\(function) failed with \(ReturnValue.name(value))"
        }
    }
}
