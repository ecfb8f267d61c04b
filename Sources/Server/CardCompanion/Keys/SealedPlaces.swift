internal import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

// Every place in the database that has a sealed value or a MAC. The names are authenticated with the values: a change of
// one makes every value under it unreadable.

extension SealedPlace {
    static func hmacKey(bankId: Identifier, label: String) -> SealedPlace {
        SealedPlace("hmac_key.sealed_key", .keys, row: bankId.text, label)
    }

    static func bankKey(bankId: Identifier, label: String) -> SealedPlace {
        SealedPlace("bank_key.sealed_key", .keys, row: bankId.text, label)
    }

    /// Components live for a day at most, and are not sealed again.
    static func keyComponent(bankId: Identifier, label: String, number: Int) -> SealedPlace {
        SealedPlace("key_component.sealed_component", .keys, row: bankId.text, label, "\(number)")
    }

    /// The MAC of a bank's key. It has no bank, because no two banks may have the same key.
    static let keyIdentity = SealedPlace("key_identity.key_mac", .digests)

    static func issuerSecret(_ keyId: String) -> SealedPlace {
        SealedPlace("issuer_key.sealed_secret", .keys, row: keyId)
    }

    static func serverKey(_ keyId: String) -> SealedPlace {
        SealedPlace("server_key.sealed_key", .keys, row: keyId)
    }

    static func serverPublicKey(_ keyId: String) -> SealedPlace {
        SealedPlace("server_key.sealed_public_key", .keys, row: keyId)
    }

    static func recoveryKey(_ id: String) -> SealedPlace {
        SealedPlace("master_key.sealed_public_key", .keys, row: id)
    }

    static func sealKey(_ keyId: String) -> SealedPlace {
        SealedPlace("seal_key.sealed_public_key", .keys, row: keyId)
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
        SealedPlace("trust_list.sealed_digest", .keys, row: scope?.text ?? "")
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
    /// The place of a sealed value; nil for a column of MACs, and for a name that cannot be a row's.
    init?(_ column: KeyedColumn, _ row: KeyedRow) {
        switch column {
        case .issuerSecret: self = .issuerSecret(row.rowId)
        case .serverKey: self = .serverKey(row.rowId)
        case .serverPublicKey: self = .serverPublicKey(row.rowId)
        case .recoveryKey: self = .recoveryKey(row.rowId)
        case .sealKey: self = .sealKey(row.rowId)
        case .trustList: self = .trustList(Identifier(row.bankId))
        case .hmacKey, .bankKey, .pin, .freeField:
            guard let bankId = Identifier(row.bankId), let rowId = Identifier(row.rowId) else { return nil }
            let cardholder = CardholderPlace(bankId: bankId, uniqueId: rowId)
            self =
                switch column {
                case .pin: cardholder.pin
                case .freeField: cardholder.freeField
                case .bankKey: .bankKey(bankId: bankId, label: row.rowId)
                default: .hmacKey(bankId: bankId, label: row.rowId)
                }
        case .code, .freeFieldMAC, .keyIdentity: return nil
        }
    }
}

/// The places of one cardholder's secrets.
struct CardholderPlace {
    let pin: SealedPlace
    let code: SealedPlace
    let freeField: SealedPlace
    let freeFieldMAC: SealedPlace
    /// The names of their sessions.
    let session: SealedPlace

    init(bankId: Identifier, uniqueId: Identifier) {
        func place(_ column: String, _ purpose: Keyring.Purpose) -> SealedPlace {
            SealedPlace(column, purpose, row: bankId.text, uniqueId.text)
        }
        pin = place("cardholder.sealed_pin", .pins)
        code = place("cardholder.code_mac", .codes)
        freeField = place("cardholder.sealed_free_field", .freeFields)
        freeFieldMAC = place("cardholder.free_field_mac", .digests)
        session = place("delivery_session.session_id", .codes)
    }
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
