package import CardCompanionModel
package import KeyVault

// What the audit trail says about the caller of an operation.

extension AuditNote {
    /// An operation that a cardholder's app asks for.
    ///
    /// - Parameter uniqueId: nil if the one in the request cannot be a cardholder's.
    static func app(
        _ proof: String, bankId: Identifier, uniqueId: Identifier?, keyring: Keyring
    ) throws(KeyVaultError) -> AuditNote {
        AuditNote(subject: try subject(bankId, uniqueId, keyring), actor: "app:\(proof)")
    }

    /// An operation that a bank's back-end asks for.
    static func backEnd(
        keyId: String, bankId: Identifier, uniqueId: Identifier?, keyring: Keyring
    ) throws(KeyVaultError) -> AuditNote {
        AuditNote(subject: try subject(bankId, uniqueId, keyring), actor: "key:\(keyId)")
    }

    /// An operation that an operator's command asks for.
    ///
    /// - Parameter actor: `operator:USER@HOST`.
    package static func command(
        _ command: String, by actor: String, bankId: Identifier, uniqueId: Identifier, keyring: Keyring
    ) throws(KeyVaultError) -> AuditNote {
        AuditNote(subject: try subject(bankId, uniqueId, keyring), actor: actor, detail: command)
    }

    private static func subject(
        _ bankId: Identifier, _ uniqueId: Identifier?, _ keyring: Keyring
    ) throws(KeyVaultError) -> [UInt8]? {
        guard let uniqueId else { return nil }
        return try keyring.pseudonym(bankId: bankId, uniqueId: uniqueId)
    }
}

extension Keyring {
    /// How much of a MAC is a pseudonym: the id of its key, and 16 bytes.
    private static let pseudonymByteCount = 20

    /// What stands for a cardholder in the audit trail: a MAC of the name. Once its key is destroyed, no one can tell whom it
    /// names.
    package func pseudonym(bankId: Identifier, uniqueId: Identifier) throws(KeyVaultError) -> [UInt8] {
        let mac = try authenticationCode(for: Array(uniqueId.text.utf8), in: Self.place(bankId))
        return Array(mac.prefix(Self.pseudonymByteCount))
    }

    /// The cardholder's pseudonyms under every key. The first one is under the active key.
    package func pseudonyms(bankId: Identifier, uniqueId: Identifier) throws(KeyVaultError) -> [[UInt8]] {
        try authenticationCodes(for: Array(uniqueId.text.utf8), in: Self.place(bankId))
            .map { Array($0.prefix(Self.pseudonymByteCount)) }
    }

    private static func place(_ bankId: Identifier) -> SealedPlace {
        SealedPlace("audit_entry.subject", .audit, row: bankId.text)
    }
}
