package import CardCompanionModel

/// A cardholder as banks and operators see them, in JSON: never a PIN, a code or a free field. Times are in Unix seconds.
package struct CardholderRepresentation: Encodable {
    let uniqueId: String
    let status: String
    let channels: [String]
    let definition: Bool
    let accessibility: String?
    let hasAuthenticationCode: Bool
    let authenticationFailures: Int
    let hasPin: Bool
    let pinVersion: Int64?
    let pinExpiresAt: Int64?
    let deliveredAt: Int64?
    let unconfirmedFetches: Int
    /// Nil if the cardholder is not locked.
    let lockedBy: [String]?
    let hasFreeField: Bool
    let definedPin: DefinedPINRepresentation?
    let createdAt: Int64
    let updatedAt: Int64

    /// - Parameter settings: the bank's.
    package init(_ record: CardholderRecord, _ settings: BankSettings) {
        let locks = record.locks(by: settings)
        uniqueId = record.uniqueId.text
        status = record.status.rawValue
        channels = record.channels.map(\.rawValue)
        definition = record.definition
        accessibility = record.accessibility?.rawValue
        hasAuthenticationCode = record.hasAuthenticationCode
        authenticationFailures = record.authenticationFailures
        hasPin = record.hasPIN
        pinVersion = record.pinVersion
        pinExpiresAt = record.pinExpiresAt?.seconds
        deliveredAt = record.deliveredAt?.seconds
        unconfirmedFetches = record.unconfirmedFetches
        lockedBy = locks.isEmpty ? nil : locks.map(\.rawValue)
        hasFreeField = record.hasFreeField
        definedPin = record.definedPIN.map(DefinedPINRepresentation.init)
        createdAt = record.createdAt.seconds
        updatedAt = record.updatedAt.seconds
    }
}

/// A defined PIN as banks and operators see it, in JSON: never the PIN.
package struct DefinedPINRepresentation: Encodable {
    let event: String
    let state: String
    let reason: String?
    /// In Unix seconds.
    let at: Int64

    package init(_ defined: DefinedPINState) {
        event = defined.event
        state = defined.stage.rawValue
        reason = defined.reason
        at = defined.at.seconds
    }
}
