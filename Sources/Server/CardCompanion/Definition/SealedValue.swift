internal import CardCompanionAPI
internal import JOSE

extension JWE {
    /// A sealed value of a request, with every check that needs no key.
    static func sealed(_ text: String?, for algorithm: JWEHeader.Algorithm) throws(DefinitionError) -> JWE {
        guard let text else { throw DefinitionError(.cryptoError, detail: "not a JWE in compact serialization") }
        do throws(JOSEError) {
            return try JWE(compact: text, for: algorithm)
        } catch {
            throw DefinitionError(Self.code(error), detail: "\(error)")
        }
    }

    private static func code(_ error: JOSEError) -> DefinitionCode {
        switch error.code {
        case .missingEphemeralKey: .missingECDHPublicKey
        case .emptyEncryptedKey: .missingAESKey
        case .invalidEphemeralKey: .invalidECDHPublicKey
        default: .cryptoError
        }
    }
}
