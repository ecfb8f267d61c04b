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

    /// The usage as that of an HMAC key; nil for other keys.
    package var hmac: HMACKeyUsage? { HMACKeyUsage(rawValue: rawValue) }

    package init(_ usage: HMACKeyUsage) {
        self =
            switch usage {
            case .distribution: .distribution
            case .definition: .definition
            case .both: .both
            }
    }
}
