/// Which way a bank's key of Triple DES or AES is used.
package enum BankKeyDirection: String, CaseIterable, Codable, Sendable {
    /// It opens what the bank sends.
    case decrypt
    /// It seals what the bank gets.
    case encrypt
    case both
}
