internal import CardCompanionAPI
package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
internal import JOSE
package import KeyVault
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

    let store: Store
    let keyring: Keyring
    let serverKeys: ServerKeys
    let banks: BankDirectory
    let gate: CardholderGate
    private let replays = ReplayMetrics()

    package init(
        store: Store, keyring: Keyring, serverKeys: ServerKeys, banks: BankDirectory, gate: CardholderGate
    ) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.banks = banks
        self.gate = gate
    }

    /// Makes a keypad for a cardholder. The caller is not authenticated, so nothing is written.
    ///
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``ServiceUnavailable``, `StoreError`.
    package func makeKeypad(_ body: borrowing JSONText) async throws -> Keypad {
        let request = try RequestedKeypad(body)
        let (bank, now) = try await banks.whileCurrent(request.bankId) { bank, now in
            (try DefinitionChecks.activeBank(bank), now)
        } serve: { (bank: Bank, now: Timestamp) -> Served<(Bank, Timestamp)> in
            let exists = try await store.cardholderExists(
                bankId: bank.id, bankRevision: bank.revision, uniqueId: Identifier(request.uniqueId))
            guard let exists else { return .bankHasChanged }
            try requireKeypads(of: bank, cardholderExists: exists, now: now)
            return .done((bank, now))
        }
        var random = SecureRandomNumbers()
        let layout = KeypadLayout(size: request.size, using: &random)
        let id = try SealedKeypad.id(
            of: layout, bankId: bank.id, uniqueId: request.uniqueId, now: now, keyring: keyring)
        return Keypad(entries: layout.entries, id: id)
    }

    /// Defines a PIN for a caller with an HMAC.
    ///
    /// - Returns: what the app is told of when the PIN works.
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func define(_ body: borrowing JSONText) async throws -> DefinedPINEffect {
        let request = try HMACDefinition(body)
        try await requireKnownKey(request.sealedPIN)
        return try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, at: $1)
        } serve: { caller in
            try await caller.bank.uniformly(as: DefinitionCode.badHashMac) {
                try await define(caller, by: .digits) {
                    let binding = RequiredBinding(
                        .pin, bankId: caller.bank.id, uniqueId: request.uniqueId, requestId: request.timestamp.text)
                    return try await pin(request.sealedPIN, binding, of: caller)
                }
            }
        }
    }

    /// Defines a PIN for a caller with a token that comes with the PIN itself.
    ///
    /// - Returns: what the app is told of when the PIN works.
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func defineWithToken(
        _ body: borrowing JSONText, audit: inout AuditRecord
    ) async throws -> DefinedPINEffect {
        try await define(try TokenDefinition(pin: body), audit: &audit)
    }

    /// Defines a PIN for a caller with a token that comes with indexes into a keypad. The PIN itself is never sent.
    ///
    /// - Returns: what the app is told of when the PIN works.
    /// - Throws: ``DefinitionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func defineWithIndexes(
        _ body: borrowing JSONText, audit: inout AuditRecord
    ) async throws -> DefinedPINEffect {
        try await define(try TokenDefinition(indexes: body), audit: &audit)
    }

    private func define(
        _ request: TokenDefinition, audit: inout AuditRecord
    ) async throws -> DefinedPINEffect {
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        try await requireKnownKey(request.sealedChoice)
        return try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, at: $1)
        } serve: { caller in
            try await caller.bank.uniformly(as: DefinitionCode.invalidSignature) {
                try await define(caller, by: request.entry.kind) {
                    switch request.entry {
                    case .digits:
                        try await pin(request.sealedChoice, request.binding, of: caller)
                    case .indexes(let keypadId):
                        try await indexes(request.sealedChoice, request.binding, on: keypadId, of: caller)
                    }
                }
            }
        }
    }

    /// Reads the choice, and defines the PIN in the store.
    ///
    /// A token whose signature and time are right is spent, whatever happens to its request. So the store gets a refused
    /// choice too, and checks that the bank that refused it has not changed.
    private func define(
        _ caller: Authenticated<Identifier?>, by entry: AuthorizedDefinition.Entry,
        choice: () async throws -> AuthorizedDefinition.Choice
    ) async throws -> Served<DefinedPINEffect> {
        let place = caller.uniqueId.map { CardholderGate.Place.cardholder(bankId: caller.bank.id, uniqueId: $0) }
        return try await gate.pass(place) {
            try RequestPlace.charge(to: caller.bank.id)
            return try await decide(caller, entry, choice)
        }
    }

    private func decide(
        _ caller: Authenticated<Identifier?>, _ entry: AuthorizedDefinition.Entry,
        _ choice: () async throws -> AuthorizedDefinition.Choice
    ) async throws -> Served<DefinedPINEffect> {
        var definition = caller.definition(by: entry)
        var refusal: DefinitionError?
        do {
            definition.choice = try await choice()
        } catch let error as DefinitionError {
            refusal = error
        }
        if caller.bank.settings.identityCheck.isForDefinitions, let uniqueId = caller.uniqueId {
            definition.passMAC = try await IdentityPasses(store: store, keyring: keyring)
                .mac(bankId: caller.bank.id, uniqueId: uniqueId, at: caller.time)
        }
        let note = try AuditNote.app(
            definition.channel.rawValue, bankId: caller.bank.id, uniqueId: caller.uniqueId, keyring: keyring)
        switch try await store.definePIN(definition, audit: note, now: caller.time) {
        case .defined: return .done(caller.bank.settings.definedPINEffect)
        case .stale: return .bankHasChanged
        case .refused: throw refusal ?? DefinitionError(.unexpectedError)
        case .transactionSpent:
            RequestPlace.noteRepetition()
            replays.refusedToken()
            throw DefinitionError(.transactionAlreadyTreated)
        case .hmacSpent:
            RequestPlace.noteRepetition()
            replays.refusedHashMac()
            throw DefinitionError(.badHashMac, detail: HashMac.spent)
        case .noCardholder: throw DefinitionError(.cardholderNotFound)
        case .statusNotSatisfied:
            throw DefinitionError(
                .cardholderStatusNotSatisfied, detail: definition.isAllowedEntry ? nil : Self.otherEntry(than: entry))
        case .noKeypad: throw DefinitionError(.keypadNotFound)
        case .badPIN:
            throw DefinitionError(.invalidPINFormat, detail: ChosenPIN.rule(of: caller.bank.settings))
        }
    }

    private static func otherEntry(than entry: AuthorizedDefinition.Entry) -> String {
        switch entry {
        case .digits: "this bank takes a PIN as positions on a keypad only"
        case .indexes: "this bank takes no positions on a keypad"
        }
    }

    private func pin(
        _ jwe: JWE, _ binding: RequiredBinding, of caller: Authenticated<Identifier?>
    ) async throws -> AuthorizedDefinition.Choice {
        guard let pin = try await chosen(jwe, binding, by: caller.bank, byteLimit: ChosenPIN.pinByteLimit),
            let defined = try seal(pin, of: caller)
        else { throw DefinitionError(.invalidPINFormat, detail: ChosenPIN.rule(of: caller.bank.settings)) }
        return .digits(defined)
    }

    /// A choice that cannot be read is left to the store: it checks first the keypad, and then the PIN.
    private func indexes(
        _ jwe: JWE, _ binding: RequiredBinding, on keypadId: String?, of caller: Authenticated<Identifier?>
    ) async throws -> AuthorizedDefinition.Choice {
        let indexes = try await chosen(jwe, binding, by: caller.bank, byteLimit: ChosenPIN.indexesByteLimit)
        guard let keypadId, let uniqueId = caller.uniqueId,
            let keypad = SealedKeypad(
                id: keypadId, bankId: caller.bank.id, uniqueId: uniqueId.text, now: caller.time, keyring: keyring)
        else { return .indexes(nil, nil) }
        let pin = SharedSecret(indexes.flatMap { ChosenPIN.pin(at: $0.bytes, on: keypad.layout.bytes) })
        return .indexes(keypad.spent, try pin.flatMap { try seal($0, of: caller) })
    }

    /// A bank with uniform errors gets keypads for cardholders who do not exist as well.
    private func requireKeypads(
        of bank: Bank, cardholderExists: Bool, now: Timestamp
    ) throws(DefinitionError) {
        guard !bank.settings.uniformErrors else { return }
        guard cardholderExists else { throw DefinitionError(.cardholderNotFound) }
        guard bank.settings.definition, bank.settings.definitionBy.allowsIndexes,
            bank.settings.definedPINs == .keep || bank.definedPINDelivery(at: now) != nil
        else { throw DefinitionError(.cardholderStatusNotSatisfied) }
    }

    private func requireKnownKey(_ jwe: JWE) async throws {
        guard try await serverKeys.knows(jwe) else {
            throw RefusedCaller(reason: DefinitionError(.cryptoError, detail: "\(UnknownServerKey())"))
        }
    }

    /// The sealed value, without its padding; nil if it is too long.
    private func chosen(
        _ jwe: JWE, _ binding: RequiredBinding, by bank: Bank, byteLimit: Int
    ) async throws -> SharedSecret? {
        let plaintext: SecretBytes
        do {
            try binding.check(jwe, by: bank.settings.sealedValues)
            plaintext = try await serverKeys.open(jwe)
        } catch let error as BindingError {
            throw DefinitionError(.cryptoError, detail: "\(error)")
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
        let eventId = Base64URL.encode(SecureRandom.bytes(count: Self.eventIdByteCount))
        guard let uniqueId = caller.uniqueId else { return .init(sealed: [], forBank: nil, eventId: eventId) }
        let place = CardholderPlace(bankId: caller.bank.id, uniqueId: uniqueId).pin
        let forBank = try caller.bank.definedPINDelivery(at: caller.time).map { delivery in
            try delivery.sealed(pin.bytes, of: uniqueId, eventId: eventId) { SecureRandom.secret(count: $0) }
        }
        return .init(sealed: try keyring.seal(pin.bytes, in: place), forBank: forBank, eventId: eventId)
    }

    static let eventIdByteCount = 16
}

extension Authenticated<Identifier?> {
    /// The store's argument, before the choice is read.
    fileprivate func definition(by entry: AuthorizedDefinition.Entry) -> AuthorizedDefinition {
        let authorized: AuthorizedDefinition.Proof =
            switch proof {
            case .hmac(let digest, let expiresAt): .hmac(digest, expiresAt: expiresAt)
            case .token(_, let transaction): .token(transaction, expiresAt: transactionExpiry)
            }
        return AuthorizedDefinition(
            bankId: bank.id, bankRevision: bank.revision, settings: bank.settings, uniqueId: uniqueId,
            proof: authorized, entry: entry,
            canDeliver: bank.definedPINDelivery(at: time) != nil, choice: .refused)
    }

    /// Until when the IdTransaction is refused (code 211): twice the largest window that a bank can have. The bank's present
    /// window does not count: if it grew, a token could be used a second time.
    private var transactionExpiry: Timestamp {
        time.advanced(bySeconds: 2 * Int64(BankSettings.timestampToleranceLimitSeconds) + ClockMargin.seconds)
    }
}
