internal import CardCompanionAPI
public import CardCompanionStore
internal import Cryptography
internal import JOSE
public import KeyVault
public import Logging
internal import SecureMemory
public import StrictJSON

/// PIN definition: a cardholder's own choice, sealed to the server, in the place of the PIN that was (SDK document,
/// sections 4.3 to 4.5).
public struct PINDefinition: Sendable {
    /// A scrambled keypad for a cardholder.
    public struct Keypad: Sendable {
        /// A digit or nil for each place.
        public let entries: [String?]
        /// keypadId.
        public let id: String
    }

    private static let keypadIdByteCount = 18

    let store: Store
    let keyring: Keyring
    let serverKeys: ServerKeys
    let banks: BankDirectory
    let logger: Logger

    /// The service, over its store and keys.
    public init(
        store: Store, keyring: Keyring, serverKeys: ServerKeys, banks: BankDirectory, logger: Logger
    ) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.banks = banks
        self.logger = logger
    }

    /// Makes a keypad for a cardholder. Nothing authenticates the caller: the rate is limited instead.
    ///
    /// - Throws: ``DefinitionError``, ``TooManyRequests``, ``ServiceUnavailable``.
    public func makeKeypad(_ body: borrowing JSONText, audit: inout AuditRecord) async throws -> Keypad {
        let request = try KeypadRequest(body)
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        return try await banks.whileCurrent(request.bankId) { bank, _ in
            try Bank.defining(bank)
        } serve: { bank, now in
            try await makeKeypad(request, bank, now)
        }
    }

    /// Defines a PIN for a caller with an HMAC.
    ///
    /// - Throws: ``DefinitionError``, ``ServiceUnavailable``.
    public func define(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        let request = try DefinePINRequest(body)
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        try await requireKnownKey(request.sealedPIN)
        try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, now: $1)
        } serve: { bank, now in
            try await finish(bank, request.uniqueId, request.proof, now) {
                try await judgePIN(request.sealedPIN, of: request.uniqueId, bank, now)
            }
        }
    }

    /// Defines a PIN for a caller with a token: the PIN itself is sent.
    ///
    /// - Throws: ``DefinitionError``, ``ServiceUnavailable``.
    public func defineWithToken(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await define(try DefinePINTokenRequest(pin: body), audit: &audit)
    }

    /// Defines a PIN for a caller with a token: places on a keypad are sent, the PIN never is.
    ///
    /// - Throws: ``DefinitionError``, ``ServiceUnavailable``.
    public func defineWithIndexes(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await define(try DefinePINTokenRequest(indexes: body), audit: &audit)
    }

    private func define(_ request: DefinePINTokenRequest, audit: inout AuditRecord) async throws {
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        try await requireKnownKey(request.sealedChoice)
        try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, now: $1)
        } serve: { bank, now in
            let proof = DefinedPINRequest.Proof.token(
                idTransaction: request.transactionId, expiresAt: request.transactionExpiry(of: bank, now: now))
            return try await finish(bank, request.uniqueId, proof, now) {
                switch request.entry {
                case .digits: try await judgePIN(request.sealedChoice, of: request.uniqueId, bank, now)
                case .keypad(let id):
                    try await judgeIndexes(request.sealedChoice, onKeypad: id, of: request.uniqueId, bank, now)
                }
            }
        }
    }

    /// Judges the choice and has the store define the PIN; nil where the request is to be judged again.
    ///
    /// A token whose signature and time have verified is spent, whatever becomes of its request: so the store learns of
    /// a choice that is refused, too, and whether the bank by which it was refused is still the same.
    private func finish(
        _ bank: Bank, _ uniqueId: String, _ proof: DefinedPINRequest.Proof, _ now: Timestamp,
        judge: () async throws -> DefinedPINRequest.Choice
    ) async throws -> Void? {
        // What is no identifier is no cardholder, and nothing that the database could be asked for.
        let isIdentifier = Identifier.isValid(uniqueId)
        var definition = DefinedPINRequest(
            bankId: bank.id, bankRevision: bank.revision, uniqueId: isIdentifier ? uniqueId : "", proof: proof,
            choice: .refused)
        var refusal: DefinitionError?
        do {
            definition.choice = try await judge()
        } catch let error as DefinitionError {
            refusal = error
        }
        switch try await store.reaching({ [definition] in try await $0.definePIN(definition, now: now) }) {
        case .defined: return ()
        case .stale: return nil
        case .refused: throw refusal ?? DefinitionError(.unexpectedError)
        case .transactionSpent: throw DefinitionError(.transactionAlreadyTreated)
        case .hmacSpent: throw DefinitionError(.badHashMac)
        case .noCardholder: throw DefinitionError(.cardholderNotFound)
        case .statusNotSatisfied: throw DefinitionError(.cardholderStatusNotSatisfied)
        case .noKeypad: throw DefinitionError(.keypadNotFound)
        case .badPIN: throw DefinitionError(.invalidPINFormat)
        }
    }

    private func judgePIN(
        _ jwe: JWE, of uniqueId: String, _ bank: Bank, _ now: Timestamp
    ) async throws -> DefinedPINRequest.Choice {
        let pin = try await chosen(jwe, byteLimit: ChosenPIN.pinByteLimit)
        guard let defined = try pin.flatMap({ try seal($0, of: uniqueId, bank, now) }) else {
            throw DefinitionError(.invalidPINFormat)
        }
        return .digits(defined)
    }

    /// Whether there is the keypad, and then whether the places on it are a PIN, is said at the very end: by the store.
    private func judgeIndexes(
        _ jwe: JWE, onKeypad id: String?, of uniqueId: String, _ bank: Bank, _ now: Timestamp
    ) async throws -> DefinedPINRequest.Choice {
        let indexes = try await chosen(jwe, byteLimit: ChosenPIN.indexesByteLimit)
        let keypad = try await store.reaching {
            try await $0.keypad(id: id, bankId: bank.id, uniqueId: uniqueId, now: now)
        }
        guard let keypad, let indexes else { return .indexes(keypadId: keypad?.id, nil) }
        return .indexes(keypadId: keypad.id, try seal(indexes, on: keypad, of: uniqueId, bank, now))
    }

    private func makeKeypad(_ request: KeypadRequest, _ bank: Bank, _ now: Timestamp) async throws -> Keypad? {
        guard Identifier.isValid(request.uniqueId) else { throw DefinitionError(.cardholderNotFound) }
        let id = Base64URL.encode(SecureRandom.bytes(count: Self.keypadIdByteCount))
        var random = SystemRandomNumberGenerator()
        let layout = KeypadLayout(size: request.size, using: &random)
        let sealed = try keyring.seal(layout.places.bytes, in: .keypad(id))
        let outcome = try await store.reaching {
            try await $0.makeKeypad(
                KeypadRecord(id: id, sealedLayout: sealed), bankId: bank.id, bankRevision: bank.revision,
                uniqueId: request.uniqueId,
                expiresAt: Timestamp(seconds: now.seconds + Int64(KeypadLayout.lifetimeSeconds)),
                kept: KeypadLayout.keptPerCardholder, now: now)
        }
        switch outcome {
        case .stale: return nil
        case .noCardholder: throw DefinitionError(.cardholderNotFound)
        case .statusNotSatisfied: throw DefinitionError(.cardholderStatusNotSatisfied)
        case .tooMany(let seconds): throw TooManyRequests(retryAfterSeconds: seconds)
        case .made(let displaced):
            if displaced > 0 {
                logger.warning(
                    "A live keypad was displaced: a cardholder's app is impatient, or somebody floods it",
                    metadata: ["bank_id": "\(bank.id)", "unique_id": "\(request.uniqueId)"])
            }
            return Keypad(entries: layout.entries, id: id)
        }
    }

    private func requireKnownKey(_ jwe: JWE) async throws {
        guard try await serverKeys.knows(jwe) else {
            throw DefinitionError(.cryptoError, detail: "\(UnknownServerKey())")
        }
    }

    /// What was sealed, without its padding; nil where it is longer than it may be.
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

    /// Seals a PIN that the bank allows; nil for any other.
    private func seal(
        _ pin: SharedSecret, of uniqueId: String, _ bank: Bank, _ now: Timestamp
    ) throws -> DefinedPINRequest.DefinedPIN? {
        guard ChosenPIN.isAllowed(pin.bytes, by: bank.settings) else { return nil }
        let sealed = try keyring.seal(pin.bytes, in: CardholderPlace(bankId: bank.id, uniqueId: uniqueId).pin)
        return DefinedPINRequest.DefinedPIN(sealed: sealed, forBank: try jwe(of: pin, for: bank, now))
    }

    /// The PIN as the bank's own systems take it over; nil where the bank has no certificate for that.
    private func jwe(of pin: SharedSecret, for bank: Bank, _ now: Timestamp) throws -> String? {
        guard let certificate = bank.encryptionCertificate else { return nil }
        guard certificate.isValid(at: now) else {
            logger.error(
                "A bank's encryption certificate is not valid: it is not told the PIN that was defined",
                metadata: ["bank_id": "\(bank.id)"])
            return nil
        }
        return try JWE.seal(ChosenPIN.padded(pin.bytes), to: certificate.publicKey, keyID: certificate.alias)
    }

    private func seal(
        _ indexes: SharedSecret, on keypad: KeypadRecord, of uniqueId: String, _ bank: Bank, _ now: Timestamp
    ) throws -> DefinedPINRequest.DefinedPIN? {
        let layout = try keyring.open(keypad.sealedLayout, in: .keypad(keypad.id))
        guard let pin = SharedSecret(ChosenPIN.pin(at: indexes.bytes, on: layout)) else { return nil }
        return try seal(pin, of: uniqueId, bank, now)
    }
}

extension SealedPlace {
    fileprivate static func keypad(_ id: String) -> SealedPlace {
        SealedPlace("keypad.sealed_layout", row: id)
    }
}
