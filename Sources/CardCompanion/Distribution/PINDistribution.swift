internal import CardCompanionAPI
public import CardCompanionStore
internal import Cryptography
internal import JOSE
public import KeyVault
public import PINImages
internal import SecureMemory
public import StrictJSON

/// PIN distribution: a cardholder's PIN as an image, sealed to the app that asked, and the confirmation that it was
/// shown (SDK document, sections 4.1 and 4.2).
public struct PINDistribution: Sendable {
    /// A PIN on its way.
    public struct Delivery: Sendable {
        /// A compact JWE to the client's key.
        public let pin: String
        /// What the notify names.
        public let sessionId: String
    }

    let store: Store
    let keyring: Keyring
    let banks: BankDirectory
    let renderer: PINImageRenderer
    let drawing: DrawingPool

    /// The service, over its store and keys.
    public init(
        store: Store, keyring: Keyring, banks: BankDirectory, renderer: PINImageRenderer, drawing: DrawingPool
    ) {
        self.store = store
        self.keyring = keyring
        self.banks = banks
        self.renderer = renderer
        self.drawing = drawing
    }

    /// Delivers a PIN to a caller with an authentication code and an HMAC.
    ///
    /// - Throws: ``DistributionError``, ``ServiceUnavailable``.
    public func fetch(_ body: borrowing JSONText, audit: inout AuditRecord) async throws -> Delivery {
        let request = try CaptchaRequest(body)
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        return try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, now: $1)
        } serve: { bank, now in
            let session = NewSession()
            let code = code(request.authenticationCode, of: request.uniqueId, bank)
            let fetch = try request.fetch(with: bank, code: code, session: session)
            return try await uniformly(bank, as: .wrongAuthenticationCode) {
                try await deliver(fetch, to: session, bank, now: now) { plaintext in
                    try JWE.seal(plaintext, to: request.clientKey)
                }
            }
        }
    }

    /// Delivers a PIN to a caller with a signed token.
    ///
    /// - Throws: ``DistributionError``, ``ServiceUnavailable``.
    public func fetchWithToken(_ body: borrowing JSONText, audit: inout AuditRecord) async throws -> Delivery {
        let request = try TokenCaptchaRequest(body)
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        return try await banks.whileCurrent(request.bankId) {
            try request.authenticate(with: $0, now: $1)
        } serve: { bank, now in
            let session = NewSession()
            let asksCode = bank.settings.scheme == .pciCPP
            let code = asksCode ? code(request.authenticationCode, of: request.uniqueId, bank) : .notAsked
            let fetch = request.fetch(with: bank, code: code, session: session, keyring: keyring)
            let uniformCode: DistributionCode =
                request.hasAuthenticationCode ? .wrongAuthenticationCode : .invalidSignature
            return try await uniformly(bank, as: uniformCode) {
                try await deliver(fetch, to: session, bank, now: now) { plaintext in
                    try JWE.seal(plaintext, to: request.clientKey)
                }
            }
        }
    }

    /// Takes the confirmation of a delivery by authentication code.
    ///
    /// - Throws: ``DistributionError``, ``ServiceUnavailable``.
    public func notify(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await notify(try NotifyRequest(ac: body), channel: .ac, audit: &audit)
    }

    /// Takes the confirmation of a delivery by token.
    ///
    /// - Throws: ``DistributionError``, ``ServiceUnavailable``.
    public func notifyWithToken(_ body: borrowing JSONText, audit: inout AuditRecord) async throws {
        try await notify(try NotifyRequest(token: body), channel: .token, audit: &audit)
    }

    private func notify(
        _ request: NotifyRequest, channel: Channel, audit: inout AuditRecord
    ) async throws {
        audit.name(bankId: request.bankId, uniqueId: request.uniqueId)
        try await banks.whileCurrent(request.bankId) { bank, _ in
            try Bank.active(bank)
        } serve: { bank, now in
            let outcome = try await store.reaching {
                try await $0.notifyDelivery(
                    bankId: bank.id, bankRevision: bank.revision, uniqueId: request.uniqueId,
                    sessionId: request.sessionId, channel: channel, tokenMACs: request.tokenMACs(keyring),
                    status: request.status.rawValue, confirmation: request.confirmation, now: now)
            }
            switch outcome {
            case .confirmed: return ()
            case .noSession: throw DistributionError(.badParameter, detail: "no such session waits for this notify")
            case .wrongHash: throw DistributionError(.badHash)
            case .stale: return nil
            }
        }
    }

    /// Asks the store for the PIN, draws and seals it; what was begun is taken back where that fails.
    ///
    /// - Returns: nil where the bank has changed and the request is to be judged again.
    private func deliver(
        _ fetch: FetchedPINRequest, to session: NewSession, _ bank: Bank, now: Timestamp,
        seal: @escaping @Sendable (borrowing SecretBytes) throws -> String
    ) async throws -> Delivery? {
        let outcome = try await store.reaching { try await $0.fetchPIN(fetch, now: now) }
        let sealedPIN: [UInt8]
        let sealedFreeField: [UInt8]?
        switch outcome {
        case .stale: return nil
        case .refused(let refusal): throw DistributionError(refusal.code)
        case .delivered(let pin, let freeField): (sealedPIN, sealedFreeField) = (pin, freeField)
        }
        do {
            let place = CardholderPlace(bankId: bank.id, uniqueId: fetch.uniqueId)
            let pin = SharedSecret(try keyring.openStored(sealedPIN, in: place.pin))
            let freeField = try sealedFreeField.map { SharedSecret(try keyring.openStored($0, in: place.freeField)) }
            let plaintext = DeliveryPlaintext(format: bank.settings.deliveryFormat, renderer: renderer)
            let jwe = try await drawing.run {
                var random = SystemRandomNumberGenerator()
                let drawn = try plaintext.draw(
                    pin.bytes, notifyKey: session.notifyKey.bytes, freeField: freeField?.bytes.copy(), using: &random)
                return try seal(drawn)
            }
            return Delivery(pin: jwe, sessionId: session.id)
        } catch {
            try await takeBack(fetch, after: error)
            throw error
        }
    }

    /// A PIN that does not open leaves a token spent; a fault of the server's own gives it back.
    private func takeBack(_ fetch: FetchedPINRequest, after error: any Error) async throws {
        var idTransaction: String?
        if case .token(_, let id, _) = fetch.proof, !(error is DistributionError) { idTransaction = id }
        try await store.reaching { [idTransaction] in try await $0.takeBack(fetch, idTransaction: idTransaction) }
    }

    private func uniformly<Result>(
        _ bank: Bank, as code: DistributionCode, _ operation: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation()
        } catch let error as DistributionError where bank.settings.uniformErrors {
            throw error.uniform(as: code)
        }
    }

    private func code(_ code: SharedSecret?, of uniqueId: String, _ bank: Bank) -> FetchedPINRequest.Code {
        guard let code, CodeForm(bank.settings).matches(code.bytes) else { return .withoutForm }
        let place = CardholderPlace(bankId: bank.id, uniqueId: uniqueId).code
        return .macs(keyring.authenticationCodes(for: code.bytes, in: place))
    }
}

extension FetchRefusal {
    /// The code that the protocol has for it.
    var code: DistributionCode {
        switch self {
        case .transactionSpent: .transactionAlreadyTreated
        case .noCardholder: .cardholderNotFound
        case .cardholderOfAnotherBank: .incompatibleBankAndCardholder
        case .wrongChannel: .incompatibleChannel
        case .statusNotSatisfied: .cardholderStatusNotSatisfied
        case .limitReached: .retryLimitReached
        case .codeWithoutForm: .badAuthenticationCodeFormat
        case .wrongCode: .wrongAuthenticationCode
        case .hmacSpent: .badHashMac
        case .noPIN: .pinNotAvailable
        }
    }
}

extension Keyring {
    /// Opens what the store has kept, and names the protocol's code where it does not open.
    fileprivate func openStored(_ sealed: [UInt8], in place: SealedPlace) throws(DistributionError) -> SecretBytes {
        do throws(KeyVaultError) {
            return try open(sealed, in: place)
        } catch {
            if case .unknownDataKey = error { throw DistributionError(.internalKeyNotFound, cause: error) }
            throw DistributionError(.unexpectedCryptoError, cause: error)
        }
    }
}
