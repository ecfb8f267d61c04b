package import CardCompanionModel
internal import Cryptography

/// What two operators sign: which change they approve, and the objects that it leaves, which servers then accept.
package struct ApprovalStatement: Sendable, Equatable {
    /// How long the second operator can sign.
    package static let lifetimeSeconds: Int64 = 86_400
    package static let objectLimit = 100_000

    package let installationId: String
    /// The command: `certificate import`.
    package let action: String
    /// SHA-256 of the change.
    package let changeDigest: [UInt8]
    /// The ``InventoryObject/digest`` of each object.
    package let objectDigests: [[UInt8]]
    /// 16 random bytes: names the statement.
    package let nonce: [UInt8]
    package let expiresAt: Timestamp

    private static let title = "card-companion approval 1"
    private static let nonceByteCount = 16

    /// Makes a new statement.
    ///
    /// - Parameter change: what is to be done, as it is stored.
    /// - Throws: ``InvalidSetting`` if there are too many objects.
    package init(
        installationId: String, action: String, change: [UInt8], objects: [InventoryObject], now: Timestamp
    ) throws(InvalidSetting) {
        guard objects.count <= Self.objectLimit else {
            throw InvalidSetting(
                description: "one approval covers at most \(Self.objectLimit) keys, certificates, webhooks and banks")
        }
        self.installationId = installationId
        self.action = action
        changeDigest = SHA256.hash(change)
        objectDigests = objects.map(\.digest)
        nonce = SecureRandom.bytes(count: Self.nonceByteCount)
        expiresAt = now.advanced(bySeconds: Self.lifetimeSeconds)
    }

    /// The statement's name: the nonce in hex.
    package var id: String { Hex.encode(nonce) }

    /// Whether the statement is about this change and these objects.
    package func isAbout(_ change: [UInt8], _ objects: [InventoryObject]) -> Bool {
        changeDigest == SHA256.hash(change) && objectDigests == objects.map(\.digest)
    }

    /// The text that operators sign.
    package var text: String {
        let lines =
            [
                Self.title, "installation \(installationId)", "action \(action)", "change \(Hex.encode(changeDigest))",
            ] + objectDigests.map { "object \(Hex.encode($0))" } + [
                "nonce \(Hex.encode(nonce))", "expires \(expiresAt.seconds)",
            ]
        return lines.map { "\($0)\n" }.joined()
    }

    /// Reads a statement.
    ///
    /// - Returns: nil if it is not exactly what ``text`` makes.
    package init?(_ text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        guard lines.count >= 6, lines.allSatisfy({ $0.count == 2 }) else { return nil }
        let values = lines.map { String($0[1]) }
        let digests = values[4..<(values.count - 2)].map(Hex.decode)
        guard let change = Hex.decode(values[3]), let nonce = Hex.decode(values[values.count - 2]),
            let expires = Int64(values[values.count - 1]), !digests.contains(nil)
        else { return nil }
        installationId = values[1]
        action = values[2]
        changeDigest = change
        objectDigests = digests.compactMap(\.self)
        self.nonce = nonce
        expiresAt = Timestamp(seconds: expires)
        guard self.text == text, nonce.count == Self.nonceByteCount else { return nil }
    }
}

/// An operator's signature of a statement.
package struct OperatorSignature: Sendable, Equatable {
    package let operatorName: String
    /// Ed25519, 64 bytes.
    package let signature: [UInt8]

    package init(operatorName: String, signature: [UInt8]) {
        self.operatorName = operatorName
        self.signature = signature
    }

    /// Whether an operator of the roster has made it for the statement.
    package func isValid(for text: String, in roster: OperatorRoster) -> Bool {
        guard let member = roster.member(operatorName),
            let key = try? Ed25519PublicKey(rawRepresentation: member.publicKey)
        else { return false }
        return key.isValid(signature: signature, for: Array(text.utf8))
    }
}

/// A statement with the signatures of two different operators.
package struct Approval: Sendable {
    package let statement: ApprovalStatement
    package let first: OperatorSignature
    package let second: OperatorSignature

    /// - Throws: ``ApprovalRefusal``.
    package init(
        _ statement: ApprovalStatement, _ first: OperatorSignature, _ second: OperatorSignature,
        in roster: OperatorRoster
    ) throws(ApprovalRefusal) {
        guard statement.installationId == roster.installationId else { throw .otherInstallation }
        guard first.operatorName != second.operatorName else { throw .sameOperator(first.operatorName) }
        for signature in [first, second] where !signature.isValid(for: statement.text, in: roster) {
            throw .invalidSignature(signature.operatorName)
        }
        self.statement = statement
        self.first = first
        self.second = second
    }
}

/// Why an approval does not count.
package enum ApprovalRefusal: Error, Equatable, CustomStringConvertible {
    case otherInstallation
    case sameOperator(String)
    case invalidSignature(String)
    case expired

    package var description: String {
        switch self {
        case .otherInstallation: "the approval is for another installation"
        case .sameOperator(let name): "operator '\(name)' has signed already: another operator must approve"
        case .invalidSignature(let name): "the signature of operator '\(name)' is not valid"
        case .expired: "the deadline for the approval has passed: run the command again"
        }
    }
}
