internal import CardCompanionAPI
public import CardCompanionStore
internal import Cryptography
internal import JOSE
public import KeyVault
public import SecureMemory
public import StrictJSON

/// A member of a provisioned cardholder that cannot be taken, and why.
public struct ProvisioningError: Error, Equatable, Encodable, CustomStringConvertible {
    /// The member's name; nil where the text as a whole is wrong.
    public let member: String?
    /// Why, for the bank's people. It holds nothing of the value.
    public let reason: String

    init(_ member: String? = nil, _ reason: String) {
        self.member = member
        self.reason = reason
    }

    /// For the bank's people.
    public var description: String { member.map { "\($0): \(reason)" } ?? reason }
}

/// Everything that is wrong with a cardholder as a bank has sent them.
public struct ProvisioningRefusal: Error, Equatable, CustomStringConvertible {
    /// The cardholder, where what was sent tells who it is.
    public let uniqueId: String?
    /// One for each member.
    public let problems: [ProvisioningError]

    /// For the bank's people.
    public var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// Reads cardholders as a bank provisions them, opens what is sealed, applies the rules, and seals for the store.
public struct Provisioning: Sendable {
    /// The longest free field, in bytes of UTF-8.
    public static let freeFieldByteLimit = 1000

    private let bankId: String
    private let settings: BankSettings
    private let keyring: Keyring
    private let serverKeys: ServerKeys

    /// The rules of a bank.
    public init(bank: BankRecord, keyring: Keyring, serverKeys: ServerKeys) {
        bankId = bank.id
        settings = bank.settings
        self.keyring = keyring
        self.serverKeys = serverKeys
    }

    /// Reads one line of an import: the body of a provisioning request, plus `uniqueId`.
    ///
    /// - Throws: ``ProvisioningRefusal``.
    public func cardholder(line: consuming SecretBytes) async throws -> SealedCardholder {
        let body: JSONText
        do throws(JSONError) {
            body = try JSONText(line)
        } catch {
            throw ProvisioningRefusal(
                uniqueId: nil, problems: [ProvisioningError(nil, "not one strict JSON object: \(error)")])
        }
        return try await read(body, uniqueId: body.string(MemberName.uniqueId))
    }

    /// Reads the body of a provisioning request.
    ///
    /// - Parameter uniqueId: the cardholder's name in the request's path.
    /// - Throws: ``ProvisioningRefusal``.
    public func cardholder(_ body: borrowing JSONText, uniqueId: String) async throws -> SealedCardholder {
        if !body.isMissing(MemberName.uniqueId),
            body.string(MemberName.uniqueId).map(ExactText.init) != ExactText(uniqueId)
        {
            throw ProvisioningRefusal(
                uniqueId: uniqueId, problems: [ProvisioningError(MemberName.uniqueId, "is not the one of the path")])
        }
        return try await read(body, uniqueId: uniqueId)
    }

    /// Reads the body of a change (RFC 7396): status, channels, freeField, and authenticationFailures, which may be 0.
    ///
    /// - Throws: ``ProvisioningRefusal``.
    public func patch(_ body: borrowing JSONText, uniqueId: String) throws -> CardholderPatch {
        var problems = Problems()
        var patch = CardholderPatch()
        for name in body.names where !Self.changeable.contains(name) {
            problems.add(ProvisioningError(name, "cannot be changed: PUT the whole cardholder"))
        }
        if body.kind(of: Self.status) != nil {
            patch.status = try problems.take { try required(status(body), Self.status) }
        }
        if body.kind(of: Self.channels) != nil {
            patch.channels = try problems.take { try required(channels(body), Self.channels) }
        }
        let place = CardholderPlace(bankId: bankId, uniqueId: uniqueId).freeField
        if body.kind(of: MemberName.freeField) != nil {
            patch.freeField = try problems.take {
                CardholderPatch.FreeField(sealed: try sealedFreeField(body, in: place))
            }
        }
        if body.kind(of: Self.failures) != nil {
            patch.unlocks = body.smallInteger(Self.failures) == 0
            if !patch.unlocks { problems.add(ProvisioningError(Self.failures, "can only be set to 0")) }
        }
        try problems.refuse(uniqueId)
        return patch
    }

    private static let status = "status"
    private static let channels = "channels"
    private static let failures = "authenticationFailures"
    private static let changeable: Set<String> = [status, channels, MemberName.freeField, failures]

    /// Gathers what is wrong, so that a bank learns of all of it at once.
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

        func refuse(_ uniqueId: String?) throws(ProvisioningRefusal) {
            guard found.isEmpty else { throw ProvisioningRefusal(uniqueId: uniqueId, problems: found) }
        }
    }

    private func read(_ body: borrowing JSONText, uniqueId: String?) async throws -> SealedCardholder {
        var problems = Problems()
        let knownId = try problems.take { try Self.uniqueId(uniqueId) }
        let uniqueId = knownId ?? ""
        let place = CardholderPlace(bankId: bankId, uniqueId: uniqueId)
        let status = try problems.take { try self.status(body) } ?? nil
        let channels = try problems.take { try self.channels(body) } ?? nil
        let sealedFreeField = try problems.take { try self.sealedFreeField(body, in: place.freeField) } ?? nil
        var (codeMAC, sealedPIN): ([UInt8]?, [UInt8]?)
        do {
            codeMAC = try await self.codeMAC(body, uniqueId: uniqueId, in: place.code)
        } catch let problem as ProvisioningError {
            problems.add(problem)
        }
        do {
            sealedPIN = try await self.sealedPIN(body, in: place.pin)
        } catch let problem as ProvisioningError {
            problems.add(problem)
        }
        try problems.refuse(knownId)
        return SealedCardholder(
            uniqueId: uniqueId, status: status ?? .active, channels: channels ?? Channel.allCases, codeMAC: codeMAC,
            sealedPIN: sealedPIN, sealedFreeField: sealedFreeField,
            provisionMAC: keyring.authenticationCode(for: body.bytes, in: place.provision))
    }

    private static func uniqueId(_ text: String?) throws(ProvisioningError) -> String {
        guard let text, Identifier.isValid(text) else {
            throw ProvisioningError(
                MemberName.uniqueId, "not a string of 1 to \(Identifier.maximumLength) printable characters")
        }
        guard !PrimaryAccountNumber.isContained(in: Array(text.utf8)) else {
            throw ProvisioningError(MemberName.uniqueId, "holds a card number")
        }
        return text
    }

    private func required<Value>(_ value: Value?, _ name: String) throws(ProvisioningError) -> Value {
        guard let value else { throw ProvisioningError(name, "cannot be removed") }
        return value
    }

    private func status(_ body: borrowing JSONText) throws(ProvisioningError) -> CardholderStatus? {
        guard !body.isMissing(Self.status) else { return nil }
        guard let status = body.string(Self.status).flatMap(CardholderStatus.init(rawValue:)) else {
            throw ProvisioningError(Self.status, "not one of \(CardholderStatus.allCases.map(\.rawValue))")
        }
        return status
    }

    private func channels(_ body: borrowing JSONText) throws(ProvisioningError) -> [Channel]? {
        guard !body.isMissing(Self.channels) else { return nil }
        let channels = body.strings(Self.channels)?.map(Channel.init(rawValue:))
        guard let channels, !channels.contains(nil), Set(channels).count == channels.count else {
            throw ProvisioningError(
                Self.channels, "not an array of different ones of \(Channel.allCases.map(\.rawValue))")
        }
        return channels.compactMap(\.self)
    }

    private func codeMAC(
        _ body: borrowing JSONText, uniqueId: String, in place: SealedPlace
    ) async throws -> [UInt8]? {
        let name = "authenticationCode"
        guard let code = try await opened(name, body) else { return nil }
        guard CodeForm(settings).matches(code) else {
            let lengths = "\(settings.codeMinimumLength) to \(settings.codeMaximumLength)"
            throw ProvisioningError(name, "not \(lengths) characters of the bank's \(settings.codeAlphabet.rawValue)")
        }
        guard !PrimaryAccountNumber.isContained(in: code) else { throw ProvisioningError(name, "holds a card number") }
        guard !code.withBytes({ $0.elementsEqual(uniqueId.utf8) }) else {
            throw ProvisioningError(name, "is the uniqueId")
        }
        return keyring.authenticationCode(for: code, in: place)
    }

    private func sealedPIN(_ body: borrowing JSONText, in place: SealedPlace) async throws -> [UInt8]? {
        guard body.isMissing("pinBlock") else {
            throw ProvisioningError("pinBlock", "PIN blocks are not supported: send pin as a JWE")
        }
        guard let pin = try await opened(MemberName.pin, body) else { return nil }
        let lengths = settings.pinMinimumLength...settings.pinMaximumLength
        guard lengths ~= pin.count, pin.withBytes({ $0.allSatisfy { 0x30...0x39 ~= $0 } }) else {
            throw ProvisioningError(
                MemberName.pin, "not \(lengths.lowerBound) to \(lengths.upperBound) digits, as the bank's PINs are")
        }
        return try keyring.seal(pin, in: place)
    }

    private func sealedFreeField(_ body: borrowing JSONText, in place: SealedPlace) throws -> [UInt8]? {
        let name = MemberName.freeField
        guard !body.isMissing(name) else { return nil }
        guard let text = body.secret(of: name), text.count <= Self.freeFieldByteLimit else {
            throw ProvisioningError(name, "not a string of at most \(Self.freeFieldByteLimit) bytes")
        }
        guard !PrimaryAccountNumber.isContained(in: text), !PrimaryAccountNumber.isContained(inProse: text) else {
            throw ProvisioningError(name, "holds a card number")
        }
        return try keyring.seal(text, in: place)
    }

    /// What a member holds that is a JWE to one of the server's keys, less the spaces that may pad it at its end.
    private func opened(_ name: String, _ body: borrowing JSONText) async throws -> SecretBytes? {
        guard !body.isMissing(name) else { return nil }
        guard let text = body.string(name) else { throw ProvisioningError(name, "not a JWE") }
        do {
            return ChosenPIN.unpadded(try await serverKeys.open(try JWE(compact: text)))
        } catch let error as JOSEError {
            throw ProvisioningError(name, "\(error)")
        } catch let error as UnknownServerKey {
            throw ProvisioningError(name, "\(error)")
        }
    }
}
