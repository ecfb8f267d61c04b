internal import CardCompanionAPI
internal import CardCompanionStore
internal import JOSE
internal import StrictJSON

// Checks that several requests of definition share, each with its code.

extension JSONText {
    /// Refuses the request with the code of its first missing member.
    borrowing func requireDefinition(_ members: [(name: String, code: DefinitionCode)]) throws(DefinitionError) {
        if let code = firstMissing(members) { throw DefinitionError(code) }
    }

    borrowing func definitionTimestamp(_ name: String) throws(DefinitionError) -> RequestTimestamp {
        guard let timestamp = RequestTimestamp(text(of: name)) else {
            throw DefinitionError(.invalidTimestamp, detail: RequestTimestamp.form)
        }
        return timestamp
    }
}

extension RequestTimestamp {
    /// The error says how much the client's clock differs.
    func requireDefinitionWindow(of bank: Bank, now: Timestamp) throws(DefinitionError) {
        guard isWithin(toleranceSeconds: bank.settings.timestampToleranceSeconds, of: now) else {
            throw DefinitionError(.invalidTimestamp, detail: skew(at: now))
        }
        guard !bank.isFromBeforeRestore(self) else {
            throw DefinitionError(.invalidTimestamp, detail: RequestTimestamp.fromBeforeRestore)
        }
    }
}

extension Bank {
    static func defining(_ bank: Bank?) throws(DefinitionError) -> Bank {
        guard let bank, bank.isActive else { throw DefinitionError(.bankNotFound) }
        return bank
    }
}

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
