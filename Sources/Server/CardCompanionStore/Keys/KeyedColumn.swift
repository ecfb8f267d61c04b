package import CardCompanionModel
internal import PostgresLibPQ

/// A column whose values begin with the id of the data key that they were made with (4 bytes).
package enum KeyedColumn: String, StoredEnumeration, CaseIterable {
    case hmacKey = "hmac_key.sealed_key"
    case bankKey = "bank_key.sealed_key"
    case issuerSecret = "issuer_key.sealed_secret"
    case serverKey = "server_key.sealed_key"
    case recoveryKey = "master_key.sealed_public_key"
    case sealKey = "seal_key.sealed_public_key"
    case trustList = "trust_list.sealed_digest"
    case pin = "cardholder.sealed_pin"
    case freeField = "cardholder.sealed_free_field"
    case code = "cardholder.code_mac"
    case freeFieldMAC = "cardholder.free_field_mac"
    case keyIdentity = "key_identity.key_mac"

    /// The columns whose values need the keys of a purpose. Values that live for a day or less are left out. So is the audit
    /// trail: once its key is destroyed, no one can tell whom an entry names.
    package static func all(of purpose: DataKeyPurpose) -> [KeyedColumn] {
        switch purpose {
        case .pins: [.pin]
        case .codes: [.code]
        case .keys: [.hmacKey, .bankKey, .issuerSecret, .serverKey, .recoveryKey, .sealKey, .trustList]
        case .freeFields: [.freeField]
        case .digests: [.freeFieldMAC, .keyIdentity]
        case .keypads, .audit: []
        }
    }

    /// How SQL names the column.
    var source: any KeyedColumnSource.Type {
        switch self {
        case .hmacKey: HMACKeyColumn.self
        case .bankKey: BankKeyColumn.self
        case .issuerSecret: IssuerSecretColumn.self
        case .serverKey: ServerKeyColumn.self
        case .recoveryKey: RecoveryKeyColumn.self
        case .sealKey: SealKeyColumn.self
        case .trustList: TrustListColumn.self
        case .pin: PINColumn.self
        case .freeField: FreeFieldColumn.self
        case .code: CodeColumn.self
        case .freeFieldMAC: FreeFieldMACColumn.self
        case .keyIdentity: KeyIdentityColumn.self
        }
    }
}

/// The names of a column in SQL. A bank's id and a second column identify a row.
protocol KeyedColumnSource: Sendable {
    static var table: String { get }
    static var column: String { get }
    /// An expression: the bank's id.
    static var bankId: String { get }
    /// An expression: what identifies the row within the bank.
    static var rowId: String { get }
}

private protocol CardholderColumn: KeyedColumnSource {}

extension CardholderColumn {
    static var table: String { "cardholder" }
    static var bankId: String { "cardholder.bank_id" }
    static var rowId: String { "cardholder.unique_id" }
}

private enum PINColumn: CardholderColumn { static let column = "sealed_pin" }
private enum FreeFieldColumn: CardholderColumn { static let column = "sealed_free_field" }
private enum CodeColumn: CardholderColumn { static let column = "code_mac" }
private enum FreeFieldMACColumn: CardholderColumn { static let column = "free_field_mac" }

private enum HMACKeyColumn: KeyedColumnSource {
    static let table = "hmac_key"
    static let column = "sealed_key"
    static let bankId = "hmac_key.bank_id"
    static let rowId = "hmac_key.label"
}

private enum BankKeyColumn: KeyedColumnSource {
    static let table = "bank_key"
    static let column = "sealed_key"
    static let bankId = "bank_key.bank_id"
    static let rowId = "bank_key.label"
}

private enum KeyIdentityColumn: KeyedColumnSource {
    static let table = "key_identity"
    static let column = "key_mac"
    static let bankId = "key_identity.bank_id"
    static let rowId = "key_identity.label"
}

private enum IssuerSecretColumn: KeyedColumnSource {
    static let table = "issuer_key"
    static let column = "sealed_secret"
    static let bankId = "issuer_key.bank_id"
    static let rowId = "issuer_key.key_id"
}

private enum ServerKeyColumn: KeyedColumnSource {
    static let table = "server_key"
    static let column = "sealed_key"
    /// Server keys have no bank.
    static let bankId = "''::text"
    static let rowId = "server_key.key_id"
}

private enum RecoveryKeyColumn: KeyedColumnSource {
    static let table = "master_key"
    static let column = "sealed_public_key"
    /// Master keys have no bank.
    static let bankId = "''::text"
    static let rowId = "master_key.id"
}

private enum SealKeyColumn: KeyedColumnSource {
    static let table = "seal_key"
    static let column = "sealed_public_key"
    /// Keys of seals have no bank.
    static let bankId = "''::text"
    static let rowId = "seal_key.key_id"
}

private enum TrustListColumn: KeyedColumnSource {
    static let table = "trust_list"
    static let column = "sealed_digest"
    static let bankId = "trust_list.scope"
    /// The scope alone identifies the row. This name must not be empty: the scope of all banks is empty, and a walk begins
    /// after the row with two empty names.
    static let rowId = "'list'::text"
}
