/// What a bank's key computes.
package enum BankKeyAlgorithm: String, StoredEnumeration, CaseIterable {
    case hmac
    /// Triple DES.
    case tripleDES = "tdes"
    case aes
}
