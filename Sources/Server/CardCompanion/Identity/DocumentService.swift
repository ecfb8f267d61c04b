internal import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import DocumentValidation
package import EMRTD
package import KeyVault
package import Logging
package import SecureMemory
internal import StrictJSON
internal import Synchronization

/// Verifies documents that apps read (document 003): looks at the client and its check, verifies, posts the result, and gives the
/// cardholder a pass.
package struct DocumentService: DocumentValidationService {
    /// How long a session of a check can take, from its beginning to the pass: longer than a session with its posts.
    static let leaseSeconds: Int64 = 360
    private static let sessionIdByteCount = 16

    /// A session that may go on.
    package struct Admission: Sendable {
        let client: DocumentClientRecord
        let validationId: String
        let assurance: AssuranceLevel
        /// How long an unused pass stays valid.
        let passLifetimeSeconds: Int
        let anchors: TrustAnchors
        /// Results are sealed to it; nil if the bank has none.
        let certificate: Bank.BankCertificate?
        /// Whether the bank has a certificate for results. If none can be used now, nothing is posted.
        let needsSealing: Bool
        /// Nil if the client is unbound.
        let session: IdentitySession?

        func subject(at now: Timestamp) -> ResultSubject {
            ResultSubject(
                bankId: client.bankId.text, clientId: client.clientId, validationId: validationId,
                expected: session?.expectation.rawValue ?? "none", verifiedAt: now.seconds)
        }
    }

    private let store: Store
    private let keyring: Keyring
    private let banks: BankDirectory
    private let countedObjects: CountedObjects
    private let authorities: TrustedAuthorities
    private let results: any ResultPosting
    private let databaseLimit: Duration
    private let clock: WallClock
    private let clockWatch: ClockWatch
    private let logger: Logger
    private let metrics = IdentityMetrics()
    private let clients: KnownClients

    /// - Parameters:
    ///   - databaseLimit: how long it waits for each answer of the database.
    ///   - lookUps: the limit on look-ups of unknown clients.
    package init(
        store: Store, keyring: Keyring, banks: BankDirectory, countedObjects: CountedObjects,
        results: any ResultPosting,
        databaseLimit: Duration, lookUps: TokenBucket.Rate = .usualLookUps, clock: WallClock,
        clockWatch: ClockWatch, logger: Logger
    ) {
        clients = KnownClients(lookUps: lookUps)
        self.store = store
        self.keyring = keyring
        self.banks = banks
        self.countedObjects = countedObjects
        authorities = TrustedAuthorities(store: store, keyring: keyring, countedObjects: countedObjects)
        self.results = results
        self.databaseLimit = databaseLimit
        self.clock = clock
        self.clockWatch = clockWatch
        self.logger = logger
    }

    package func admit(_ start: StartMessage) async throws(CloseReason) -> Admission {
        try await serving("A session was not admitted") {
            try clockWatch.requireRightClock()
            let found = try await clients.find(start.clientId) {
                try await countedObjects.documentClient(id: start.clientId)
            }
            guard let found else { throw CloseReason.invalidClientId }
            let client = found.client
            let anchors = try await authorities.anchors(of: client.bankId, revision: found.trustRevision)
            return try await banks.whileCurrent(client.bankId) { bank, _ in
                guard let bank, bank.isActive else { throw CloseReason.invalidClientId }
                return bank
            } serve: { bank in
                guard try await isCurrent(bank, found) else { return .bankHasChanged }
                return .done(
                    Admission(
                        client: client, validationId: start.validationId,
                        assurance: bank.settings.identityAssurance.level,
                        passLifetimeSeconds: bank.settings.identityLifetimeSeconds, anchors: anchors,
                        certificate: bank.identityCertificate(at: clock.now()), needsSealing: bank.sealsResults,
                        session: try await session(of: start, client)))
            }
        }
    }

    /// Whether the bank in memory is the same as in the database.
    private func isCurrent(_ bank: Bank, _ found: CurrentDocumentClient) async throws -> Bool {
        if bank.revision == found.bankRevision { return true }
        // One of them is older.
        return try await store.isCurrent(bankId: bank.id, revision: bank.revision)
    }

    /// Begins a session of the check.
    ///
    /// - Returns: nil if the client needs none.
    private func session(of start: StartMessage, _ client: DocumentClientRecord) async throws -> IdentitySession? {
        guard !client.isUnbound else { return nil }
        let now = clock.now()
        let session = try await store.beginIdentitySession(
            bankId: client.bankId, clientId: client.clientId, validation: .validation(start.validationId),
            sessionId: Base64URL.encode(SecureRandom.bytes(count: Self.sessionIdByteCount)), now: now,
            endsAt: now.advanced(bySeconds: Self.leaseSeconds))
        guard let session else { throw CloseReason.invalidStartMessage }
        return session
    }

    package func conclude(
        _ evidence: DocumentEvidence, for admission: Admission
    ) async throws(CloseReason) -> SharedSecret {
        try await serving("A document was not verified") {
            try clockWatch.requireRightClock()
            let found = try verify(evidence, admission)
            let result = ResultJSON.text(of: found, admission.subject(at: clock.now()))
            do {
                try await deliver(result, admission)
                try await record(found, admission)
            } catch {
                let reason = error as? CloseReason ?? .serverError
                // If the server's end has broken this off, the check has not failed. Nothing happens if the session has ended already.
                if !Task.isCancelled { try? await fail(found, admission, cause: reason.rawValue) }
                throw error
            }
            return result
        }
    }

    package func record(_ failure: SessionFailure, for admission: Admission) async -> SharedSecret? {
        var result: SharedSecret?
        do {
            try await serving("A failed session was not recorded") {
                try clockWatch.requireRightClock()
                let found = try verify(failure.evidence, admission)
                result = ResultJSON.text(of: found, admission.subject(at: clock.now()), cause: failure.cause)
                try await fail(found, admission, cause: failure.cause)
            }
        } catch {
            // The reason is in the log already.
            await release(admission)
        }
        return result
    }

    package func post(_ result: SharedSecret, for admission: Admission) async {
        // The reason is in the log already, and the client is not there any more.
        try? await serving("A result was not posted") { try await deliver(result, admission) }
    }

    package func release(_ admission: Admission) async {
        guard let session = admission.session else { return }
        do {
            try await Store.answering(within: databaseLimit) {
                try await end(session, outcome: "ended without a result")
            }
        } catch {
            // The session ends by itself later.
            logger.warning("A session could not be ended in the database", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: - Verification

extension DocumentService {
    private func verify(
        _ evidence: DocumentEvidence, _ admission: Admission
    ) throws(KeyVaultError) -> DocumentVerification {
        let found = try DocumentVerification.verify(
            evidence, anchors: admission.anchors, at: clock.now().seconds, assurance: admission.assurance
        ) { identities throws(KeyVaultError) in
            guard let session = admission.session else { return true }
            return try ExpectedHolder(bankId: session.bankId, uniqueId: session.uniqueId)
                .matches(identities, mac: session.expectationMAC, keyring)
        }
        metrics.verified(found)
        return found
    }

    /// Posts a result while the client is active.
    ///
    /// - Throws: ``CloseReason/invalidClientId`` if the client was disabled in the meantime,
    ///   ``CloseReason/postToResultServerFailed``.
    private func deliver(_ result: SharedSecret, _ admission: Admission) async throws {
        let client = admission.client
        guard try await isActive(client) else { throw CloseReason.invalidClientId }
        guard let url = client.resultURL else { return }
        guard !admission.needsSealing || admission.certificate != nil else {
            logger.error(
                "A result was not posted: the bank's certificate for results is disabled, revoked or has expired",
                metadata: ["bank_id": "\(client.bankId)"])
            throw CloseReason.postToResultServerFailed
        }
        let message = try ResultMessage(
            result, validationId: admission.validationId, clientId: client.clientId, bankId: client.bankId,
            sealedTo: admission.certificate)
        let server = ResultServer(bankId: client.bankId, url: url, isPrivate: client.resultIsPrivate)
        do {
            try await results.post(message, to: server) { try await isActive(client) }
            metrics.posted()
        } catch .notWanted {
            throw CloseReason.invalidClientId
        } catch {
            metrics.notPosted()
            logger.warning(
                "A result was not posted", metadata: ["bank_id": "\(client.bankId)", "problem": "\(error)"])
            throw CloseReason.postToResultServerFailed
        }
    }

    /// Whether the client and its bank are still active.
    private func isActive(_ client: DocumentClientRecord) async throws -> Bool {
        guard let found = try await countedObjects.documentClient(id: client.clientId), found.client == client else {
            return false
        }
        return try await store.bank(id: client.bankId)?.status == .active
    }

    private func record(_ found: DocumentVerification, _ admission: Admission) async throws {
        guard let session = admission.session else { return }
        guard found.passed else { return try await fail(found, admission) }
        let pass = try IdentityPasses(store: store, keyring: keyring).make(
            bankId: session.bankId, uniqueId: session.uniqueId, validation: session.validation, at: clock.now(),
            lifetimeSeconds: admission.passLifetimeSeconds)
        let hasPassed = try await store.passIdentityCheck(
            session, pass, data: Self.eventData(of: found, admission), audit: try note(session))
        // The check was replaced, another session has begun, or the client was disabled at the last moment.
        guard hasPassed else {
            throw try await isActive(admission.client) ? CloseReason.serverError : .invalidClientId
        }
    }

    /// Ends a session without a pass, and says why to the bank and the audit trail.
    ///
    /// - Parameter cause: why the session has ended; nil if it has ended as it should.
    private func fail(
        _ found: DocumentVerification, _ admission: Admission, cause: String? = nil
    ) async throws {
        guard let session = admission.session else { return }
        let reasons = found.refusals.map(\.rawValue)
        try await store.failIdentityCheck(
            session, outcome: (reasons + (cause.map { [$0] } ?? [])).joined(separator: " "),
            data: Self.eventData(of: found, admission, refusals: reasons, cause: cause), audit: try note(session),
            now: clock.now())
    }

    /// Which checks were made, and nothing personal.
    ///
    /// - Parameter refusals: why the document did not pass; nil if it has passed.
    private static func eventData(
        of found: DocumentVerification, _ admission: Admission, refusals: [String]? = nil, cause: String? = nil
    ) -> String {
        let json = JSONWriter.object { data in
            data.add("validationId", admission.validationId)
            data.add("clientId", admission.client.clientId)
            data.add("expected", admission.session?.expectation.rawValue ?? "")
            data.add("passiveAuthentication", found.passiveAuthentication.succeeded)
            data.add("chipAuthentication", found.chipAuthentication.rawValue)
            data.add("activeAuthentication", found.activeAuthentication.rawValue)
            if let refusals {
                data.add("refusals", array: { texts in for refusal in refusals { texts.add(refusal) } })
                data.add("closeReason", cause ?? "")
                if let reason = found.chipAuthenticationReason { data.add("chipAuthenticationReason", reason) }
            }
        }
        return json.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func end(_ session: IdentitySession, outcome: String) async throws {
        try await store.endIdentitySession(session, outcome: outcome, audit: try note(session), now: clock.now())
    }

    private func note(_ session: IdentitySession) throws -> AuditNote {
        try AuditNote.app("document", bankId: session.bankId, uniqueId: session.uniqueId, keyring: keyring)
    }

    /// Turns every error into a close reason of the document. That ends the session.
    private func serving<Result>(
        _ problem: String, _ work: () async throws -> Result
    ) async throws(CloseReason) -> Result {
        do {
            return try await Store.answering(within: databaseLimit) { try await work() }
        } catch let reason as CloseReason {
            throw reason
        } catch let refused as RefusedCaller {
            throw refused.reason as? CloseReason ?? .serverError
        } catch {
            logger.error("\(problem)", metadata: ["error": "\(error)"])
            throw .serverError
        }
    }
}

extension IdentityAssurance {
    fileprivate var level: AssuranceLevel {
        switch self {
        case .chip: .chip
        case .passive: .passive
        }
    }
}
