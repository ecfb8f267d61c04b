internal import CardCompanionAPI
internal import CardCompanionModel
internal import JOSE
internal import KeyVault
internal import SecureMemory
internal import StrictJSON

/// Reads the members of one provisioned cardholder, and collects everything that is wrong, so that a bank sees it at once.
///
/// A nil value is missing or wrong: ``finish()`` throws then.
struct ProvisionedMembers {
    static let status = "status"
    static let channels = "channels"
    static let definition = "definition"
    static let accessibility = "accessibility"
    static let code = "authenticationCode"
    static let pinVersion = "pinVersion"
    static let pinBlock = "pinBlock"
    static let failures = "authenticationFailures"
    static let operation = "op"

    static let changeable: Set<String> = [
        status, channels, definition, accessibility, code, MemberName.pin, pinBlock, pinVersion, MemberName.freeField,
        failures,
    ]
    static let ofLines = changeable.union([MemberName.uniqueId, operation])
    static let unremovable = [status, channels, definition, failures, pinVersion, pinBlock]

    static let badUniqueId = ProvisioningError(MemberName.uniqueId, "must be a string of \(Identifier.rule)")

    /// The longest free field, in bytes of UTF-8.
    static let freeFieldByteLimit = 1000
    /// The largest pinVersion: every JSON parser reads it exactly.
    static let pinVersionLimit: Int64 = 1 << 53 - 1

    private let bank: IssuerBank
    /// As it was sent.
    private let uniqueId: String
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let pinKeys: PINKeys
    private let acceptsCodes: Bool
    private var problems: [ProvisioningError] = []
    /// A card number must not be repeated in the answer.
    private var isCardNumber = false

    init(
        bank: IssuerBank, uniqueId: String, keyring: Keyring, serverKeys: ServerKeys, pinKeys: PINKeys,
        acceptsCodes: Bool
    ) {
        self.bank = bank
        self.uniqueId = uniqueId
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.pinKeys = pinKeys
        self.acceptsCodes = acceptsCodes
    }

    mutating func refuse(_ name: String, _ reason: String) {
        problems.append(ProvisioningError(name, reason))
    }

    /// The cardholder's name, if nothing is wrong.
    func finish() throws(ProvisioningRefusal) -> Identifier {
        let identifier = isCardNumber ? nil : Identifier(uniqueId)
        guard let identifier, problems.isEmpty else {
            throw ProvisioningRefusal(uniqueId: identifier, problems: problems)
        }
        return identifier
    }

    /// Checks the name of a cardholder who may be new.
    mutating func requireUniqueId() {
        guard Identifier(uniqueId) != nil else { return problems.append(Self.badUniqueId) }
        if bank.settings.checksUniqueIds, PrimaryAccountNumber.isContained(in: Array(uniqueId.utf8)) {
            isCardNumber = true
            refuse(MemberName.uniqueId, "must not contain a card number")
        }
    }

    mutating func status(_ body: borrowing JSONText) -> CardholderStatus? {
        guard !body.isMissing(Self.status) else { return nil }
        guard let status = body.string(Self.status).flatMap(CardholderStatus.init(rawValue:)) else {
            let names = CardholderStatus.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(Self.status, "must be one of \(names)")
            return nil
        }
        return status
    }

    mutating func channels(_ body: borrowing JSONText) -> [Channel]? {
        guard !body.isMissing(Self.channels) else { return nil }
        let channels = body.strings(Self.channels)?.map(Channel.init(rawValue:))
        guard let channels, !channels.contains(nil), Set(channels).count == channels.count else {
            let names = Channel.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(Self.channels, "must be an array of \(names), each at most once")
            return nil
        }
        return channels.compactMap(\.self)
    }

    mutating func definition(_ body: borrowing JSONText) -> Bool? {
        guard !body.isMissing(Self.definition) else { return nil }
        guard let definition = body.bool(Self.definition) else {
            refuse(Self.definition, "must be true or false")
            return nil
        }
        return definition
    }

    mutating func accessibility(_ body: borrowing JSONText) -> Accessibility? {
        guard let kind = body.kind(of: Self.accessibility), kind != .null else { return nil }
        guard let form = body.string(Self.accessibility).flatMap(Accessibility.init(rawValue:)) else {
            let names = Accessibility.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(Self.accessibility, "must be one of \(names), or null")
            return nil
        }
        return form
    }

    /// Whether wrong codes and unconfirmed fetches are forgotten.
    mutating func unlocks(_ body: borrowing JSONText) -> Bool {
        guard body.kind(of: Self.failures) != nil, body.kind(of: Self.failures) != .null else { return false }
        guard body.kind(of: Self.failures) == .number, body.smallInteger(Self.failures) == 0 else {
            refuse(Self.failures, "can only be set to 0")
            return false
        }
        return true
    }

    mutating func codeMACs(_ body: borrowing JSONText) async throws -> [[UInt8]]? {
        let binding = RequiredBinding(.authenticationCode, bankId: bank.id, uniqueId: uniqueId)
        guard let jwe = sealed(Self.code, binding, body) else { return nil }
        guard acceptsCodes else {
            refuse(Self.code, "cannot be set by one operator: with dual control, the bank's back-end sends codes")
            return nil
        }
        guard let code = SharedSecret(try await opened(Self.code, jwe)) else { return nil }
        let form = CodeForm(bank.settings)
        guard form.matches(code.bytes) else {
            refuse(Self.code, "must have \(form.rule)")
            return nil
        }
        guard !PrimaryAccountNumber.isContained(in: code.bytes) else {
            refuse(Self.code, "must not contain a card number")
            return nil
        }
        guard !code.bytes.withBytes({ $0.elementsEqual(uniqueId.utf8) }) else {
            refuse(Self.code, "must not be the uniqueId")
            return nil
        }
        return try place.map { try keyring.authenticationCodes(for: code.bytes, in: $0.code) }
    }

    /// The PIN as it was sent, and sealed for the store. If its key has been retired, only the store can tell whether the
    /// cardholder got this PIN before.
    mutating func pin(_ body: borrowing JSONText) async throws -> CardholderChange.PIN? {
        let version = pinVersion(body)
        let name = pinMember(body)
        let binding = RequiredBinding(
            name == Self.pinBlock ? .pinBlock : .pin, bankId: bank.id, uniqueId: uniqueId)
        guard let jwe = sealed(name, binding, body), let text = body.string(name) else { return nil }
        let digest = SpentDigest.pin(text)
        guard try await serverKeys.knows(jwe, isFromBank: true) else {
            return .init(digest: digest, sealed: nil, version: version)
        }
        guard let opened = SharedSecret(try await opened(name, jwe)),
            let pin = name == Self.pinBlock ? try await pin(inBlock: opened) : opened
        else { return nil }
        let form = PINForm(bank.settings)
        guard form.matches(pin.bytes) else {
            refuse(name, "must have \(form.rule)")
            return nil
        }
        return try place.map {
            .init(digest: digest, sealed: try keyring.seal(pin.bytes, in: $0.pin), version: version)
        }
    }

    private mutating func pinMember(_ body: borrowing JSONText) -> String {
        guard let kind = body.kind(of: Self.pinBlock), kind != .null else { return MemberName.pin }
        guard !bank.settings.pinBlocks.isEmpty else {
            refuse(Self.pinBlock, "the bank may send no PIN blocks: send pin as a JWE")
            return MemberName.pin
        }
        guard body.isMissing(MemberName.pin) else {
            refuse(Self.pinBlock, "must not come with pin")
            return MemberName.pin
        }
        return Self.pinBlock
    }

    /// The PIN in a PIN block. The block's PAN is forgotten afterwards.
    private mutating func pin(inBlock plaintext: SharedSecret) async throws -> SharedSecret? {
        do {
            let block = try SentPINBlock(plaintext.bytes, allowed: bank.settings.pinBlocks)
            guard let key = try await pinKeys.key(block.keyLabel) else {
                let label = ClientText.quoted(block.keyLabel.text)
                throw PINBlockProblem("the bank has no active key \(label) for PIN blocks")
            }
            return SharedSecret(try block.pin(with: key))
        } catch let problem as PINBlockProblem {
            refuse(Self.pinBlock, "\(problem)")
            return nil
        }
    }

    private mutating func pinVersion(_ body: borrowing JSONText) -> Int64? {
        guard !body.isMissing(Self.pinVersion) else { return nil }
        if body.isMissing(MemberName.pin), body.isMissing(Self.pinBlock) {
            refuse(Self.pinVersion, "must come with pin or pinBlock")
        }
        let number = body.kind(of: Self.pinVersion) == .number ? body.text(of: Self.pinVersion) : nil
        guard let number, number.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let version = Int64(number),
            version <= Self.pinVersionLimit
        else {
            refuse(Self.pinVersion, "must be an integer from 0 to \(Self.pinVersionLimit)")
            return nil
        }
        return version
    }

    mutating func freeField(_ body: borrowing JSONText) throws -> CardholderChange.FreeField? {
        let name = MemberName.freeField
        guard !body.isMissing(name) else { return nil }
        guard let text = SharedSecret(body.secret(of: name)), text.bytes.count <= Self.freeFieldByteLimit else {
            refuse(name, "must be a string of at most \(Self.freeFieldByteLimit) bytes")
            return nil
        }
        guard !PrimaryAccountNumber.isContained(in: text.bytes) else {
            refuse(name, "must not contain a card number")
            return nil
        }
        return try place.map {
            .init(
                sealed: try keyring.seal(text.bytes, in: $0.freeField),
                macs: try keyring.authenticationCodes(for: text.bytes, in: $0.freeFieldMAC))
        }
    }

    /// Nil if the cardholder has no valid name. Then nothing is stored.
    private var place: CardholderPlace? {
        Identifier(uniqueId).map { CardholderPlace(bankId: bank.id, uniqueId: $0) }
    }

    /// A member that is a JWE for this cardholder.
    ///
    /// Only null removes it: an empty text is more likely a fault of the sender.
    private mutating func sealed(_ name: String, _ binding: RequiredBinding, _ body: borrowing JSONText) -> JWE? {
        guard let kind = body.kind(of: name), kind != .null else { return nil }
        do {
            guard let text = body.string(name) else { throw ProvisioningError(name, "must be a JWE") }
            let jwe = try JWE(compact: text)
            try binding.check(jwe, by: bank.settings.sealedValues)
            return jwe
        } catch let problem as ProvisioningError {
            problems.append(problem)
        } catch {
            refuse(name, "\(error)")
        }
        return nil
    }

    /// The plaintext of a JWE to one of the server's keys, without the spaces that can pad it at the end.
    private mutating func opened(_ name: String, _ jwe: JWE) async throws -> SecretBytes? {
        do {
            return ChosenPIN.unpadded(try await serverKeys.open(jwe, isFromBank: true))
        } catch let error as JOSEError {
            refuse(name, "\(error)")
        } catch let error as UnknownServerKey {
            refuse(name, "\(error)")
        }
        return nil
    }
}
