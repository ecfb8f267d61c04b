internal import CardCompanionAPI
internal import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
internal import JOSE
package import KeyVault
package import PINImages
internal import SecureMemory
package import StrictJSON

/// PIN distribution: sends a cardholder's PIN as an image, sealed to the app that asked, and takes the confirmation that it
/// was shown (SDK document, sections 4.1 and 4.2).
package struct DistributionService: Sendable {
    /// A PIN on its way to the client.
    package struct Delivery: Sendable {
        /// A compact JWE to the client's key.
        package let pin: String
        /// The session that the notify must name.
        package let sessionId: String
    }

    let store: Store
    let keyring: Keyring
    let banks: BankDirectory
    let renderer: PINImageRenderer
    let drawing: DrawingPool
    let gate: CardholderGate
    private let replays = ReplayMetrics()
    private let lockouts = LockoutMetrics()

    package init(
        store: Store, keyring: Keyring, banks: BankDirectory, renderer: PINImageRenderer, drawing: DrawingPool,
        gate: CardholderGate
    ) {
        self.store = store
        self.keyring = keyring
        self.banks = banks
        self.renderer = renderer
        self.drawing = drawing
        self.gate = gate
    }

    /// Delivers a PIN to a caller with an authentication code and an HMAC.
    ///
    /// - Throws: ``DistributionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func fetch(_ body: borrowing JSONText, audit: inout AuditRecord) async throws -> Delivery {
        let request = try CaptchaFetch(body)
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        return try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, at: $1)
        } serve: { caller in
            let code = try code(request.authenticationCode, of: caller)
            return try await caller.bank.uniformly(as: DistributionCode.wrongAuthenticationCode) {
                try await deliver(to: caller, code, request.hints) { try JWE.seal($0, to: request.clientKey) }
            }
        }
    }

    /// Delivers a PIN to a caller with a signed token.
    ///
    /// - Throws: ``DistributionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func fetchWithToken(_ body: borrowing JSONText, audit: inout AuditRecord) async throws -> Delivery {
        let request = try TokenFetch(body)
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        return try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, at: $1)
        } serve: { caller in
            let needsCode = caller.bank.settings.scheme == .pciCPP
            let code = needsCode ? try code(request.authenticationCode, of: caller) : .notRequired
            let uniformCode: DistributionCode =
                request.hasAuthenticationCode ? .wrongAuthenticationCode : .invalidSignature
            return try await caller.bank.uniformly(as: uniformCode) {
                try await deliver(to: caller, code, request.hints) { try JWE.seal($0, to: request.clientKey) }
            }
        }
    }

    /// Takes the confirmation of a delivery with an authentication code.
    ///
    /// - Throws: ``DistributionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func notify(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await notify(try DeliveryNotify(ac: body), audit: &audit)
    }

    /// Takes the confirmation of a delivery with a token.
    ///
    /// - Throws: ``DistributionError``, ``RefusedCaller`` with one, ``TooManyRequests``, ``ServiceUnavailable``, `StoreError`.
    package func notifyWithToken(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await notify(try DeliveryNotify(token: body), audit: &audit)
    }

    private func notify(_ request: DeliveryNotify, audit: inout AuditRecord) async throws {
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        let noSession = DistributionError(.badParameter, detail: "there is no such session, or it has expired")
        try await banks.whileCurrent(request.bankId) { bank, now in
            let bank = try DistributionChecks.activeBank(bank)
            guard let sessionId = request.sessionId,
                try SessionName.isGenuine(
                    sessionId, bankId: request.bankId, uniqueId: request.uniqueId, keyring: keyring)
            else { throw noSession }
            return (bank: bank, sessionId: sessionId, time: now)
        } serve: { bank, sessionId, now in
            let outcome = try await gate.pass(.session(sessionId)) {
                let notify = try request.received(by: bank, keyring: keyring)
                let note = try AuditNote.app(
                    notify.channel.rawValue, bankId: bank.id, uniqueId: request.uniqueId, keyring: keyring)
                return try await store.notifyDelivery(notify, audit: note, now: now)
            }
            switch outcome {
            case .confirmed: return .done(())
            // The session and its hash authenticate a notify.
            case .noSession: throw RefusedCaller(reason: noSession)
            case .wrongHash: throw RefusedCaller(reason: DistributionError(.badHash))
            case .decidedOtherwise:
                throw DistributionError(.badParameter, detail: "this session was notified with another status before")
            case .stale: return .bankHasChanged
            }
        }
    }

    /// Gets the PIN from the store, draws it and seals it. If that fails, the fetch is taken back.
    private func deliver(
        to caller: Authenticated<Identifier>, _ code: AuthorizedFetch.Code, _ hints: FetchHints,
        seal: @escaping @Sendable (borrowing SecretBytes) throws -> String
    ) async throws -> Served<Delivery> {
        try await gate.pass(.cardholder(bankId: caller.bank.id, uniqueId: caller.uniqueId)) {
            try RequestPlace.charge(to: caller.bank.id)
            return try await fetch(for: caller, code, hints, seal)
        }
    }

    private func fetch(
        for caller: Authenticated<Identifier>, _ code: AuthorizedFetch.Code, _ hints: FetchHints,
        _ seal: @escaping @Sendable (borrowing SecretBytes) throws -> String
    ) async throws -> Served<Delivery> {
        let session = NewSession(
            try SessionName(bankId: caller.bank.id, uniqueId: caller.uniqueId, keyring: keyring))
        var fetch = try caller.fetch(code, session, keyring)
        if caller.bank.settings.identityCheck.isForFetches {
            fetch.passMAC = try await IdentityPasses(store: store, keyring: keyring)
                .mac(bankId: caller.bank.id, uniqueId: caller.uniqueId, at: caller.time)
        }
        let sealedPIN: [UInt8]
        let sealedFreeField: [UInt8]?
        let form: DeliveryForm
        let note = try AuditNote.app(
            fetch.channel.rawValue, bankId: caller.bank.id, uniqueId: caller.uniqueId, keyring: keyring)
        switch try await store.fetchPIN(fetch, audit: note, now: caller.time) {
        case .stale: return .bankHasChanged
        case .refused(let refusal):
            count(refusal)
            throw DistributionError(refusal.code, detail: refusal.detail)
        case .delivered(let pin, let freeField, let accessibility, let locks):
            if locks { lockouts.lockedByUnconfirmedFetch() }
            (sealedPIN, sealedFreeField) = (pin, freeField)
            form = DeliveryForm(caller.bank.settings, hints: hints, accessibility: accessibility)
        }
        do {
            let place = CardholderPlace(bankId: caller.bank.id, uniqueId: caller.uniqueId)
            let pin = SharedSecret(try keyring.openStored(sealedPIN, in: place.pin))
            let freeField = try sealedFreeField.map { SharedSecret(try keyring.openStored($0, in: place.freeField)) }
            let plaintext = DeliveryPlaintext(caller.bank.settings, form: form, renderer: renderer)
            let jwe = try await drawing.run(cost: form.cost) {
                var random = SecureRandomNumbers()
                let drawn = try plaintext.draw(
                    pin.bytes, notifyKey: session.notifyKey.bytes, freeField: freeField?.bytes.copy(), using: &random)
                return try seal(drawn)
            }
            return .done(Delivery(pin: jwe, sessionId: session.id))
        } catch {
            // A PIN that does not open leaves the token spent. After an internal error it can be used again.
            try await Store.answeringAnew {
                try await store.takeBack(
                    fetch, freesTransaction: !(error is DistributionError), audit: note, now: caller.time)
            }
            throw error
        }
    }

    private func count(_ refusal: FetchRefusal) {
        switch refusal {
        case .transactionSpent:
            RequestPlace.noteRepetition()
            replays.refusedToken()
        case .hmacSpent:
            RequestPlace.noteRepetition()
            replays.refusedHashMac()
        case .lockingCode: lockouts.lockedByWrongCode()
        default: break
        }
    }

    private func code(
        _ code: SharedSecret?, of caller: Authenticated<Identifier>
    ) throws(KeyVaultError) -> AuthorizedFetch.Code {
        guard let code, CodeForm(caller.bank.settings).matches(code.bytes) else { return .withoutForm }
        let place = CardholderPlace(bankId: caller.bank.id, uniqueId: caller.uniqueId).code
        return .macs(try keyring.authenticationCodes(for: code.bytes, in: place))
    }
}

extension Authenticated<Identifier> {
    fileprivate func fetch(
        _ code: AuthorizedFetch.Code, _ session: NewSession, _ keyring: Keyring
    ) throws(KeyVaultError) -> AuthorizedFetch {
        let authorized: AuthorizedFetch.Proof =
            switch proof {
            case .hmac(let digest, let expiresAt): .hmac(digest, expiresAt: expiresAt)
            case .token(let token, let transaction):
                .token(
                    isReminder: token.type == .reminder, transaction: transaction,
                    mac: try keyring.authenticationCode(for: token.members.bytes, in: .sessionToken(session.id)))
            }
        return AuthorizedFetch(
            bankId: bank.id, bankRevision: bank.revision, settings: bank.settings, uniqueId: uniqueId,
            proof: authorized,
            code: code, sessionId: session.id, confirmations: session.confirmations(bankId: bank.id, uniqueId: uniqueId)
        )
    }
}

extension FetchRefusal {
    var code: DistributionCode {
        switch self {
        case .transactionSpent: .transactionAlreadyTreated
        case .hmacSpent: .badHashMac
        case .noCardholder: .cardholderNotFound
        case .cardholderOfAnotherBank: .incompatibleBankAndCardholder
        case .wrongChannel: .incompatibleChannel
        case .statusNotSatisfied: .cardholderStatusNotSatisfied
        case .limitReached: .retryLimitReached
        case .codeWithoutForm: .badAuthenticationCodeFormat
        case .wrongCode, .lockingCode: .wrongAuthenticationCode
        case .noPIN: .pinNotAvailable
        }
    }

    fileprivate var detail: String? { self == .hmacSpent ? HashMac.spent : nil }
}

extension Keyring {
    /// Opens a stored value. If it does not open, the error has the code of the protocol.
    fileprivate func openStored(_ sealed: [UInt8], in place: SealedPlace) throws -> SecretBytes {
        do throws(KeyVaultError) {
            return try open(sealed, in: place)
        } catch {
            if let closed = ServiceUnavailable(closedVault: error) { throw closed }
            if case .unknownDataKey = error { throw DistributionError(.internalKeyNotFound, cause: error) }
            throw DistributionError(.unexpectedCryptoError, cause: error)
        }
    }
}
