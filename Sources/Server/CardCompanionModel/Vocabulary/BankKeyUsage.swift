/// What a bank's key is for.
package enum BankKeyUsage: String, CaseIterable, Codable, Sendable {
    /// HMAC: hashMacs of fetches.
    case distribution
    /// HMAC: hashMacs of definitions.
    case definition
    /// HMAC: hashMacs of fetches and definitions.
    case both
    /// PIN blocks.
    case pinEncryption = "pin-encryption"
    /// Key blocks: other keys are imported under it.
    case keyBlock = "key-block"
    /// PIN blocks for the issuer's host.
    case pinTranslation = "pin-translation"
    /// PVVs of Visa for the issuer's host.
    case visaPVV = "visa-pvv"
    /// PIN offsets of IBM 3624 for the issuer's host.
    case ibm3624Offset = "ibm3624-offset"

    /// The usage as that of an HMAC key; nil for other keys.
    package var hmac: HMACKeyUsage? { HMACKeyUsage(rawValue: rawValue) }

    /// Whether it makes values for the issuer's host. Such a key has rules, and comes in a key block.
    package var isForHost: Bool {
        switch self {
        case .pinTranslation, .visaPVV, .ibm3624Offset: true
        case .distribution, .definition, .both, .pinEncryption, .keyBlock: false
        }
    }

    package init(_ usage: HMACKeyUsage) {
        self =
            switch usage {
            case .distribution: .distribution
            case .definition: .definition
            case .both: .both
            }
    }
}
