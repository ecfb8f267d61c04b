internal import HTTPTypes

/// Why a message's signature or content digest was refused, or could not be made.
public struct SignatureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The checks that can fail. The texts in them are the message's own, or names of this module.
    public enum Reason: Equatable, Sendable {
        /// The message lacks a field that a signature or a digest needs.
        case missingField(String)
        /// A field is not of its form.
        case malformedField(String, problem: String)
        /// Something is longer, or there is more of it, than the named limit allows.
        case limitExceeded(String, limit: Int)
        /// A signature covers a component that this module does not know.
        case unsupportedComponent(String)
        /// A signature covers a component more than once.
        case duplicateComponent(String)
        /// A signature covers a component that the message does not have.
        case componentNotInMessage(String)
        /// A component's value cannot stand in a signature base: it is not printable ASCII.
        case unprintableComponent(String)
        /// A signature does not cover what it must.
        case componentNotCovered(String)
        /// No signature names a known key; these key ids were named.
        case unknownKey([String])
        /// More than one signature names a known key; these are their labels.
        case ambiguousSignatures([String])
        /// A signature lacks a parameter.
        case missingParameter(String)
        /// A parameter is unknown, or is not of its form.
        case invalidParameter(String, problem: String)
        /// The parameter `alg` is not the algorithm of the key.
        case algorithmMismatch(stated: SignatureAlgorithm, ofKey: SignatureAlgorithm)
        /// The signature was created so many seconds ago.
        case tooOld(seconds: Int64, toleranceSeconds: Int64)
        /// The signature was created so many seconds from now.
        case tooNew(seconds: Int64, toleranceSeconds: Int64)
        /// The signature expired so many seconds ago.
        case expired(seconds: Int64)
        /// The signature is not the key's over the signature base.
        case signatureMismatch
        /// The content digest has none of the supported algorithms.
        case noSupportedDigest
        /// The content does not have the digest that is stated.
        case digestMismatch(ContentDigest.Algorithm)
        /// A key is not of its algorithm's form.
        case invalidKey(SignatureAlgorithm)
        /// The key could not sign.
        case signingFailed
    }

    /// Which check failed.
    public let reason: Reason

    /// The signature base that the signature was checked against, where it came to that: a help for who made the
    /// signature. It holds values of the message's own fields, so it goes back to its sender only, not to a log.
    public let signatureBase: String?

    init(_ reason: Reason, signatureBase: String? = nil) {
        self.reason = reason
        self.signatureBase = signatureBase
    }

    static func missing(_ field: HTTPField.Name) -> SignatureError {
        SignatureError(.missingField(field.rawName))
    }

    static func malformed(_ field: HTTPField.Name, _ problem: String) -> SignatureError {
        SignatureError(.malformedField(field.rawName, problem: problem))
    }

    /// One sentence for people.
    public var description: String { reason.description }
}

extension SignatureError.Reason: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch self {
        case .missingField(let name): "There is no \(name) field."
        case .malformedField(let name, let problem): "The \(name) field is malformed: \(problem)."
        case .limitExceeded(let what, let limit): "The limit of \(what) is \(limit)."
        case .unsupportedComponent(let component): "The component \(component) is not supported."
        case .duplicateComponent(let component): "The component \(component) is covered more than once."
        case .componentNotInMessage(let component): "The message does not have the component \(component)."
        case .unprintableComponent(let component): "The value of \(component) is not printable ASCII."
        case .componentNotCovered(let component): "The signature does not cover \(component)."
        case .unknownKey(let keyIDs): Self.unknownKey(keyIDs)
        case .ambiguousSignatures(let labels):
            "More than one signature is of a known key: \(labels.joined(separator: ", "))."
        case .missingParameter(let name): "The signature has no parameter \(name)."
        case .invalidParameter(let name, let problem): "The signature's parameter \(name) is invalid: \(problem)."
        case .algorithmMismatch(let stated, let ofKey): "The parameter alg is \(stated), the key is for \(ofKey)."
        case .tooOld(let seconds, let tolerance):
            "The signature was created \(seconds) seconds ago, more than the \(tolerance) allowed."
        case .tooNew(let seconds, let tolerance):
            "The signature is created \(seconds) seconds from now, more than the \(tolerance) allowed."
        case .expired(let seconds): "The signature expired \(seconds) seconds ago."
        case .signatureMismatch: "The signature is not this key's over the signature base."
        case .noSupportedDigest: "The Content-Digest field has no digest with sha-256 or sha-512."
        case .digestMismatch(let algorithm): "The content does not have the \(algorithm) digest that is stated."
        case .invalidKey(let algorithm): "The key is not one for \(algorithm)."
        case .signingFailed: "The key could not sign."
        }
    }

    private static func unknownKey(_ keyIDs: [String]) -> String {
        keyIDs.isEmpty
            ? "No signature has the parameter keyid."
            : "No signature is of a known key: \(keyIDs.joined(separator: ", "))."
    }
}
