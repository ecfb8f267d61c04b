internal import CardCompanionAPI
public import CardCompanionStore
internal import JOSE
public import KeyVault
public import SecureMemory
internal import StrictJSON

/// A member of a provisioned cardholder that cannot be taken, and why.
public struct ProvisioningError: Error, Equatable, CustomStringConvertible {
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
    /// - Throws: ``ProvisioningError``.
    public func cardholder(line: consuming SecretBytes) async throws -> SealedCardholder {
        let body: JSONText
        do throws(JSONError) {
            body = try JSONText(line)
        } catch {
            throw ProvisioningError(nil, "not one strict JSON object: \(error)")
        }
        return try await cardholder(body)
    }

    private func cardholder(_ body: borrowing JSONText) async throws -> SealedCardholder {
        guard let uniqueId = body.identifier(MemberName.uniqueId) else {
            throw ProvisioningError(
                MemberName.uniqueId, "not a string of 1 to \(Identifier.maximumLength) printable characters")
        }
        guard !PrimaryAccountNumber.isContained(in: Array(uniqueId.utf8)) else {
            throw ProvisioningError(MemberName.uniqueId, "holds a card number")
        }
        let place = CardholderPlace(bankId: bankId, uniqueId: uniqueId)
        return SealedCardholder(
            uniqueId: uniqueId, status: try status(body), channels: try channels(body),
            codeMAC: try await codeMAC(body, uniqueId: uniqueId, in: place.code),
            sealedPIN: try await sealedPIN(body, in: place.pin),
            sealedFreeField: try sealedFreeField(body, in: place.freeField))
    }

    private func status(_ body: borrowing JSONText) throws(ProvisioningError) -> CardholderStatus {
        guard !body.isMissing("status") else { return .active }
        guard let status = body.string("status").flatMap(CardholderStatus.init(rawValue:)) else {
            throw ProvisioningError("status", "not one of \(CardholderStatus.allCases.map(\.rawValue))")
        }
        return status
    }

    private func channels(_ body: borrowing JSONText) throws(ProvisioningError) -> [Channel] {
        guard !body.isMissing("channels") else { return Channel.allCases }
        let channels = body.strings("channels")?.map(Channel.init(rawValue:))
        guard let channels, !channels.contains(nil), Set(channels).count == channels.count else {
            throw ProvisioningError("channels", "not an array of different ones of \(Channel.allCases.map(\.rawValue))")
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
        guard !PrimaryAccountNumber.isContained(in: text) else { throw ProvisioningError(name, "holds a card number") }
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
