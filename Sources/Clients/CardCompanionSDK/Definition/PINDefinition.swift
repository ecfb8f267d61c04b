internal import CardCompanionAPI

/// PIN definition (SDK document, sections 4.3 to 4.5): the cardholder chooses the PIN.
///
/// The operations do not throw: `errorCode` of the response is 0 for success or the code of an error. `hostUrl` is the
/// server's base URL.
public enum PINDefinition {
    /// Defines a PIN. The bank's HMAC authenticates the request.
    public static func postDefinePINRequest(
        _ parameters: DefinitionParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePIN(parameters, hostUrl: hostUrl) }
    }

    /// Defines a PIN. A token that the bank's back-end has signed authenticates the request.
    public static func postDefinePINECDHRequest(
        _ parameters: DefinitionTokenParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePIN(parameters, hostUrl: hostUrl) }
    }

    /// Fetches a keypad with its digits at random places.
    public static func postGetKeyPadCoordinatesRequest(
        _ parameters: KeyPadCoordinatesParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> KeyPadCoordinatesResponse {
        await .of { () throws(SDKError) in try await session.fetchKeypad(parameters, hostUrl: hostUrl) }
    }

    /// Forgets the keypad of a cardholder, for example because its screen was closed. A definition without keypadId is then
    /// refused (214) until a new keypad was fetched.
    public static func discardKeypads(
        bankId: String, uniqueId: String, session: CardCompanionSession = .shared
    ) async {
        await session.keypads.forget(KeypadMemory.Holder(bankId: bankId, uniqueId: uniqueId))
    }

    /// Defines a PIN by the indexes of its digits on a keypad (CB). A token authenticates the request.
    public static func postDefinePINECDHCBRequest(
        _ parameters: DefinitionTokenParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePINByIndexes(parameters, hostUrl: hostUrl) }
    }
}

// Proofs that are bound to the sealed PIN. The app first asks its back-end for the timestamp or the IdTransaction, seals the PIN,
// and then asks for the hashMac or token with the digest of the sealed PIN.
extension PINDefinition {
    /// Seals a PIN for ``postDefinePINRequest(_:hostUrl:session:)``.
    ///
    /// - Parameter timestamp: that of the hashMac, Unix time in seconds.
    public static func seal(
        pin: String, bankId: String, uniqueId: String, timestamp: String, hostUrl: String,
        session: CardCompanionSession = .shared
    ) async -> SealedPIN {
        let request = RequestBinding(content: .pin, bankId: bankId, uniqueId: uniqueId, requestId: timestamp)
        return await .of { () throws(SDKError) in
            try request.requireNames()
            return SealedPIN(try await session.seal(pin: pin, by: .rsaOAEP256, for: request, hostUrl: hostUrl))
        }
    }

    /// Seals a PIN for ``postDefinePINECDHRequest(_:hostUrl:session:)``.
    ///
    /// - Parameters:
    ///   - bankId: The token's IdBEL.
    ///   - uniqueId: The token's IdPorteur.
    ///   - idTransaction: The token's IdTransaction.
    public static func seal(
        pin: String, bankId: String, uniqueId: String, idTransaction: String, hostUrl: String,
        session: CardCompanionSession = .shared
    ) async -> SealedPIN {
        let request = RequestBinding(content: .pin, bankId: bankId, uniqueId: uniqueId, requestId: idTransaction)
        return await .of { () throws(SDKError) in
            try request.requireNames()
            return SealedPIN(try await session.seal(pin: pin, by: .ecdhESA256KW, for: request, hostUrl: hostUrl))
        }
    }

    /// Seals the indexes of a PIN for ``postDefinePINECDHCBRequest(_:hostUrl:session:)``.
    ///
    /// - Parameters:
    ///   - indexes: The index of each digit, such as `0,1,0,1`.
    ///   - bankId: The token's IdBEL.
    ///   - uniqueId: The token's IdPorteur.
    ///   - idTransaction: The token's IdTransaction.
    ///   - keypadId: The keypad. Nil for the one that the session fetched last for this cardholder.
    public static func seal(
        indexes: String, bankId: String, uniqueId: String, idTransaction: String, keypadId: String? = nil,
        hostUrl: String, session: CardCompanionSession = .shared
    ) async -> SealedPIN {
        var request = RequestBinding(
            content: .indexes, bankId: bankId, uniqueId: uniqueId, requestId: idTransaction)
        return await .of { () throws(SDKError) in
            try request.requireNames()
            let holder = KeypadMemory.Holder(bankId: bankId, uniqueId: uniqueId)
            request.keypadId = try await session.keypadId(keypadId, of: holder)
            return SealedPIN(try await session.seal(indexes: indexes, for: request, hostUrl: hostUrl))
        }
    }
}
