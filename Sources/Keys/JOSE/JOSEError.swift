/// What is wrong with a JOSE object. It never contains the reason why a decryption failed.
package struct JOSEError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure. More can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The text for people.
        package let description: String

        /// It is not a compact JWE with a valid header.
        package static let malformed = Code(description: "not a JWE in compact serialization")
        package static let tooLong = Code(
            description: "the JWE is too long, or its header has more than \(JWE.headerByteCountLimit) characters")
        /// The header has an unknown parameter. `crit` and `zip` count as unknown.
        package static let unknownHeaderParameter = Code(
            description:
                "the JWE's header has an unknown parameter (known: alg, enc, kid, epk, apu, apv, cty, typ, iss, "
                + "sub, jti, keypadId)")
        package static let unsupportedAlgorithm = Code(
            description: "the JWE's alg is not the one for this operation (RSA-OAEP-256 or ECDH-ES+A256KW)")
        package static let unsupportedEncryption = Code(description: "the JWE's enc is not supported: use A256GCM")
        package static let missingEphemeralKey = Code(
            description: "the JWE's header has no epk, which ECDH-ES+A256KW needs")
        package static let invalidEphemeralKey = Code(description: "the JWE's epk must be a public key on P-256")
        package static let emptyEncryptedKey = Code(
            description: "the JWE's encrypted key (its second part) must not be empty")
        package static let decryptionFailed = Code(
            description: "the JWE does not decrypt with this key: check which key it was encrypted for")
        package static let encryptionFailed = Code(description: "the encryption of the JWE failed")
    }

    package let code: Code

    package var description: String { code.description }

    init(_ code: Code) {
        self.code = code
    }
}
