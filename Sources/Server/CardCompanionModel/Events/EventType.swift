/// What has happened: the domain `event_type` of the schema.
package enum EventType: String, Sendable, CaseIterable {
    case pinDelivered = "pin.delivered"
    case pinDeliveryFailed = "pin.delivery-failed"
    case pinDeliveryUnconfirmed = "pin.delivery-unconfirmed"
    case pinDefined = "pin.defined"
    case pinExpired = "pin.expired"
    case pinExported = "pin.exported"
    case authenticationLocked = "authentication.locked"
    case certificateExpiring = "certificate.expiring"
    case revocationListExpiring = "revocation-list.expiring"
    case identityChecked = "identity.checked"
    case identityFailed = "identity.failed"
    case auditSealed = "audit.sealed"
}
