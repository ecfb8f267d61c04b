/// Which scheme's rules a bank follows.
package enum Scheme: String, CaseIterable, Codable, Sendable {
    /// French CB: the token alone authenticates the cardholder.
    case cb = "CB"
    /// Visa and Mastercard, PCI Card Production: the token must also contain an authentication code.
    case pciCPP = "PCI-CPP"
}
