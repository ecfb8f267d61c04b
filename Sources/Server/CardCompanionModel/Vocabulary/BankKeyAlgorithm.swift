/// What a bank's key computes.
package enum BankKeyAlgorithm: String, CaseIterable, Codable, Sendable {
    case hmac
    /// Triple DES.
    case tripleDES = "tdes"
    case aes
}
