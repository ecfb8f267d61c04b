internal import HTTPTypes

/// Why a signature or a content digest was refused or could not be made.
package struct SignatureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The checks that can fail. Their texts come from the message or are names of this module.
    package enum Reason: Equatable, Sendable {
        /// The message does not have a required field.
        case missingField(String)
        /// A field does not have the required format.
        case malformedField(String, problem: String)
        /// Something exceeds a limit on its length or number.
        case limitExceeded(String, limit: Int)
        /// A signature covers a component that this module does not support.
        case unsupportedComponent(String)
        /// A signature covers a component more than once.
        case duplicateComponent(String)
        /// A signature covers a component that the message does not have.
        case componentNotInMessage(String)
        /// The value of a covered component is not printable ASCII, so it cannot be part of a signature base.
        case unprintableComponent(String)
        /// A signature does not cover a required component.
        case componentNotCovered(String)
        /// No signature names a known key. The value is the list of key ids in the message.
        case unknownKey([String])
        /// More than one signature names a known key. The value is the list of their labels.
        case ambiguousSignatures([String])
        /// A signature does not have a required parameter.
        case missingParameter(String)
        /// A parameter is not supported, or its value is not valid.
        case invalidParameter(String, problem: String)
        /// The parameter `alg` names another algorithm than the key has.
        case algorithmMismatch(stated: SignatureAlgorithm, ofKey: SignatureAlgorithm)
        /// The signature was created this many seconds ago.
        case tooOld(seconds: Int64, toleranceSeconds: Int64)
        /// The signature's `created` is this many seconds in the future.
        case tooNew(seconds: Int64, toleranceSeconds: Int64)
        /// The signature expired this many seconds ago.
        case expired(seconds: Int64)
        /// The signature is not valid for the signature base and the key.
        case signatureMismatch
        /// The signature is not valid for the signature base with any of these names as `@authority`, and the key.
        case signatureMismatchForNames([Authority])
        /// No content digest has a supported algorithm.
        case noSupportedDigest
        /// The content does not match its digest.
        case digestMismatch(ContentDigest.Algorithm)
        /// A key is not valid for its algorithm.
        case invalidKey(SignatureAlgorithm)
        case signingFailed
    }

    /// The check that failed.
    package let reason: Reason

    /// The signature base that the signature was checked against; nil if another check failed first. It helps the signer
    /// to find the difference. It contains field values of the message, so return it to the sender only, and do not log
    /// it.
    package let signatureBase: String?

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

    /// The reason as a sentence for people.
    package var description: String { reason.description }
}

extension SignatureError.Reason: CustomStringConvertible {
    /// The reason as a sentence for people.
    package var description: String {
        switch self {
        case .missingField(let name): "The \(name) field is missing: add it."
        case .malformedField(let name, let problem): "The \(name) field is malformed: \(problem)."
        case .limitExceeded(let what, let limit): "Too many \(what): the limit is \(limit)."
        case .unsupportedComponent(let component):
            "The component \(component) is not supported: remove it from the covered components."
        case .duplicateComponent(let component):
            "The component \(component) is covered more than once: cover it once."
        case .componentNotInMessage(let component):
            "The message does not have the component \(component), which the signature covers."
        case .unprintableComponent(let component):
            "The value of \(component) must be printable ASCII, because the signature covers it."
        case .componentNotCovered(let component):
            "The signature does not cover \(component): add it to the covered components."
        case .unknownKey(let keyIDs): Self.unknownKey(keyIDs)
        case .ambiguousSignatures(let labels):
            "More than one signature uses a known key (\(labels.joined(separator: ", "))): send only one."
        case .missingParameter(let name): "The signature has no parameter \(name): add it to Signature-Input."
        case .invalidParameter(let name, let problem): "The signature's parameter \(name) is invalid: \(problem)."
        case .algorithmMismatch(let stated, let ofKey): "The parameter alg is \(stated), but the key is for \(ofKey)."
        case .tooOld(let seconds, let tolerance):
            "The signature was created \(seconds) seconds ago, more than the \(tolerance) allowed: check the sender's clock."
        case .tooNew(let seconds, let tolerance):
            "The parameter created is \(seconds) seconds from now, more than the \(tolerance) allowed: check the "
                + "sender's clock."
        case .expired(let seconds): "The signature expired \(seconds) seconds ago: sign the message again."
        case .signatureMismatch:
            "The signature does not match: compare the signature base with the text that was signed, and check the key."
        case .signatureMismatchForNames(let names):
            "The signature does not match under any name of this server "
                + "(\(names.map(\.description).joined(separator: ", "))): compare the signature base with the text that was "
                + "signed, and check \"@authority\" and the key."
        case .noSupportedDigest: "The Content-Digest field has no digest with sha-256 or sha-512: add one."
        case .digestMismatch(let algorithm): "The content does not match its \(algorithm) digest in Content-Digest."
        case .invalidKey(let algorithm): "The key is not valid for \(algorithm): check its type, format and length."
        case .signingFailed: "Signing with the key failed."
        }
    }

    private static func unknownKey(_ keyIDs: [String]) -> String {
        keyIDs.isEmpty
            ? "No signature has the parameter keyid: add it to Signature-Input."
            : "No signature uses a known key (keyid \(keyIDs.joined(separator: ", "))): check keyid."
    }
}
