/// What may be shown of a cardholder: nothing secret, sealed or not.
package struct CardholderRecord: Sendable {
    package let uniqueId: Identifier
    package let status: CardholderStatus
    package let channels: [Channel]
    /// Whether the cardholder can define a PIN, if the bank allows it.
    package let definition: Bool
    /// Nil for a cardholder who reads the usual images.
    package let accessibility: Accessibility?
    package let hasAuthenticationCode: Bool
    /// How many wrong codes in a row.
    package let authenticationFailures: Int
    package let hasPIN: Bool
    /// The bank's own number of the PIN that it last provisioned with one. It outlives the PIN.
    package let pinVersion: Int64?
    /// When an unconfirmed PIN is erased.
    package let pinExpiresAt: Timestamp?
    /// When a delivery of this PIN was last confirmed.
    package let deliveredAt: Timestamp?
    /// How many fetches since the last confirmed delivery.
    package let unconfirmedFetches: Int
    package let hasFreeField: Bool
    /// Nil if the present PIN is not one that the cardholder has defined.
    package let definedPIN: DefinedPINState?
    /// Changes with everything that is shown here, and with everything that happens to the PIN. A wrong code that does not
    /// lock does not change it.
    package let version: Int64
    package let createdAt: Timestamp
    /// When the bank or an operator last changed the cardholder.
    package let updatedAt: Timestamp

    package init(
        uniqueId: Identifier, status: CardholderStatus, channels: [Channel], definition: Bool,
        accessibility: Accessibility?, hasAuthenticationCode: Bool, authenticationFailures: Int, hasPIN: Bool,
        pinVersion: Int64?, pinExpiresAt: Timestamp?, deliveredAt: Timestamp?, unconfirmedFetches: Int,
        hasFreeField: Bool, definedPIN: DefinedPINState?, version: Int64, createdAt: Timestamp, updatedAt: Timestamp
    ) {
        self.uniqueId = uniqueId
        self.status = status
        self.channels = channels
        self.definition = definition
        self.accessibility = accessibility
        self.hasAuthenticationCode = hasAuthenticationCode
        self.authenticationFailures = authenticationFailures
        self.hasPIN = hasPIN
        self.pinVersion = pinVersion
        self.pinExpiresAt = pinExpiresAt
        self.deliveredAt = deliveredAt
        self.unconfirmedFetches = unconfirmedFetches
        self.hasFreeField = hasFreeField
        self.definedPIN = definedPIN
        self.version = version
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// What locks the cardholder, by the bank's limits. Empty if nothing does. `fetch_pin` and `define_pin` decide the
    /// same for requests.
    package func locks(by settings: BankSettings) -> [CardholderLock] {
        var locks: [CardholderLock] = []
        if authenticationFailures >= settings.retryLimit { locks.append(.authenticationFailures) }
        if unconfirmedFetches >= settings.fetchLimit { locks.append(.unconfirmedFetches) }
        return locks
    }
}
