package import CardCompanionModel
package import PostgresLibPQ

/// An enumeration in a text column. A constraint of the schema allows the same values.
package protocol StoredEnumeration: RawRepresentable<String>, PostgresDecodable, PostgresEncodable, Sendable {}

extension StoredEnumeration {
    /// Reads the column's text. A value that is not one of the enumeration's is an error.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Self {
        try field.decode { Self(rawValue: String(decoding: $0, as: UTF8.self)) }
    }

    /// Appends a `text`.
    package func append(to parameters: inout PostgresParameters) {
        parameters.append(rawValue)
    }

    /// Appends a null `text`.
    package static func appendNull(to parameters: inout PostgresParameters) {
        String.appendNull(to: &parameters)
    }
}

extension Accessibility: StoredEnumeration {}
extension Activity: StoredEnumeration {}
extension AuditSealRecord.Kind: StoredEnumeration {}
extension BankKeyAlgorithm: StoredEnumeration {}
extension BankKeyDirection: StoredEnumeration {}
extension BankKeyUsage: StoredEnumeration {}
extension CardholderStatus: StoredEnumeration {}
extension CertificatePurpose: StoredEnumeration {}
extension Channel: StoredEnumeration {}
extension DataKeyPurpose: StoredEnumeration {}
extension DataKeyState: StoredEnumeration {}
extension DefinedPINStage: StoredEnumeration {}
extension DefinitionOutcome: StoredEnumeration {}
extension FetchRefusal: StoredEnumeration {}
extension HMACKeyUsage: StoredEnumeration {}
extension IdentityExpectation: StoredEnumeration {}
extension MasterKeyKind: StoredEnumeration {}
extension MasterKeyStatus: StoredEnumeration {}
extension NotifyOutcome: StoredEnumeration {}
extension Retention: StoredEnumeration {}
extension ServerKeyKind: StoredEnumeration {}
extension ServerKeyStatus: StoredEnumeration {}
extension WrittenCardholder.Effect: StoredEnumeration {}
extension WrittenCardholder.PINEffect: StoredEnumeration {}
