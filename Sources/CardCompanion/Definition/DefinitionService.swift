internal import CardCompanionAPI
package import CardCompanionStore
internal import Cryptography
internal import JOSE
package import KeyVault
package import Logging
internal import SecureMemory
package import StrictJSON

/// PIN definition: takes the PIN that a cardholder chooses, sealed to the server, and replaces the old one (SDK document,
/// sections 4.3 to 4.5).
package struct DefinitionService: Sendable {
    /// A scrambled keypad for a cardholder.
    package struct Keypad: Sendable {
        /// A digit or nil for each place.
        package let entries: [String?]
        package let id: String
    }

    private static let keypadIdByteCount = 18

    let store: Store
    let keyring: Keyring
    let serverKeys: ServerKeys
    let banks: BankDirectory
    let gate: CardholderGate
    let logger: Logger

    package init(
        store: Store, keyring: Keyring, serverKeys: ServerKeys, banks: BankDirectory, gate: CardholderGate,
        logger: Logger
    ) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.banks = banks
        self.gate = gate
        self.logger = logger
    }

    /// Makes a keypad for a cardholder. The caller is not authenticated, so the rate is limited.
    ///
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func makeKeypad(_ body: borrowing JSONText) async throws -> Keypad {
        let request = try RequestedKeypad(body)
        return try await banks.whileCurrent(request.bankId) { bank, now in
            (bank: try Bank.defining(bank), time: now)
        } serve: { (bank, now) in
            try await makeKeypad(request, bank, now)
        }
    }

    /// Defines a PIN for a caller with an HMAC.
    ///
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func define(_ body: borrowing JSONText) async throws {
        let request = try HMACDefinition(body)
        try await requireKnownKey(request.sealedPIN)
        try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, at: $1)
        } serve: { caller in
            try await define(caller) { try await pin(request.sealedPIN, of: caller) }
        }
    }

    /// Defines a PIN for a caller with a token that comes with the PIN itself.
    ///
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func defineWithToken(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await define(try TokenDefinition(pin: body), audit: &audit)
    }

    /// Defines a PIN for a caller with a token that comes with indexes into a keypad. The PIN itself is never sent.
    ///
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func defineWithIndexes(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await define(try TokenDefinition(indexes: body), audit: &audit)
    }

    private func define(_ request: TokenDefinition, audit: inout AuditRecord) async throws {
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        try await requireKnownKey(request.sealedChoice)
        try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, at: $1)
        } serve: { caller in
            try await define(caller) {
                switch request.entry {
                case .digits: try await pin(request.sealedChoice, of: caller)
                case .indexes(let keypad): try await indexes(request.sealedChoice, on: keypad, of: caller)
                }
            }
        }
    }

    /// Reads the choice, and defines the PIN in the store.
    ///
    /// A token whose signature and time are right is spent, whatever happens to its request. So the store gets a refused
    /// choice too, and checks that the bank that refused it has not changed.
    ///
    /// - Returns: nil if the bank has changed and the request must be authenticated again.
    private func define(
        _ caller: Authenticated<Identifier?>, choice: () async throws -> AuthorizedDefinition.Choice
    ) async throws -> Void? {
        let place = caller.uniqueId.map { CardholderGate.Place.cardholder(bankId: caller.bank.id, uniqueId: $0) }
        return try await gate.pass(place) { try await decide(caller, choice) }
    }

    private func decide(
        _ caller: Authenticated<Identifier?>, _ choice: () async throws -> AuthorizedDefinition.Choice
    ) async throws -> Void? {
        var definition = caller.definition
        var refusal: DefinitionError?
        do {
            definition.choice = try await choice()
        } catch let error as DefinitionError {
            refusal = error
        }
        switch try await store.definePIN(definition, now: caller.time) {
        case .defined: return ()
        case .stale: return nil
        case .refused: throw refusal ?? DefinitionError(.unexpectedError)
        case .transactionSpent: throw DefinitionError(.transactionAlreadyTreated)
        case .hmacSpent: throw DefinitionError(.badHashMac, detail: HashMac.spent)
        case .noCardholder: throw DefinitionError(.cardholderNotFound)
        case .statusNotSatisfied: throw DefinitionError(.cardholderStatusNotSatisfied)
        case .noKeypad: throw DefinitionError(.keypadNotFound)
        case .badPIN: throw DefinitionError(.invalidPINFormat)
        }
    }

    private func pin(
        _ jwe: JWE, of caller: Authenticated<Identifier?>
    ) async throws -> AuthorizedDefinition.Choice {
        guard let pin = try await chosen(jwe, byteLimit: ChosenPIN.pinByteLimit),
            let defined = try seal(pin, of: caller)
        else { throw DefinitionError(.invalidPINFormat) }
        return .digits(defined)
    }

    /// The store decides last whether the keypad exists, and then whether the places on it are a PIN.
    private func indexes(
        _ jwe: JWE, on keypad: TokenDefinition.Keypad, of caller: Authenticated<Identifier?>
    ) async throws -> AuthorizedDefinition.Choice {
        let indexes = try await chosen(jwe, byteLimit: ChosenPIN.indexesByteLimit)
        let record = try await storedKeypad(keypad, of: caller)
        guard let record, let indexes else { return .indexes(keypadId: record?.id, nil) }
        let layout = try keyring.open(record.sealedLayout, in: .keypad(record.id))
        let pin = SharedSecret(ChosenPIN.pin(at: indexes.bytes, on: layout))
        return .indexes(keypadId: record.id, try pin.flatMap { try seal($0, of: caller) })
    }

    private func storedKeypad(
        _ keypad: TokenDefinition.Keypad, of caller: Authenticated<Identifier?>
    ) async throws -> KeypadRecord? {
        guard let uniqueId = caller.uniqueId, keypad != .unknown else { return nil }
        let id: Identifier? = if case .named(let id) = keypad { id } else { nil }
        return try await store.keypad(id: id?.text, bankId: caller.bank.id, uniqueId: uniqueId, now: caller.time)
    }

    private func makeKeypad(_ request: RequestedKeypad, _ bank: Bank, _ now: Timestamp) async throws -> Keypad? {
        guard let uniqueId = request.uniqueId else { throw DefinitionError(.cardholderNotFound) }
        let id = Base64URL.encode(SecureRandom.bytes(count: Self.keypadIdByteCount))
        var random = SystemRandomNumberGenerator()
        let layout = KeypadLayout(size: request.size, using: &random)
        let outcome = try await store.makeKeypad(
            KeypadRecord(id: id, sealedLayout: try keyring.seal(layout.places.bytes, in: .keypad(id))),
            bankId: bank.id, bankRevision: bank.revision, uniqueId: uniqueId,
            expiresAt: now.advanced(bySeconds: KeypadLayout.lifetimeSeconds), kept: KeypadLayout.keptPerCardholder,
            now: now)
        switch outcome {
        case .stale: return nil
        case .noCardholder: throw DefinitionError(.cardholderNotFound)
        case .statusNotSatisfied: throw DefinitionError(.cardholderStatusNotSatisfied)
        case .tooMany(let seconds): throw TooManyRequests(retryAfterSeconds: seconds)
        case .made(let displaced):
            if displaced > 0 {
                logger.warning(
                    "A live keypad was replaced: an app asks too often, or an attacker floods the cardholder",
                    metadata: ["bank_id": "\(bank.id)", "unique_id": "\(uniqueId)"])
            }
            return Keypad(entries: layout.entries, id: id)
        }
    }

    private func requireKnownKey(_ jwe: JWE) async throws {
        guard try await serverKeys.knows(jwe) else {
            throw RefusedCaller(reason: DefinitionError(.cryptoError, detail: "\(UnknownServerKey())"))
        }
    }

    /// The sealed value, without its padding; nil if it is too long.
    private func chosen(_ jwe: JWE, byteLimit: Int) async throws -> SharedSecret? {
        let plaintext: SecretBytes
        do {
            plaintext = try await serverKeys.open(jwe)
        } catch let error as JOSEError {
            throw DefinitionError(.cryptoError, detail: "\(error)")
        } catch let error as UnknownServerKey {
            throw DefinitionError(.cryptoError, detail: "\(error)")
        }
        guard plaintext.count <= byteLimit else { return nil }
        let text = ChosenPIN.unpadded(plaintext)
        guard text.count > 0 else { throw DefinitionError(.missingPIN) }
        return SharedSecret(text)
    }

    /// Seals a PIN for the store and for the bank; nil if the bank does not allow it.
    private func seal(
        _ pin: SharedSecret, of caller: Authenticated<Identifier?>
    ) throws -> AuthorizedDefinition.DefinedPIN? {
        guard ChosenPIN.isAllowed(pin.bytes, by: caller.bank.settings) else { return nil }
        // Nothing is stored for a cardholder who cannot exist: the store answers that there is none.
        guard let uniqueId = caller.uniqueId else { return .init(sealed: [], forBank: nil) }
        let place = CardholderPlace(bankId: caller.bank.id, uniqueId: uniqueId).pin
        return .init(sealed: try keyring.seal(pin.bytes, in: place), forBank: try jwe(of: pin, for: caller))
    }

    /// The PIN for the bank's own systems; nil if the bank has no certificate for it.
    private func jwe(of pin: SharedSecret, for caller: Authenticated<Identifier?>) throws -> String? {
        guard let certificate = caller.bank.encryptionCertificate else { return nil }
        guard certificate.isValid(at: caller.time) else {
            logger.error(
                "The bank's encryption certificate is not valid: pin.defined does not contain the PIN",
                metadata: ["bank_id": "\(caller.bank.id)"])
            return nil
        }
        return try JWE.seal(ChosenPIN.padded(pin.bytes), to: certificate.publicKey, keyID: certificate.alias)
    }
}

extension Authenticated<Identifier?> {
    /// The store's argument, before the choice is read.
    fileprivate var definition: AuthorizedDefinition {
        let authorized: AuthorizedDefinition.Proof =
            switch proof {
            case .hmac(let digest, let expiresAt): .hmac(digest, expiresAt: expiresAt)
            case .token(_, let transaction): .token(transaction, expiresAt: transactionExpiry)
            }
        return AuthorizedDefinition(
            bankId: bank.id, bankRevision: bank.revision, uniqueId: uniqueId, proof: authorized, choice: .refused)
    }

    /// Until when the IdTransaction is refused: 5 minutes ("last 5 minutes" of code 211 in the SDK document), or twice the
    /// bank's time window if that is longer; and one more second, because the window counts whole seconds.
    private var transactionExpiry: Timestamp {
        time.advanced(bySeconds: max(300, 2 * Int64(bank.settings.timestampToleranceSeconds)) + 1)
    }
}
