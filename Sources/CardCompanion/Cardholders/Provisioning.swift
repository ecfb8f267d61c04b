internal import CardCompanionAPI
package import CardCompanionStore
internal import Cryptography
internal import JOSE
package import KeyVault
package import SecureMemory
package import StrictJSON

/// A member of a provisioned cardholder that is refused, and why.
package struct ProvisioningError: Error, Equatable, Encodable, CustomStringConvertible {
    /// Nil if the whole text is wrong.
    package let member: String?
    /// Why, for the bank. It contains nothing of the value.
    package let reason: String

    init(_ member: String? = nil, _ reason: String) {
        self.member = member
        self.reason = reason
    }

    package var description: String { member.map { "\($0): \(reason)" } ?? reason }
}

/// Everything that is wrong with a cardholder as a bank has sent them.
package struct ProvisioningRefusal: Error, Equatable, CustomStringConvertible {
    /// Nil if the bank has not sent a valid one.
    package let uniqueId: Identifier?
    /// One per member.
    package let problems: [ProvisioningError]

    package var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// Reads cardholders as a bank provisions them: opens sealed values, applies the rules, and seals for the store.
package struct Provisioning: Sendable {
    /// The longest free field, in bytes of UTF-8.
    package static let freeFieldByteLimit = 1000

    private let bank: IssuerBank
    private let keyring: Keyring
    private let serverKeys: ServerKeys

    package init(bank: IssuerBank, keyring: Keyring, serverKeys: ServerKeys) {
        self.bank = bank
        self.keyring = keyring
        self.serverKeys = serverKeys
    }

    /// Reads one line of an import: the body of a provisioning request, plus `uniqueId`.
    ///
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func cardholder(line: consuming SecretBytes) async throws -> SealedCardholder {
        let body: JSONText
        do throws(JSONError) {
            body = try JSONText(line)
        } catch {
            throw ProvisioningRefusal(
                uniqueId: nil, problems: [ProvisioningError(nil, "must be one strict JSON object: \(error)")])
        }
        return try await read(body, uniqueId: body.string(MemberName.uniqueId))
    }

    /// Reads the body of a provisioning request.
    ///
    /// - Parameter uniqueId: the cardholder in the path of the request.
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func cardholder(_ body: borrowing JSONText, uniqueId: String) async throws -> SealedCardholder {
        if !body.isMissing(MemberName.uniqueId),
            body.string(MemberName.uniqueId).map({ Array($0.utf8) }) != Array(uniqueId.utf8)
        {
            throw ProvisioningRefusal(
                uniqueId: Identifier(uniqueId),
                problems: [ProvisioningError(MemberName.uniqueId, "must be the uniqueId of the path")])
        }
        return try await read(body, uniqueId: uniqueId)
    }

    /// Reads the body of a change (RFC 7396): status, channels, freeField, and authenticationFailures, which can be set
    /// to 0.
    ///
    /// - Throws: ``ProvisioningRefusal``.
    package func change(_ body: borrowing JSONText, uniqueId: Identifier) throws -> CardholderChange {
        var problems = Problems()
        var change = CardholderChange()
        for name in body.names where !Self.changeable.contains(name) {
            problems.add(ProvisioningError(name, "cannot be changed: send the whole cardholder with PUT"))
        }
        if body.kind(of: Self.status) != nil {
            change.status = try problems.take { try required(status(body), Self.status) }
        }
        if body.kind(of: Self.channels) != nil {
            change.channels = try problems.take { try required(channels(body), Self.channels) }
        }
        let place = CardholderPlace(bankId: bank.id, uniqueId: uniqueId).freeField
        if body.kind(of: MemberName.freeField) != nil {
            let text = try problems.take { SharedSecret(try freeField(body)) } ?? nil
            change.sealedFreeField = .init(try text.map { try keyring.seal($0.bytes, in: place) })
        }
        if body.kind(of: Self.failures) != nil {
            change.unlocks = body.smallInteger(Self.failures) == 0
            if !change.unlocks { problems.add(ProvisioningError(Self.failures, "can only be set to 0")) }
        }
        _ = try problems.refuse(or: uniqueId)
        return change
    }

    private static let status = "status"
    private static let channels = "channels"
    private static let failures = "authenticationFailures"
    private static let changeable: Set<String> = [status, channels, MemberName.freeField, failures]

    /// Collects everything that is wrong, so that a bank sees it at once.
    private struct Problems {
        private var found: [ProvisioningError] = []

        mutating func add(_ problem: ProvisioningError) { found.append(problem) }

        mutating func take<Value>(_ read: () throws -> Value) rethrows -> Value? {
            do {
                return try read()
            } catch let problem as ProvisioningError {
                add(problem)
                return nil
            }
        }

        /// The cardholder, if nothing is wrong.
        func refuse(or uniqueId: Identifier?) throws(ProvisioningRefusal) -> Identifier {
            guard let uniqueId, found.isEmpty else { throw ProvisioningRefusal(uniqueId: uniqueId, problems: found) }
            return uniqueId
        }
    }

    private func read(_ body: borrowing JSONText, uniqueId: String?) async throws -> SealedCardholder {
        var problems = Problems()
        let knownId = try problems.take { try Self.uniqueId(uniqueId) }
        let status = try problems.take { try self.status(body) } ?? nil
        let channels = try problems.take { try self.channels(body) } ?? nil
        let freeField = try problems.take { SharedSecret(try self.freeField(body)) } ?? nil
        var (code, pin): (SharedSecret?, SharedSecret?)
        do {
            code = SharedSecret(try await self.code(body, uniqueId: uniqueId ?? ""))
        } catch let problem as ProvisioningError {
            problems.add(problem)
        }
        do {
            pin = SharedSecret(try await self.pin(body, uniqueId: uniqueId ?? ""))
        } catch let problem as ProvisioningError {
            problems.add(problem)
        }
        let uniqueId = try problems.refuse(or: knownId)
        let place = CardholderPlace(bankId: bank.id, uniqueId: uniqueId)
        return SealedCardholder(
            uniqueId: uniqueId, status: status ?? .active, channels: channels ?? Channel.allCases,
            codeMAC: code.map { keyring.authenticationCode(for: $0.bytes, in: place.code) },
            sealedPIN: try pin.map { try keyring.seal($0.bytes, in: place.pin) },
            sealedFreeField: try freeField.map { try keyring.seal($0.bytes, in: place.freeField) },
            provisionMAC: keyring.authenticationCode(for: body.bytes, in: place.provision))
    }

    private static func uniqueId(_ text: String?) throws(ProvisioningError) -> Identifier {
        guard let identifier = text.flatMap({ Identifier($0) }) else {
            throw ProvisioningError(MemberName.uniqueId, "must be a string of \(Identifier.rule)")
        }
        guard !PrimaryAccountNumber.isContained(in: Array(identifier.text.utf8)) else {
            throw ProvisioningError(MemberName.uniqueId, "must not contain a card number")
        }
        return identifier
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(ProvisioningError) -> Value {
        guard let value else { throw ProvisioningError(name, "cannot be removed") }
        return value
    }

    private func status(_ body: borrowing JSONText) throws(ProvisioningError) -> CardholderStatus? {
        guard !body.isMissing(Self.status) else { return nil }
        guard let status = body.string(Self.status).flatMap(CardholderStatus.init(rawValue:)) else {
            let names = CardholderStatus.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProvisioningError(Self.status, "must be one of \(names)")
        }
        return status
    }

    private func channels(_ body: borrowing JSONText) throws(ProvisioningError) -> [Channel]? {
        guard !body.isMissing(Self.channels) else { return nil }
        let channels = body.strings(Self.channels)?.map(Channel.init(rawValue:))
        guard let channels, !channels.contains(nil), Set(channels).count == channels.count else {
            let names = Channel.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProvisioningError(Self.channels, "must be an array of \(names), each at most once")
        }
        return channels.compactMap(\.self)
    }

    private func code(_ body: borrowing JSONText, uniqueId: String) async throws -> SecretBytes? {
        let name = "authenticationCode"
        let binding = RequiredBinding(.authenticationCode, bankId: bank.id, uniqueId: uniqueId)
        guard let code = try await opened(name, binding, body) else { return nil }
        let form = CodeForm(bank)
        guard form.matches(code) else { throw ProvisioningError(name, "must have \(form.rule)") }
        guard !PrimaryAccountNumber.isContained(in: code) else {
            throw ProvisioningError(name, "must not contain a card number")
        }
        if code.withBytes({ $0.elementsEqual(uniqueId.utf8) }) {
            throw ProvisioningError(name, "must not be the uniqueId")
        }
        return code
    }

    private func pin(_ body: borrowing JSONText, uniqueId: String) async throws -> SecretBytes? {
        guard body.isMissing("pinBlock") else {
            throw ProvisioningError("pinBlock", "PIN blocks are not supported: send pin as a JWE")
        }
        let binding = RequiredBinding(.pin, bankId: bank.id, uniqueId: uniqueId)
        guard let pin = try await opened(MemberName.pin, binding, body) else { return nil }
        let form = PINForm(bank)
        guard form.matches(pin) else { throw ProvisioningError(MemberName.pin, "must have \(form.rule)") }
        return pin
    }

    private func freeField(_ body: borrowing JSONText) throws -> SecretBytes? {
        let name = MemberName.freeField
        guard !body.isMissing(name) else { return nil }
        guard let text = body.secret(of: name), text.count <= Self.freeFieldByteLimit else {
            throw ProvisioningError(name, "must be a string of at most \(Self.freeFieldByteLimit) bytes")
        }
        guard !PrimaryAccountNumber.isContained(in: text), !PrimaryAccountNumber.isContained(inProse: text) else {
            throw ProvisioningError(name, "must not contain a card number")
        }
        return text
    }

    /// The plaintext of a member that is a JWE to one of the server's keys, without the spaces that can pad it at the end.
    private func opened(
        _ name: String, _ binding: RequiredBinding, _ body: borrowing JSONText
    ) async throws -> SecretBytes? {
        guard !body.isMissing(name) else { return nil }
        guard let text = body.string(name) else { throw ProvisioningError(name, "must be a JWE") }
        do {
            let jwe = try JWE(compact: text)
            try binding.check(jwe, by: bank.sealedValues)
            return ChosenPIN.unpadded(try await serverKeys.open(jwe))
        } catch let error as BindingError {
            throw ProvisioningError(name, "\(error)")
        } catch let error as JOSEError {
            throw ProvisioningError(name, "\(error)")
        } catch let error as UnknownServerKey {
            throw ProvisioningError(name, "\(error)")
        }
    }
}
