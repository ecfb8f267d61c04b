package import CardCompanionModel
internal import PostgresLibPQ

/// A column whose values begin with the id of the data key that they were made with (4 bytes): the one table of where they are,
/// which data keys they need, and what names their rows. Values that live for a day at most are not in it.
package enum KeyedColumn: String, StoredEnumeration, CaseIterable {
    case hmacKey = "hmac_key.sealed_key"
    case bankKey = "bank_key.sealed_key"
    case issuerSecret = "issuer_key.sealed_secret"
    case serverKey = "server_key.sealed_key"
    case serverPublicKey = "server_key.sealed_public_key"
    case recoveryKey = "master_key.sealed_public_key"
    case sealKey = "seal_key.sealed_public_key"
    case trustList = "trust_list.sealed_digest"
    case panDigestKey = "pan_digest_key.sealed_key"
    case pin = "cardholder.sealed_pin"
    case freeField = "cardholder.sealed_free_field"
    case code = "cardholder.code_mac"
    case freeFieldMAC = "cardholder.free_field_mac"
    case keyIdentity = "key_identity.key_mac"

    /// What the data keys of its values are for.
    package var purpose: DataKeyPurpose {
        switch self {
        case .pin: .pins
        case .code: .codes
        case .freeField: .freeFields
        case .freeFieldMAC, .keyIdentity: .digests
        default: .keys
        }
    }

    /// Whether the audit trail follows its rows.
    package var isOfCardholders: Bool { self == .pin || self == .freeField || self == .code || self == .freeFieldMAC }

    /// The columns whose values need the keys of a purpose. Values that live for a day or less are left out. So is the audit
    /// trail: once its key is destroyed, no one can tell whom an entry names.
    package static func all(of purpose: DataKeyPurpose) -> [KeyedColumn] { allCases.filter { $0.purpose == purpose } }

    /// The names of a row that are sealed with its value; nil for a column of MACs.
    package func sealedNames(of row: KeyedRow) -> [String]? {
        switch self {
        case .hmacKey, .bankKey, .pin, .freeField: [row.bankId, row.rowId]
        case .issuerSecret, .serverKey, .serverPublicKey, .recoveryKey, .sealKey: [row.rowId]
        case .trustList, .panDigestKey: [row.bankId]
        case .code, .freeFieldMAC, .keyIdentity: nil
        }
    }

    /// How SQL names the column.
    var place: KeyedPlace {
        switch self {
        case .hmacKey: KeyedPlace(table: "hmac_key", column: "sealed_key", rowId: "label")
        case .bankKey: KeyedPlace(table: "bank_key", column: "sealed_key", rowId: "label")
        case .keyIdentity: KeyedPlace(table: "key_identity", column: "key_mac", rowId: "label")
        case .issuerSecret: KeyedPlace(table: "issuer_key", column: "sealed_secret", rowId: "key_id")
        case .serverKey: KeyedPlace(table: "server_key", column: "sealed_key", bankId: nil, rowId: "key_id")
        case .serverPublicKey:
            KeyedPlace(table: "server_key", column: "sealed_public_key", bankId: nil, rowId: "key_id")
        case .recoveryKey: KeyedPlace(table: "master_key", column: "sealed_public_key", bankId: nil, rowId: "id")
        case .sealKey: KeyedPlace(table: "seal_key", column: "sealed_public_key", bankId: nil, rowId: "key_id")
        case .trustList: KeyedPlace(table: "trust_list", column: "sealed_digest", bankId: "scope", rowId: nil)
        case .panDigestKey: KeyedPlace(table: "pan_digest_key", column: "sealed_key", rowId: nil)
        case .pin: KeyedPlace(table: "cardholder", column: "sealed_pin", rowId: "unique_id")
        case .freeField: KeyedPlace(table: "cardholder", column: "sealed_free_field", rowId: "unique_id")
        case .code: KeyedPlace(table: "cardholder", column: "code_mac", rowId: "unique_id")
        case .freeFieldMAC: KeyedPlace(table: "cardholder", column: "free_field_mac", rowId: "unique_id")
        }
    }
}

/// The names of a column in SQL. A bank's id and a second column identify a row.
struct KeyedPlace {
    let table: SQLText
    let column: SQLText
    /// An expression: the bank's id and what identifies the row within the bank.
    let row: SQLText

    /// - Parameters:
    ///   - bankId: nil if the rows belong to no bank.
    ///   - rowId: nil if the scope alone identifies the row. The name that stands for it must not be empty: the scope of all
    ///     banks is empty, and a walk begins after the row with two empty names.
    init(table: SQLText, column: SQLText, bankId: SQLText? = "bank_id", rowId: SQLText?) {
        self.table = table
        self.column = column
        let bank: SQLText = bankId.map { "\(sql: table).\(sql: $0)" } ?? "''::text"
        let id: SQLText = rowId.map { "\(sql: table).\(sql: $0)" } ?? "'list'::text"
        row = "\(sql: bank), \(sql: id)"
    }
}
