import Administration
import CardCompanion
import CardCompanionAPI
import CardCompanionHTTP
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import EMRTDSimulation
import SecureMemory
import StrictJSON

/// The back-end of the sandbox's bank, in small: it signs what its app needs, and changes its cardholders.
struct SandboxBank: Sendable {
    let installation: Installation
    private let checks: IdentityChecks
    private let phone: SandboxPhone
    private let terminal: SandboxTerminal
    private let state: SandboxState
    private let description: SharedSecret
    private let hexKey: SharedSecret
    private let hmacKey: HMACKeyImport
    private let signingKey: RSAPrivateKey
    private let signingCertificate: [UInt8]

    private static let fileByteLimit = 65_536
    /// How long ago the bank can sign, at most.
    private static let ageLimitSeconds = 86_400

    init(
        _ sandbox: Sandbox, _ installation: Installation, _ checks: IdentityChecks, _ phone: SandboxPhone
    ) throws {
        func file(_ name: String) throws -> SecretBytes {
            try InputFile.readSecret("\(sandbox.directory)/\(name)", byteLimit: Self.fileByteLimit)
        }
        self.installation = installation
        self.checks = checks
        self.phone = phone
        terminal = try SandboxTerminal(of: sandbox)
        state = try SandboxState(directory: sandbox.directory)
        description = SharedSecret(try file(Sandbox.pageFile))
        hexKey = SharedSecret(try file(Sandbox.hmacKeyFile))
        hmacKey = try HMACKeyImport(hex: hexKey.bytes)
        signingKey = try RSAPrivateKey(pem: try file(Sandbox.signingKeyFile))
        signingCertificate = try file(Sandbox.signingCertificateFile).withBytes { Array($0) }
    }

    func bank() -> SecretBytes { description.bytes.copy() }

    func answer(_ operation: SandboxOperation, _ body: borrowing JSONText) async throws -> SecretBytes {
        switch operation {
        case .transaction: return try transaction(body)
        case .hashMac: return try hashMac(body)
        case .token: return try token(body)
        case .explain: return explain(body)
        case .identityCheck: return Self.answer(try await check(of: cardholder(body)))
        case .identityRequirement: return try await identityRequirement(body)
        case .document: return try await document(body)
        case .definedPIN: return try await definedPIN(of: cardholder(body))
        case .terminal: return try enter(body)
        case .lock: return try await lock(of: cardholder(body))
        case .unlock:
            var change = CardholderChange()
            change.unlocks = true
            return try await write(change, to: cardholder(body), by: "sandbox unlock")
        case .accessibility:
            var change = CardholderChange()
            change.accessibility = .init(try accessibility(body))
            return try await write(change, to: cardholder(body), by: "sandbox accessibility")
        }
    }

    private func record(of cardholder: Identifier) async throws -> CardholderRecord {
        guard
            let record = try await installation.store.cardholder(bankId: Sandbox.bankId, uniqueId: cardholder)
        else { throw SandboxRefusal("the bank has no cardholder \(cardholder)") }
        return record
    }

    /// What has become of the PIN that the cardholder has defined last. If there is none, the answer is empty.
    private func definedPIN(of cardholder: Identifier) async throws -> SecretBytes {
        let definedPIN = try await record(of: cardholder).definedPIN
        return JSONWriter.object { json in
            guard let definedPIN else { return }
            json.add("state", definedPIN.stage.rawValue)
            if let reason = definedPIN.reason { json.add("reason", reason) }
        }
    }

    /// Somebody enters a PIN at the terminal.
    private func enter(_ body: borrowing JSONText) throws -> SecretBytes {
        let uniqueId = try cardholder(body).text
        guard let pin = SharedSecret(body.secret(of: "pin")) else { throw SandboxRefusal("pin must be a string") }
        return try terminal.answer(to: pin.bytes, of: uniqueId)
    }

    private func lock(of cardholder: Identifier) async throws -> SecretBytes {
        let record = try await record(of: cardholder)
        let locks = record.locks(by: try await installation.bank(Sandbox.bankId).settings)
        return JSONWriter.object { $0.add("isLocked", !locks.isEmpty) }
    }

    /// Lets the cardholder show their document.
    ///
    /// - Returns: the validationId.
    private func check(of cardholder: Identifier) async throws -> String {
        let uniqueId = cardholder.text
        let holder = SandboxState.holder(uniqueId)
        let request = JSONWriter.object { json in
            json.add("clientId", SandboxState.clientId)
            json.add(
                "document",
                object: { document in
                    document.add("issuingState", "UTO")
                    document.add("documentNumber", holder.documentNumber)
                })
        }
        let requested = try checks.read(JSONText(request))
        guard
            let made = try await checks.make(
                requested, bankId: Sandbox.bankId, uniqueId: uniqueId, by: "sandbox")
        else { throw SandboxRefusal("the bank has no cardholder \(uniqueId)") }
        return made.validationId
    }

    private static func answer(_ validationId: String) -> SecretBytes {
        JSONWriter.object { json in
            json.add("clientId", SandboxState.clientId)
            json.add("validationId", validationId)
        }
    }

    /// The cardholder holds a document to the phone.
    private func document(_ body: borrowing JSONText) async throws -> SecretBytes {
        let cardholder = try cardholder(body)
        guard let chip = body.text(of: "chip").flatMap(SandboxChip.init(rawValue:)) else {
            let chips = SandboxChip.allCases.map(\.rawValue).joined(separator: ", ")
            throw SandboxRefusal("chip must be one of \(chips)")
        }
        let document = try chip.document(of: cardholder.text, state.issuer)
        let reading = try await phone.read(
            document, clientId: SandboxState.clientId, validationId: check(of: cardholder))
        return SecretBytes(copying: Array(try Terminal.encode(reading).utf8))
    }

    /// Whether the bank wants to see a document before it gives or takes a PIN. Without `isRequired` nothing changes.
    private func identityRequirement(_ body: borrowing JSONText) async throws -> SecretBytes {
        guard body.kind(of: "isRequired") != nil else {
            let bank = try await installation.bank(Sandbox.bankId)
            return JSONWriter.object { $0.add("isRequired", bank.settings.identityCheck != .none) }
        }
        guard let isRequired = body.bool("isRequired") else {
            throw SandboxRefusal("isRequired must be true or false")
        }
        let isWritten = try await AdminAction(command: "sandbox identity requirement", bankId: Sandbox.bankId)
            .recorded(in: installation.logger) {
                try await Sandbox.changeBank(in: installation) { $0.identityCheck = isRequired ? .both : .none }
            }
        guard isWritten else { throw SandboxRefusal("another command has changed the bank: try again") }
        return JSONWriter.object { $0.add("isRequired", isRequired) }
    }

    /// - Returns: nil if the mark is removed.
    private func accessibility(_ body: borrowing JSONText) throws -> Accessibility? {
        if body.kind(of: "accessibility") == .null { return nil }
        guard let form = body.text(of: "accessibility").flatMap(Accessibility.init(rawValue:)) else {
            throw SandboxRefusal("accessibility must be calm, text or null")
        }
        return form
    }

    /// The names of a proof to come. A real back-end remembers them; this one gets them back with the digest.
    private func transaction(_ body: borrowing JSONText) throws -> SecretBytes {
        let timestamp = try timestamp(body)
        return JSONWriter.object { json in
            json.add(MemberName.timestamp, timestamp)
            json.add("idTransaction", Self.newTransactionId())
        }
    }

    private static func newTransactionId() -> String { Hex.encode(SecureRandom.bytes(count: 16)) }

    /// Without a binding it is the same for one second, and the server takes it once (205, for a definition 141).
    private func hashMac(_ body: borrowing JSONText) throws -> SecretBytes {
        let uniqueId = try cardholder(body).text
        let timestamp = try timestamp(body)
        let binding = body.text(of: "binding").map { ".\($0)." } ?? ""
        let hashMac = hmacKey.authenticationCode(for: Sandbox.bankId.text + uniqueId + timestamp + binding)
        return JSONWriter.object { json in
            json.add(MemberName.bankId, Sandbox.bankId.text)
            json.add(MemberName.uniqueId, uniqueId)
            json.add(MemberName.timestamp, timestamp)
            json.add(MemberName.hashMac, Hex.encode(hashMac))
        }
    }

    private func token(_ body: borrowing JSONText) throws -> SecretBytes {
        let uniqueId = try cardholder(body).text
        let timestamp = try timestamp(body)
        guard let type = body.text(of: "type").flatMap(TokenType.init(text:)) else {
            throw SandboxRefusal("type must be 00 (delivery), 01 (reminder) or 02 (definition)")
        }
        let code = SharedSecret(body.secret(of: "code"))
        let token = JSONWriter.object { json in
            json.add(MemberName.idBEL, Sandbox.bankId.text)
            json.add(MemberName.idPorteur, uniqueId)
            json.add(MemberName.idFournisseur, "sandbox-page")
            json.add(MemberName.idTransaction, body.text(of: "idTransaction") ?? Self.newTransactionId())
            json.add(MemberName.tokenTimestamp, timestamp)
            json.add(MemberName.tokenType, type.text)
            if let binding = body.text(of: "binding") { json.add(MemberName.binding, binding) }
            if let code { json.add(MemberName.authenticationCode, utf8: code.bytes) }
        }
        let signature = try signingKey.signPKCS1SHA256(token)
        return JSONWriter.object { json in
            json.add(MemberName.token, utf8: token)
            json.add(MemberName.signature, Base64.encode(signature))
        }
    }

    /// The checks of an HMAC or a token. Other requests authenticate nobody, or with a key that only the app has.
    private func explain(_ body: borrowing JSONText) -> SecretBytes {
        let findings: [Explanation.Finding]
        switch body.object("request") {
        case .some(let request): findings = explanation(of: request)
        case nil: findings = []
        }
        return JSONWriter.object { json in
            json.add(
                "findings",
                array: { array in
                    for finding in findings {
                        array.add { json in
                            json.add("verdict", finding.verdict.rawValue)
                            json.add("subject", finding.subject)
                            json.add("text", finding.text)
                        }
                    }
                })
        }
    }

    private func explanation(of request: borrowing JSONText) -> [Explanation.Finding] {
        let now = installation.clock.now().seconds
        let tolerance = BankSettings.usualTimestampToleranceSeconds
        if let token = request.secret(of: MemberName.token) {
            return Explanation.token(
                token, signature: request.text(of: MemberName.signature), certificate: signingCertificate, now: now,
                binding: Explanation.binding(of: request), toleranceSeconds: tolerance
            ).findings
        }
        guard let hashMac = request.text(of: MemberName.hashMac) else { return [] }
        let (bankId, uniqueId) = (request.text(of: MemberName.bankId), request.text(of: MemberName.uniqueId))
        let timestamp = request.text(of: MemberName.timestamp)
        func explained(_ binding: String?) -> Explanation {
            let sent = Explanation.HMACRequest(
                bankId: bankId ?? "", uniqueId: uniqueId ?? "", timestamp: timestamp ?? "", binding: binding,
                hashMac: hashMac)
            return .hmac(sent, hexKey: hexKey, now: now, toleranceSeconds: tolerance)
        }
        let unbound = explained(nil)
        return (unbound.isGood ? unbound : explained(Explanation.binding(of: request))).findings
    }

    private func write(
        _ change: CardholderChange, to uniqueId: Identifier, by command: String
    ) async throws -> SecretBytes {
        let action = AdminAction(command: command, bankId: Sandbox.bankId, cardholder: uniqueId)
        let outcome = try await action.recorded(in: installation.logger) {
            try await installation.store.writeCardholder(
                bankId: Sandbox.bankId, settings: try await installation.bank(Sandbox.bankId).settings,
                uniqueId: uniqueId, change, if: .none,
                audit: AuditNote(subject: nil, actor: "sandbox", detail: command), now: installation.clock.now())
        }
        guard case .done = outcome else { throw SandboxRefusal("the bank has no cardholder \(uniqueId)") }
        return JSONWriter.object { _ in }
    }

    private func cardholder(_ body: borrowing JSONText) throws -> Identifier {
        guard let name = body.text(of: MemberName.uniqueId), Sandbox.cardholders.contains(name),
            let uniqueId = Identifier(name)
        else {
            throw SandboxRefusal("uniqueId must be one of \(Sandbox.cardholders.joined(separator: ", "))")
        }
        return uniqueId
    }

    /// The time of the bank's signature: now, or before.
    private func timestamp(_ body: borrowing JSONText) throws -> String {
        if let begun = body.text(of: MemberName.timestamp) {
            guard begun.utf8.count == 10, let seconds = Int64(begun), seconds > 0 else {
                throw SandboxRefusal("timestamp must be one that /sandbox/bank/transaction has given")
            }
            return begun
        }
        let age = body.kind(of: "ageSeconds") == nil ? 0 : body.text(of: "ageSeconds").flatMap { Int64($0) }
        guard let age, 0...Int64(Self.ageLimitSeconds) ~= age else {
            throw SandboxRefusal("ageSeconds must be a number from 0 to \(Self.ageLimitSeconds)")
        }
        return "\(installation.clock.now().seconds - age)"
    }
}
