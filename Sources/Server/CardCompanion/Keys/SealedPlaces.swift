internal import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

// Every place that has a sealed value or a MAC: those of ``KeyedColumn``, and those that live for a day at most. The names are
// authenticated with the values: a change of one makes every value under it unreadable.

extension SealedPlace {
    static func hmacKey(bankId: Identifier, label: String) -> SealedPlace {
        SealedPlace(.hmacKey, row: bankId.text, label)
    }

    static func bankKey(bankId: Identifier, label: String) -> SealedPlace {
        SealedPlace(.bankKey, row: bankId.text, label)
    }

    /// Components live for a day at most, and are not sealed again.
    static func keyComponent(bankId: Identifier, label: String, number: Int) -> SealedPlace {
        SealedPlace("key_component.sealed_component", .keys, row: bankId.text, label, "\(number)")
    }

    /// The MAC of a bank's key. It has no bank, because no two banks may have the same key.
    static let keyIdentity = SealedPlace(KeyedColumn.keyIdentity)

    static func issuerSecret(_ keyId: String) -> SealedPlace {
        SealedPlace(.issuerSecret, row: keyId)
    }

    static func serverKey(_ keyId: String) -> SealedPlace {
        SealedPlace(.serverKey, row: keyId)
    }

    static func serverPublicKey(_ keyId: String) -> SealedPlace {
        SealedPlace(.serverPublicKey, row: keyId)
    }

    static func recoveryKey(_ id: String) -> SealedPlace {
        SealedPlace(.recoveryKey, row: id)
    }

    static func sealKey(_ keyId: String) -> SealedPlace {
        SealedPlace(.sealKey, row: keyId)
    }

    /// The MAC of a token belongs to its session, so that equal tokens have different MACs.
    static func sessionToken(_ sessionId: String) -> SealedPlace {
        SealedPlace("delivery_session.token_mac", .codes, row: sessionId)
    }

    /// Not a place in the database: keypads are handed out.
    static func keypad(bankId: Identifier, uniqueId: String) -> SealedPlace {
        SealedPlace("keypadId", .keypads, row: bankId.text, uniqueId)
    }

    /// The digest that proves that a trust list is the imported one. Without a bank, it is the list for all banks.
    static func trustList(_ scope: Identifier?) -> SealedPlace {
        SealedPlace(.trustList, row: scope?.text ?? "")
    }

    /// The key of the bank's digests of PANs.
    static func panDigestKey(_ bankId: Identifier) -> SealedPlace {
        SealedPlace(.panDigestKey, row: bankId.text)
    }

    /// Who is expected in a check. It lives for a day at most.
    static func identityExpectation(bankId: Identifier, uniqueId: Identifier) -> SealedPlace {
        SealedPlace("identity_check.expectation_mac", .digests, row: bankId.text, uniqueId.text)
    }

    /// What proves that a server has given a pass. It lives for a day at most.
    static func identityPass(bankId: Identifier, uniqueId: Identifier) -> SealedPlace {
        SealedPlace("identity_pass.mac", .digests, row: bankId.text, uniqueId.text)
    }

    static func idempotentRequest(bankId: Identifier, key: String) -> SealedPlace {
        SealedPlace("idempotent_answer.request_mac", .digests, row: bankId.text, key)
    }
}

extension SealedPlace {
    /// The place of a sealed value; nil for a column of MACs.
    init?(_ column: KeyedColumn, _ row: KeyedRow) {
        guard let names = column.sealedNames(of: row) else { return nil }
        self.init(column.rawValue, column.purpose.ofKeyring, row: names)
    }

    fileprivate init(_ column: KeyedColumn, row: String...) {
        self.init(column.rawValue, column.purpose.ofKeyring, row: row)
    }
}

/// The places of one cardholder's secrets.
struct CardholderPlace {
    let bankId: Identifier
    let uniqueId: Identifier

    var pin: SealedPlace { place(.pin) }
    var code: SealedPlace { place(.code) }
    var freeField: SealedPlace { place(.freeField) }
    var freeFieldMAC: SealedPlace { place(.freeFieldMAC) }
    /// The names of their sessions.
    var session: SealedPlace { SealedPlace("delivery_session.session_id", .codes, row: bankId.text, uniqueId.text) }

    private func place(_ column: KeyedColumn) -> SealedPlace { SealedPlace(column, row: bankId.text, uniqueId.text) }
}

extension DataKeyPurpose {
    var ofKeyring: Keyring.Purpose {
        switch self {
        case .pins: .pins
        case .codes: .codes
        case .keypads: .keypads
        case .keys: .keys
        case .freeFields: .freeFields
        case .digests: .digests
        case .audit: .audit
        }
    }
}
