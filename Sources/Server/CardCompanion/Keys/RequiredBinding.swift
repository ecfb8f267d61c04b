internal import CardCompanionModel
internal import JOSE

/// What the header of a value that is sealed to the server must say (protocol, section 2.5). So someone who saw the value on
/// its way cannot use it for another cardholder, for another purpose, or a second time.
struct RequiredBinding {
    /// What a sealed value is: its `cty`.
    enum Content: String {
        case pin, pinBlock, pinExport, indexes, authenticationCode
    }

    private let required: JWEBinding

    /// - Parameters:
    ///   - uniqueId: as the request has it, even if it cannot be a cardholder's.
    ///   - requestId: the IdTransaction, the timestamp of a request with an HMAC, or the Idempotency-Key of an export; nil in
    ///     provisioning.
    ///   - keypadId: the request's, for indexes.
    init(_ content: Content, bankId: Identifier, uniqueId: String, requestId: String? = nil, keypadId: String? = nil) {
        required = JWEBinding(
            contentType: content.rawValue, issuer: bankId.text, subject: uniqueId, id: requestId, keypadId: keypadId)
    }

    /// Checks a value before it is opened.
    ///
    /// - Throws: ``BindingError`` for the first parameter that is wrong, or absent if the rule is `bound`.
    func check(_ jwe: JWE, by rule: SealedValueRule) throws(BindingError) {
        for (actual, required) in zip(jwe.header.binding.parameters, required.parameters) {
            if actual.value == nil, rule == .any { continue }
            guard JWEBinding.areSame(actual.value, required.value) else {
                throw BindingError(
                    parameter: actual.name, isRequired: required.value != nil, isAbsent: actual.value == nil)
            }
        }
    }
}

/// A sealed value does not say that it is for this request.
struct BindingError: Error, CustomStringConvertible {
    let parameter: String
    /// Whether the header must have the parameter. Otherwise it must not.
    let isRequired: Bool
    /// Whether the header does not have it. Otherwise it has another value.
    let isAbsent: Bool

    var description: String {
        guard isRequired else { return "the JWE's header must not have \(parameter) here" }
        let meaning =
            switch parameter {
            case "cty": "what the value is: pin, pinBlock, pinExport, indexes or authenticationCode"
            case "iss": "the bankId"
            case "sub": "the uniqueId"
            case "jti": "the IdTransaction, the timestamp of a request with an HMAC, or an export's Idempotency-Key"
            default: "the keypadId of the request"
            }
        return isAbsent
            ? "the JWE's header must have \(parameter), \(meaning)"
            : "the JWE's header has another \(parameter) than this request: it must be \(meaning)"
    }
}
