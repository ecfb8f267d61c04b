package import HTTPTypes

/// The rules for a signature beyond its cryptographic validity (RFC 9421 section 3.2).
package struct SignaturePolicy: Sendable {
    /// The components that must be covered. In addition, a signature must cover the query if there is one, and the
    /// content digest if there is a body.
    package var requiredComponents: [Component] = [.method, .authority, .path]

    /// Which value `@authority` must have.
    package let authority: ExpectedAuthority

    /// The fields that must be covered if the message has them, because they change what it does.
    package var requiredFields = [HTTPField.Name.ifMatch, .ifNoneMatch, .idempotencyKey]

    /// How far `created` can be from now, in both directions.
    package var createdToleranceSeconds: Int64 = 300

    /// The allowed lengths of a nonce. Short nonces would repeat too soon, and long ones would cost storage, because
    /// each nonce is stored for a while.
    package var nonceByteCountsAllowed = 8...128

    /// The policy for requests: the signature covers method, authority, path, query, content digest and conditional fields,
    /// `created` is within five minutes, and there is a nonce.
    package init(authority: ExpectedAuthority) {
        self.authority = authority
    }

    /// Verifies a signature, and checks its parameters and covered components against this policy. The caller must
    /// refuse a body if `hasBody` is false, and a nonce that was used before.
    ///
    /// - Parameters:
    ///   - hasBody: whether the message has a body.
    ///   - key: the key that the signature's `keyid` names.
    ///   - now: the current time, in Unix seconds.
    /// - Throws: the first check that failed.
    package func verify(
        _ signature: MessageSignature, of message: SignedMessage, hasBody: Bool, with key: VerificationKey, now: Int64
    ) throws(SignatureError) -> VerifiedSignature {
        let parameters = signature.parameters
        try requireAlgorithm(of: key, parameters)
        let created = try requireTime(now, parameters)
        let nonce = try requireNonce(parameters)
        guard let keyID = parameters.keyID else { throw SignatureError(.missingParameter("keyid")) }
        try requireCoverage(of: message, hasBody: hasBody, parameters)
        let bases = try authority.candidates(of: message).map { candidate throws(SignatureError) in
            try SignatureBase.text(of: candidate, parameters: parameters)
        }
        guard bases.contains(where: { key.isValid(signature.bytes, over: $0) }) else {
            let reason = authority.names.map(SignatureError.Reason.signatureMismatchForNames) ?? .signatureMismatch
            throw SignatureError(reason, signatureBase: bases.first)
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
            let problem =
                "it has \(nonce.utf8.count) characters, but must have \(allowed.lowerBound) to \(allowed.upperBound)"
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
        required += requiredFields.filter { message.value(of: $0) != nil }.map { .field($0) }
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

/// A valid signature that follows the policy.
package struct VerifiedSignature: Equatable, Sendable {
    /// Its label in the message.
    package let label: String
    package let keyID: String
    /// The value that the signer uses only once.
    package let nonce: String
    /// When it was created, in Unix seconds.
    package let created: Int64
    package let components: [Component]
    /// The digest that the content must match; nil if the signature does not cover it.
    package let contentDigest: ContentDigest?
}
