package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
internal import JOSE
package import KeyVault
internal import SecureMemory
package import StrictJSON

/// Gives a bank's back-end what the issuer's host needs of a PIN that a cardholder has defined (protocol, section 3).
///
/// A back-end's key alone must not be worth a PIN: so only defined PINs are exported, operators fix what shapes a value, and each
/// PAN belongs to one cardholder.
package struct PINExports: Sendable {
    package enum Operation: String, Sendable {
        /// A PIN block under a key of the host.
        case translate
        /// A PVV or an offset.
        case verificationValue = "verification-value"
    }

    package enum Result: Sendable {
        /// The JWE for the bank.
        case exported(String)
        /// See ``PINExportOutcome``.
        case underWay, answered
    }

    /// The member with the sealed value, in a call and in its answer, and its `cty`.
    package static let member = RequiredBinding.Content.pinExport.rawValue

    private let store: Store
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let countedObjects: CountedObjects
    private let clock: WallClock
    private let metrics = ExportMetrics()

    package init(
        store: Store, keyring: Keyring, serverKeys: ServerKeys, countedObjects: CountedObjects, clock: WallClock
    ) {
        self.store = store
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.countedObjects = countedObjects
        self.clock = clock
    }

    /// Exports a cardholder's PIN.
    ///
    /// - Parameters:
    ///   - call: its Idempotency-Key is the `jti` of the sealed value, and of the answer.
    ///   - keyId: the key that has signed the call.
    /// - Throws: ``PINExportRefusal``, ``ProvisioningRefusal``, ``ServiceUnavailable``, `StoreError`, `KeyVaultError`.
    package func export(
        _ operation: Operation, _ body: borrowing JSONText, bankId: Identifier, uniqueId text: String,
        call: IdempotentCall, by keyId: String
    ) async throws -> Result {
        do {
            let result = try await decide(operation, body, bankId: bankId, uniqueId: text, call: call, by: keyId)
            if case .exported = result { metrics.exported() }
            return result
        } catch let refusal as PINExportRefusal {
            metrics.refused(refusal)
            throw refusal
        } catch let refusal as ProvisioningRefusal {
            metrics.refusedAsInvalid()
            throw refusal
        }
    }

    /// Exports the PIN, or writes into the audit trail why not.
    private func decide(
        _ operation: Operation, _ body: borrowing JSONText, bankId: Identifier, uniqueId text: String,
        call: IdempotentCall, by keyId: String
    ) async throws -> Result {
        guard let uniqueId = Identifier(text) else { throw PINExportRefusal.noCardholder }
        let note = try note(operation, bankId, uniqueId, keyId)
        let made: PINExport
        do {
            made = try await make(operation, body, bankId, uniqueId, call)
        } catch let refusal as PINExportRefusal {
            try await store.noteRefusedExport(refusal.word, of: bankId, audit: note, now: clock.now())
            throw refusal
        } catch let problem as PINExportProblem {
            try await store.noteRefusedExport("invalid", of: bankId, audit: note, now: clock.now())
            throw ProvisioningRefusal(
                uniqueId: uniqueId, problems: [ProvisioningError(Self.member, problem.description)])
        }
        let detailed = AuditNote(subject: note.subject, actor: note.actor, detail: made.data)
        return try Self.result(
            try await store.exportPIN(made, audit: detailed, now: clock.now()), made.answer)
    }

    /// Writes into the audit trail that a back-end has asked, although the operator has not allowed exports.
    package func noteNotAllowed(
        _ operation: Operation, bankId: Identifier, uniqueId text: String, by keyId: String
    ) async throws {
        metrics.refused(.notAllowed)
        guard let uniqueId = Identifier(text) else { return }
        try await store.noteRefusedExport(
            PINExportRefusal.notAllowed.word, of: bankId, audit: try note(operation, bankId, uniqueId, keyId),
            now: clock.now())
    }

    /// What the audit trail has of a call before it is understood.
    private func note(
        _ operation: Operation, _ bankId: Identifier, _ uniqueId: Identifier, _ keyId: String
    ) throws -> AuditNote {
        let note = try AuditNote.backEnd(keyId: keyId, bankId: bankId, uniqueId: uniqueId, keyring: keyring)
        let detail = String(json: JSONWriter.object { $0.add("operation", operation.rawValue) })
        return AuditNote(subject: note.subject, actor: note.actor, detail: detail)
    }

    private func make(
        _ operation: Operation, _ body: borrowing JSONText, _ bankId: Identifier, _ uniqueId: Identifier,
        _ call: IdempotentCall
    ) async throws -> PINExport {
        let bank = try await bank(bankId)
        guard bank.settings.pinExports else { throw PINExportRefusal.notAllowed }
        let request = try await request(operation, body, bankId, uniqueId, call)
        let key = try await key(of: request, bankId)
        return try await export(request, with: key, operation, of: bank, uniqueId, call)
    }

    private static func result(_ outcome: PINExportOutcome, _ answer: String) throws -> Result {
        switch outcome {
        case .exported: return .exported(answer)
        case .underWay: return .underWay
        case .answered: return .answered
        case .stale: throw ServiceUnavailable("the bank is being changed")
        case .noCardholder: throw PINExportRefusal.noCardholder
        case .noDefinedPIN: throw PINExportRefusal.noDefinedPIN
        case .boundOtherwise: throw PINExportRefusal.boundOtherwise
        case .tooManyNow(let seconds): throw PINExportRefusal.tooManyNow(retryAfterSeconds: seconds)
        case .tooManyToday(let seconds): throw PINExportRefusal.tooManyToday(retryAfterSeconds: seconds)
        }
    }

    /// The bank as it is now, with what counts of it.
    private func bank(_ id: Identifier) async throws -> Bank {
        guard let found = try await store.bankWithKeys(id: id),
            let counted = try await countedObjects.countedPart(of: found)
        else { throw ServiceUnavailable("the bank does not count") }
        return try Bank(counted, keyring: keyring)
    }

    /// Opens what the back-end asks for. A value must say which call it is for, whatever the bank's setting for others.
    private func request(
        _ operation: Operation, _ body: borrowing JSONText, _ bankId: Identifier, _ uniqueId: Identifier,
        _ call: IdempotentCall
    ) async throws -> PINExportRequest {
        let binding = RequiredBinding(
            .pinExport, bankId: bankId, uniqueId: uniqueId.text, requestId: call.key)
        guard let text = body.string(Self.member) else { throw PINExportProblem("is missing: it is a JWE") }
        do {
            let jwe = try JWE(compact: text)
            try binding.check(jwe, by: .bound)
            return try PINExportRequest(try await serverKeys.open(jwe, isFromBank: true), operation)
        } catch let error as JOSEError {
            throw PINExportProblem("\(error)")
        } catch let error as BindingError {
            throw PINExportProblem("\(error)")
        } catch let error as UnknownServerKey {
            throw PINExportProblem("\(error)")
        }
    }

    private func key(of request: PINExportRequest, _ bankId: Identifier) async throws -> HostKey {
        let record = try await countedObjects.bankKey(bankId: bankId, label: request.keyLabel.text)
        guard let key = try record.flatMap({ try HostKey($0, of: bankId, keyring: keyring) }) else {
            throw PINExportProblem(
                "the bank has no active key \(ClientText.quoted(request.keyLabel.text)) for the issuer's host")
        }
        if let refusal = key.rules.cards.refusal(of: request.pan.bytes) { throw PINExportProblem("pan \(refusal)") }
        return key
    }

    /// Opens the PIN, for the time of this function only, and makes the answer.
    private func export(
        _ request: PINExportRequest, with key: HostKey, _ operation: Operation, of bank: Bank, _ uniqueId: Identifier,
        _ call: IdempotentCall
    ) async throws -> PINExport {
        let now = clock.now()
        guard let certificate = bank.encryptionCertificate(at: now) else { throw PINExportRefusal.noCertificate }
        guard let stored = try await store.chosenPIN(bankId: bank.id, uniqueId: uniqueId, now: now) else {
            throw PINExportRefusal.noCardholder
        }
        guard let sealed = stored.sealed, let definition = stored.event else { throw PINExportRefusal.noDefinedPIN }
        let digests = try await PANDigests.begun(of: bank.id, in: store, keyring)
        let pin = try keyring.open(sealed, in: CardholderPlace(bankId: bank.id, uniqueId: uniqueId).pin)
        let plaintext = try HostValue.plaintext(of: pin, for: request, with: key) { SecureRandom.secret(count: $0) }
        let binding = JWEBinding(
            contentType: Self.member, issuer: bank.id.text, subject: uniqueId.text, id: call.key)
        return PINExport(
            bankId: bank.id, bankRevision: bank.revision, uniqueId: uniqueId, definition: definition,
            pairing: digests.pairing(request.pan.bytes, uniqueId), call: call,
            answer: try JWE.seal(plaintext, to: certificate.publicKey, keyID: certificate.alias, binding: binding),
            data: request.data(operation, call))
    }
}

extension PINExportRequest {
    /// What event and audit trail say of it, in JSON: nothing of the card.
    fileprivate func data(_ operation: PINExports.Operation, _ call: IdempotentCall) -> String {
        String(
            json: JSONWriter.object { json in
                json.add("operation", operation.rawValue)
                json.add("idempotencyKey", call.key)
                switch wish {
                case .block(let format): json.add("format", format.rawValue)
                case .visaPVV: json.add("method", "pvv")
                case .ibm3624Offset: json.add("method", "ibm3624-offset")
                }
                json.add("key", keyLabel.text)
            })
    }
}
