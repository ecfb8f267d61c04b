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
    static let person = "person"
    static let name = "name"
    static let dateOfBirth = "dateOfBirth"

    static let all = [clientId, lifetimeSeconds, document, person]
    static let ofDocument = [issuingState, documentNumber]
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
    /// - Throws: ``ProvisioningRefusal`` with everything that is wrong.
    package init(_ body: borrowing JSONText) throws(ProvisioningRefusal) {
        var problems = Self.unknown(body.names, known: IdentityCheckMembers.all)
        let clientId = body.kind(of: IdentityCheckMembers.clientId) == .string ? body.text(of: "clientId") : nil
        if clientId == nil {
            problems.append(
                ProvisioningError(IdentityCheckMembers.clientId, "must be a string: a document client's id"))
        }
        let lifetime = Self.lifetime(body, &problems)
        let expected = Self.expected(body, &problems)
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
        _ body: borrowing JSONText, _ problems: inout [ProvisioningError]
    ) -> (IdentityExpectation, ExpectedIdentity)? {
        let (document, person) = (IdentityCheckMembers.document, IdentityCheckMembers.person)
        switch (body.kind(of: document), body.kind(of: person)) {
        case (.object, nil):
            guard let object = body.object(document) else { return nil }
            problems += unknown(object.names, known: IdentityCheckMembers.ofDocument, in: "document.")
            return expected(document, &problems) { () throws(FormatError) in
                try ExpectedIdentity(
                    issuingState: try text(IdentityCheckMembers.issuingState, of: object),
                    documentNumber: try text(IdentityCheckMembers.documentNumber, of: object))
            }.map { (.document, $0) }
        case (nil, .object):
            guard let object = body.object(person) else { return nil }
            problems += unknown(object.names, known: IdentityCheckMembers.ofPerson, in: "person.")
            return expected(person, &problems) { () throws(FormatError) in
                try ExpectedIdentity(
                    nameInMRZ: try text(IdentityCheckMembers.name, of: object),
                    dateOfBirth: try dateInMRZ(try text(IdentityCheckMembers.dateOfBirth, of: object)))
            }.map { (.person, $0) }
        default:
            problems.append(
                ProvisioningError(
                    document,
                    "is necessary (issuingState, documentNumber), or 'person' (name, dateOfBirth), but not both"))
            return nil
        }
    }

    private static func expected(
        _ member: String, _ problems: inout [ProvisioningError], _ read: () throws(FormatError) -> ExpectedIdentity
    ) -> ExpectedIdentity? {
        do {
            return try read()
        } catch {
            problems.append(ProvisioningError(member, "cannot be in a machine readable zone: \(error)"))
            return nil
        }
    }

    private static func text(_ name: String, of object: borrowing JSONText) throws(FormatError) -> Octets {
        guard let text = object.secret(of: name) else { throw FormatError("'\(name)' must be a string") }
        return Octets(text)
    }

    /// `1964-08-12` as `640812`. A date that has the form of an MRZ stays as it is.
    private static func dateInMRZ(_ date: Octets) throws(FormatError) -> Octets {
        let hyphen = UInt8(ascii: "-")
        guard date.count == 10, date[4] == hyphen, date[7] == hyphen else { return date }
        return Octets(copying: date[2..<4].bytes + date[5..<7].bytes + date[8..<10].bytes)
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
