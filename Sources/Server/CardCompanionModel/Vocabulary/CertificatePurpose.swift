/// What a certificate's key is for.
package enum CertificatePurpose: String, CaseIterable, Codable, Sendable {
    /// The bank's back-end signs its tokens with it.
    case signature
    /// The server seals defined PINs to it, for the bank's back-end.
    case encryption
    /// The bank's back-end shows it when it connects (mutual TLS).
    case client
    /// The server seals results of document verifications to it, for the bank's result server.
    case identity
}
