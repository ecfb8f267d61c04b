package import CardCompanionModel
internal import Cryptography
package import EMRTD
internal import KeyVault
internal import SecureMemory
package import StrictJSON

/// Members of a request for a check, besides those of the SDK document.
package enum IdentityCheckMembers {
    static let clientId = "clientId"
    static let lifetimeSeconds = "lifetimeSeconds"
    static let document = "document"
    static let issuingState = "issuingState"
    static let documentNumber = "documentNumber"
    static let documentCode = "documentCode"
    static let person = "person"
    static let name = "name"
    static let dateOfBirth = "dateOfBirth"

    static let all = [clientId, lifetimeSeconds, document, person]
    static let ofDocument = [issuingState, documentNumber, documentCode]
    static let ofPerson = [name, dateOfBirth]
}

/// A check as a bank's back-end asks for it.
package struct RequestedCheck: Sendable {
    /// How long the cardholder can take, in seconds.
    package static let lifetimeLimitsSeconds = 60...86_400
    package static let usualLifetimeSeconds = 900

    package let clientId: String
    package let lifetimeSeconds: Int
    package let expectation: IdentityExpectation
    package let expected: ExpectedIdentity

    /// Reads a body.
    ///
    /// - Parameter now: no holder is born later.
    /// - Throws: ``ProvisioningRefusal`` with everything that is wrong.
    package init(_ body: borrowing JSONText, at now: Timestamp) throws(ProvisioningRefusal) {
        var problems = Self.unknown(body.names, known: IdentityCheckMembers.all)
        let clientId = body.kind(of: IdentityCheckMembers.clientId) == .string ? body.text(of: "clientId") : nil
        if clientId == nil {
            problems.append(
                ProvisioningError(IdentityCheckMembers.clientId, "must be a string: a document client's id"))
        }
        let lifetime = Self.lifetime(body, &problems)
        let expected = Self.expected(body, at: now, &problems)
        guard let clientId, let expected, problems.isEmpty else {
            throw ProvisioningRefusal(uniqueId: nil, problems: problems)
        }
        self.clientId = clientId
        lifetimeSeconds = lifetime
        (expectation, self.expected) = expected
    }

    private static func unknown(_ names: [String], known: [String], in parent: String = "") -> [ProvisioningError] {
        names.filter { !known.contains($0) }.map {
            ProvisioningError(parent + $0, "is not known here: use \(known.joined(separator: ", "))")
        }
    }

    private static func lifetime(_ body: borrowing JSONText, _ problems: inout [ProvisioningError]) -> Int {
        let name = IdentityCheckMembers.lifetimeSeconds
        guard body.kind(of: name) != nil else { return usualLifetimeSeconds }
        if body.kind(of: name) == .number, let seconds = body.text(of: name).flatMap({ Int($0) }),
            lifetimeLimitsSeconds ~= seconds
        {
            return seconds
        }
        problems.append(
            ProvisioningError(
                name,
                "must be a whole number from \(lifetimeLimitsSeconds.lowerBound) to \(lifetimeLimitsSeconds.upperBound)"
            ))
        return usualLifetimeSeconds
    }

    private static func expected(
        _ body: borrowing JSONText, at now: Timestamp, _ problems: inout [ProvisioningError]
    ) -> (IdentityExpectation, ExpectedIdentity)? {
        let (document, person) = (IdentityCheckMembers.document, IdentityCheckMembers.person)
        switch (body.kind(of: document), body.kind(of: person)) {
        case (.object, nil):
            guard let object = body.object(document) else { return nil }
            return expectedDocument(object, &problems).map { (.document, $0) }
        case (nil, .object):
            guard let object = body.object(person) else { return nil }
            return expectedPerson(object, at: now, &problems).map { (.person, $0) }
        default:
            problems.append(
                ProvisioningError(
                    document,
                    "is necessary (issuingState, documentNumber), or 'person' (name, dateOfBirth), but not both"))
            return nil
        }
    }

    private static func expectedDocument(
        _ object: borrowing JSONText, _ problems: inout [ProvisioningError]
    ) -> ExpectedIdentity? {
        let parent = IdentityCheckMembers.document
        problems += unknown(object.names, known: IdentityCheckMembers.ofDocument, in: parent + ".")
        let state = part(IdentityCheckMembers.issuingState, of: object, parent, &problems, MRZText.state)
        let number = part(
            IdentityCheckMembers.documentNumber, of: object, parent, &problems, MRZText.documentNumber)
        let code =
            object.kind(of: IdentityCheckMembers.documentCode) == nil
            ? nil : part(IdentityCheckMembers.documentCode, of: object, parent, &problems, MRZText.documentCode)
        guard let state, let number else { return nil }
        return ExpectedIdentity(issuingState: state, documentNumber: number, documentCode: code)
    }

    private static func expectedPerson(
        _ object: borrowing JSONText, at now: Timestamp, _ problems: inout [ProvisioningError]
    ) -> ExpectedIdentity? {
        let parent = IdentityCheckMembers.person
        problems += unknown(object.names, known: IdentityCheckMembers.ofPerson, in: parent + ".")
        let name = part(IdentityCheckMembers.name, of: object, parent, &problems, MRZText.name)
        let birth = part(IdentityCheckMembers.dateOfBirth, of: object, parent, &problems) {
            (text) throws(FormatError) in try DateOfBirth(text, at: now.seconds)
        }
        guard let name, let birth else { return nil }
        return ExpectedIdentity(nameInMRZ: name, dateOfBirth: birth)
    }

    /// Reads a member of an object. If it is missing or wrong, that is one more problem.
    private static func part<Part>(
        _ name: String, of object: borrowing JSONText, _ parent: String, _ problems: inout [ProvisioningError],
        _ read: (Octets) throws(FormatError) -> Part
    ) -> Part? {
        let member = "\(parent).\(name)"
        guard let text = object.secret(of: name) else {
            problems.append(ProvisioningError(member, "must be a string"))
            return nil
        }
        do {
            return try read(Octets(text))
        } catch {
            problems.append(ProvisioningError(member, "cannot be in a machine readable zone: \(error)"))
            return nil
        }
    }
}

/// Who is expected in a check: a keyed digest, so that the database has no names.
struct ExpectedHolder: Sendable {
    private let place: SealedPlace

    init(bankId: Identifier, uniqueId: Identifier) {
        place = .identityExpectation(bankId: bankId, uniqueId: uniqueId)
    }

    /// Key id and MAC.
    ///
    /// - Throws: `vaultClosed`.
    func mac(of expected: ExpectedIdentity, _ keyring: Keyring) throws(KeyVaultError) -> [UInt8] {
        try keyring.authenticationCode(for: expected.canonicalForm, in: place)
    }

    /// Whether one of the identities of a document is the expected one.
    ///
    /// - Throws: `vaultClosed`.
    func matches(
        _ found: [ExpectedIdentity], mac: [UInt8], _ keyring: Keyring
    ) throws(KeyVaultError) -> Bool {
        for identity in found {
            let codes = try keyring.authenticationCodes(for: identity.canonicalForm, in: place)
            if codes.contains(where: { ConstantTime.areEqual($0, mac) }) { return true }
        }
        return false
    }
}
