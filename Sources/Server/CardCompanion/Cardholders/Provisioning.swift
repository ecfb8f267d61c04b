internal import CardCompanionAPI
package import CardCompanionModel
internal import Cryptography
internal import JOSE
package import KeyVault
internal import SecureMemory
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

/// A cardholder as a bank provisions them, checked, and sealed for the store.
package struct ProvisionedCardholder: Sendable {
    package let uniqueId: Identifier
    package let change: CardholderChange
    /// Members that were ignored.
    package let unknownMembers: [String]
}

/// Reads cardholders as a bank provisions them: opens sealed values, applies the rules, and seals for the store.
package struct Provisioning: Sendable {
    /// What a line of an import asks for: the member `op`.
    private enum Operation: String, CaseIterable {
        case put, patch, delete
    }

    private let bank: IssuerBank
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let countedObjects: CountedObjects
    private let acceptsCodes: Bool
    private let pinKeys: PINKeys

    /// - Parameters:
    ///   - countedObjects: finds the bank's keys for PIN blocks.
    ///   - acceptsCodes: whether authentication codes can be set.
    package init(
        bank: IssuerBank, keyring: Keyring, serverKeys: ServerKeys, countedObjects: CountedObjects,
        acceptsCodes: Bool = true
    ) {
        self.bank = bank
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.countedObjects = countedObjects
        self.acceptsCodes = acceptsCodes
        pinKeys = PINKeys(of: bank.id, countedObjects: countedObjects, keyring: keyring)
    }

    /// A copy that reads the bank's keys for PIN blocks again.
    func renewed() -> Provisioning {
        Provisioning(
            bank: bank, keyring: keyring, serverKeys: serverKeys, countedObjects: countedObjects,
            acceptsCodes: acceptsCodes)
    }

    /// Reads the body of a PUT: a whole cardholder.
    ///
    /// - Parameter uniqueId: the cardholder in the path of the request.
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func cardholder(_ body: borrowing JSONText, uniqueId: String) async throws -> ProvisionedCardholder {
        if !body.isMissing(MemberName.uniqueId),
            body.string(MemberName.uniqueId).map({ Array($0.utf8) }) != Array(uniqueId.utf8)
        {
            throw ProvisioningRefusal(
                uniqueId: Identifier(uniqueId),
                problems: [ProvisioningError(MemberName.uniqueId, "must be the uniqueId of the path")])
        }
        // Probably a line of an import, which can mean something else.
        if body.kind(of: ProvisionedMembers.operation) != nil {
            throw ProvisioningRefusal(
                uniqueId: Identifier(uniqueId),
                problems: [ProvisioningError(ProvisionedMembers.operation, "is for imports: use PATCH or DELETE")])
        }
        return try await whole(body, uniqueId: uniqueId)
    }

    /// Reads the body of a PATCH (RFC 7396): the parts of a cardholder that change.
    ///
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    package func change(_ body: borrowing JSONText, uniqueId: Identifier) async throws -> CardholderChange {
        try await parts(body, uniqueId: uniqueId, known: ProvisionedMembers.changeable)
    }

    /// Reads one line of an import: the body of a PUT or PATCH, plus `uniqueId` and `op`.
    ///
    /// - Throws: ``ProvisioningRefusal``, `StoreError`.
    func line(_ text: consuming SecretBytes, number: Int) async throws -> ImportLine {
        let body: JSONText
        do throws(JSONError) {
            body = try JSONText(text)
        } catch {
            throw ProvisioningRefusal(
                uniqueId: nil, problems: [ProvisioningError(nil, "must be one strict JSON object: \(error)")])
        }
        let sent = body.string(MemberName.uniqueId)
        switch try operation(body, uniqueId: sent) {
        case .put:
            let cardholder = try await whole(body, uniqueId: sent)
            return ImportLine(
                line: number, uniqueId: cardholder.uniqueId, change: cardholder.change,
                subject: try subject(cardholder.uniqueId), unknownMembers: cardholder.unknownMembers)
        case .patch:
            let uniqueId = try identifier(sent)
            let change = try await parts(body, uniqueId: uniqueId, known: ProvisionedMembers.ofLines)
            return ImportLine(
                line: number, uniqueId: uniqueId, change: change, subject: try subject(uniqueId), unknownMembers: [])
        case .delete:
            let uniqueId = try identifier(sent)
            return ImportLine(
                line: number, uniqueId: uniqueId, change: nil, subject: try subject(uniqueId),
                unknownMembers: Self.unknownMembers(of: body))
        }
    }

    /// The members of a whole cardholder that are not known, and are ignored.
    package static func unknownMembers(of body: borrowing JSONText) -> [String] {
        body.names.filter { !ProvisionedMembers.ofLines.contains($0) }
    }

    private func subject(_ uniqueId: Identifier) throws(KeyVaultError) -> [UInt8] {
        try keyring.pseudonym(bankId: bank.id, uniqueId: uniqueId)
    }

    private func operation(_ body: borrowing JSONText, uniqueId: String?) throws -> Operation {
        let name = ProvisionedMembers.operation
        guard !body.isMissing(name) else { return .put }
        guard let operation = body.string(name).flatMap(Operation.init(rawValue:)) else {
            let names = Operation.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProvisioningRefusal(
                uniqueId: try identifier(uniqueId),
                problems: [ProvisioningError(name, "must be one of \(names)")])
        }
        return operation
    }

    private func identifier(_ uniqueId: String?) throws(ProvisioningRefusal) -> Identifier {
        var members = ProvisionedMembers(
            bank: bank, uniqueId: uniqueId ?? "", keyring: keyring, serverKeys: serverKeys, pinKeys: pinKeys,
            acceptsCodes: acceptsCodes)
        members.requireUniqueId()
        return try members.finish()
    }

    private func whole(_ body: borrowing JSONText, uniqueId: String?) async throws -> ProvisionedCardholder {
        var members = ProvisionedMembers(
            bank: bank, uniqueId: uniqueId ?? "", keyring: keyring, serverKeys: serverKeys, pinKeys: pinKeys,
            acceptsCodes: acceptsCodes)
        members.requireUniqueId()
        var change = CardholderChange()
        change.creates = true
        change.status = members.status(body) ?? .active
        change.channels = members.channels(body) ?? Channel.allCases
        change.definition = members.definition(body) ?? true
        change.accessibility = .init(members.accessibility(body))
        change.codeMACs = .init(try await members.codeMACs(body))
        change.pin = .init(try await members.pin(body))
        change.freeField = .init(try members.freeField(body))
        change.unlocks = members.unlocks(body)
        return ProvisionedCardholder(
            uniqueId: try members.finish(), change: change, unknownMembers: Self.unknownMembers(of: body))
    }

    private func parts(
        _ body: borrowing JSONText, uniqueId: Identifier, known: Set<String>
    ) async throws -> CardholderChange {
        var members = ProvisionedMembers(
            bank: bank, uniqueId: uniqueId.text, keyring: keyring, serverKeys: serverKeys, pinKeys: pinKeys,
            acceptsCodes: acceptsCodes)
        var change = CardholderChange()
        for name in body.names where !known.contains(name) { members.refuse(name, "cannot be changed") }
        for name in ProvisionedMembers.unremovable where body.kind(of: name) != nil && body.isMissing(name) {
            members.refuse(name, "cannot be removed")
        }
        change.status = members.status(body)
        change.channels = members.channels(body)
        change.definition = members.definition(body)
        if body.kind(of: ProvisionedMembers.accessibility) != nil {
            change.accessibility = .init(members.accessibility(body))
        }
        if body.kind(of: ProvisionedMembers.code) != nil { change.codeMACs = .init(try await members.codeMACs(body)) }
        let pin = CardholderChange.Part(try await members.pin(body))
        if body.kind(of: MemberName.pin) != nil || !body.isMissing(ProvisionedMembers.pinBlock) { change.pin = pin }
        if body.kind(of: MemberName.freeField) != nil { change.freeField = .init(try members.freeField(body)) }
        change.unlocks = members.unlocks(body)
        _ = try members.finish()
        return change
    }
}
