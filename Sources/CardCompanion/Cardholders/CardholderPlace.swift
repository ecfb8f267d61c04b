internal import KeyVault

/// Where a cardholder's secrets lie, for what seals them.
struct CardholderPlace {
    let pin: SealedPlace
    let code: SealedPlace
    let freeField: SealedPlace
    /// The text that the cardholder was provisioned from.
    let provision: SealedPlace

    init(bankId: String, uniqueId: String) {
        pin = SealedPlace("cardholder.sealed_pin", row: bankId, uniqueId)
        code = SealedPlace("cardholder.code_mac", row: bankId, uniqueId)
        freeField = SealedPlace("cardholder.sealed_free_field", row: bankId, uniqueId)
        provision = SealedPlace("cardholder.provision_mac", row: bankId, uniqueId)
    }
}
