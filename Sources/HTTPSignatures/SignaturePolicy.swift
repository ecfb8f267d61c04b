/// What a verifier asks of a signature (RFC 9421 section 3.2) beyond that it is the key's.
public struct SignaturePolicy: Sendable {
    /// What must be covered. The query where there is one, and the content digest where there is a body, come on top.
    public var requiredComponents: [Component] = [.method, .path]

    /// How far `created` may be from now, either way.
    public var createdToleranceSeconds: Int64 = 300

    /// The lengths of a nonce that are taken. Short ones come again too soon, and each is kept for a while.
    public var nonceByteCountsAllowed = 8...128

    /// The policy for requests: method, path, query and content digest covered; `created` within five minutes; a nonce.
    public init() {}

    /// Checks a signature, and that its parameters and what it covers are as the policy asks. A body that comes where
    /// `hasBody` is false, and a nonce that was seen before, are the caller's to refuse.
    ///
    /// - Parameters:
    ///   - hasBody: whether the message has content.
    ///   - key: the key that the signature's `keyid` names.
    ///   - now: the time, in Unix seconds.
    public func verify(
        _ signature: MessageSignature, of message: SignedMessage, hasBody: Bool, with key: VerificationKey, now: Int64
    ) throws(SignatureError) -> VerifiedSignature {
        let parameters = signature.parameters
        try requireAlgorithm(of: key, parameters)
        let created = try requireTime(now, parameters)
        let nonce = try requireNonce(parameters)
        guard let keyID = parameters.keyID else { throw SignatureError(.missingParameter("keyid")) }
        try requireCoverage(of: message, hasBody: hasBody, parameters)
        let base = try SignatureBase.text(of: message, parameters: parameters)
        guard key.isValid(signature.bytes, over: base) else {
            throw SignatureError(.signatureMismatch, signatureBase: base)
        }
        return VerifiedSignature(
            label: signature.label, keyID: keyID, nonce: nonce, created: created, components: parameters.components,
            contentDigest: try coveredDigest(of: message, parameters))
    }

    private func requireAlgorithm(of key: VerificationKey, _ parameters: SignatureParameters) throws(SignatureError) {
        guard let stated = parameters.algorithm, stated != key.algorithm else { return }
        throw SignatureError(.algorithmMismatch(stated: stated, ofKey: key.algorithm))
    }

    private func requireTime(_ now: Int64, _ parameters: SignatureParameters) throws(SignatureError) -> Int64 {
        guard let created = parameters.created else { throw SignatureError(.missingParameter("created")) }
        let tolerance = createdToleranceSeconds
        guard now - created <= tolerance else {
            throw SignatureError(.tooOld(seconds: now - created, toleranceSeconds: tolerance))
        }
        guard created - now <= tolerance else {
            throw SignatureError(.tooNew(seconds: created - now, toleranceSeconds: tolerance))
        }
        if let expires = parameters.expires, expires < now { throw SignatureError(.expired(seconds: now - expires)) }
        return created
    }

    private func requireNonce(_ parameters: SignatureParameters) throws(SignatureError) -> String {
        guard let nonce = parameters.nonce else { throw SignatureError(.missingParameter("nonce")) }
        let allowed = nonceByteCountsAllowed
        guard allowed ~= nonce.utf8.count else {
            let problem = "it has \(nonce.utf8.count) characters, not \(allowed.lowerBound) to \(allowed.upperBound)"
            throw SignatureError(.invalidParameter("nonce", problem: problem))
        }
        return nonce
    }

    private func requireCoverage(
        of message: SignedMessage, hasBody: Bool, _ parameters: SignatureParameters
    ) throws(SignatureError) {
        var required = requiredComponents
        if message.hasQuery { required.append(.query) }
        if hasBody { required.append(.field(.contentDigest)) }
        if let missing = required.first(where: { !parameters.components.contains($0) }) {
            throw SignatureError(.componentNotCovered(missing.description))
        }
    }

    private func coveredDigest(
        of message: SignedMessage, _ parameters: SignatureParameters
    ) throws(SignatureError) -> ContentDigest? {
        guard parameters.components.contains(.field(.contentDigest)) else { return nil }
        return try ContentDigest(message)
    }
}

/// A signature that is valid and as the policy asks.
public struct VerifiedSignature: Equatable, Sendable {
    /// Its label in the message.
    public let label: String
    /// The name of its key.
    public let keyID: String
    /// The value that its maker uses once.
    public let nonce: String
    /// When it was made, in Unix seconds.
    public let created: Int64
    /// What it covers.
    public let components: [Component]
    /// The digest that the content must have, where the signature covers it.
    public let contentDigest: ContentDigest?
}
